package dev.sluice.bench.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** One database of a loopback server, with its superuser. Immutable. */
public record Database(int port, String name) {
  public static final String USER = "postgres";

  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + name;
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl() + "?user=" + USER);
  }

  /** The same server's other database. */
  public Database sibling(String other) {
    return new Database(port, other);
  }

  /** How PostgreSQL's own replication connects to it. */
  public String connectionString() {
    return "host=127.0.0.1 port=" + port + " user=" + USER + " dbname=" + name;
  }

  /** Runs each statement in a transaction of its own, all on one connection. */
  public void execute(List<String> statements) throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, statements);
    }
  }

  public void execute(String... statements) throws SQLException {
    execute(List.of(statements));
  }

  public static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of a query's only row. */
  public static String single(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    }
  }
}
