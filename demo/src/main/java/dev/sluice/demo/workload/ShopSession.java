package dev.sluice.demo.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.random.RandomGenerator;

/** One connection of the workload, and its choice of rows. Used by one thread. */
public record ShopSession(Connection connection, ShopScale scale, RandomGenerator random) {

  int warehouse() {
    return 1 + random.nextInt(scale.warehouses());
  }

  int district() {
    return 1 + random.nextInt(ShopScale.DISTRICTS);
  }

  int customer() {
    return 1 + random.nextInt(ShopScale.CUSTOMERS / 2);
  }

  int item() {
    return 1 + random.nextInt(ShopScale.ITEMS);
  }

  void execute(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      statement.execute();
    }
  }

  int number(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values);
        ResultSet result = statement.executeQuery()) {
      return result.next() ? result.getInt(1) : 0;
    }
  }

  String text(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values);
        ResultSet result = statement.executeQuery()) {
      return result.next() ? result.getString(1) : "";
    }
  }

  private PreparedStatement prepare(String sql, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
