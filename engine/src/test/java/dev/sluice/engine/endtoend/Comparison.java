package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Compares tables on two servers row by row, with repeats, by every column's text. */
final class Comparison {
  private Comparison() {}

  static void assertEqual(Connection source, Connection target, List<TableId> tables)
      throws SQLException {
    for (TableId table : tables) {
      assertThat(rows(target, table)).as("rows of %s", table).isEqualTo(rows(source, table));
    }
  }

  private static List<String> rows(Connection connection, TableId table) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT t::text FROM " + table.quoted() + " t ORDER BY t::text COLLATE \"C\"")) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows;
  }
}
