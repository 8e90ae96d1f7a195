package dev.sluice.engine;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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
    try (Connection connection = server.connect(database)) {
      return text(connection, sql);
    }
  }

  /** The same in a session that is there: to be asked again and again, it costs far less. */
  public static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** What the last statement gives: the first column of its rows. */
  public static List<String> texts(Connection connection, String... statements)
      throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        texts.clear();
        if (statement.execute(sql)) {
          try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
              texts.add(rows.getString(1));
            }
          }
        }
      }
    }
    return texts;
  }

  /** The rows, each as its values in text; none where the statement gives none. */
  public static List<String> rows(EmbeddedPostgres server, String database, String sql)
      throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      List<String> texts = new ArrayList<>();
      if (!statement.execute(sql)) {
        return texts;
      }
      ResultSet rows = statement.getResultSet();
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          text.append(i > 1 ? " | " : "").append(rows.getString(i));
        }
        texts.add(text.toString());
      }
      return texts;
    }
  }
}
