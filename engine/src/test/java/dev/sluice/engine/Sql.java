package dev.sluice.engine;

import dev.sluice.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Statements of tests on a database of a server. Stateless. */
public final class Sql {
  private Sql() {}

  public static void execute(EmbeddedPostgres server, String database, String sql)
      throws SQLException {
    try (Connection connection = server.connect(database)) {
      execute(connection, sql);
    }
  }

  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of the first row. */
  public static String text(EmbeddedPostgres server, String database, String sql)
      throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
