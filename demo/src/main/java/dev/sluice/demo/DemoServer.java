package dev.sluice.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * One of the demo's two servers, with the shop's database. Connections may be opened by any thread.
 */
sealed interface DemoServer extends AutoCloseable permits PostgresServer, DemoMariadb {
  /** The name of the database on both servers. */
  String DATABASE = "shop";

  /** Creates the database on a server that has just started; closes it if that fails. */
  static <S extends DemoServer> S withDatabase(S started) throws SQLException {
    try {
      started.createDatabase();
      return started;
    } catch (SQLException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  void createDatabase() throws SQLException;

  Connection connect() throws SQLException;

  /** Runs a statement as an administrator of the server. */
  default void run(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * The section of the task file.
   *
   * @param side {@code source} or {@code target}
   */
  String section(String side);

  /** The same for a server of this type. */
  default String section(String side, String type, String user, int port, String password) {
    return """
        %1$s:
          type: %2$s
          url: %2$s://%3$s@127.0.0.1:%4$d/%5$s
          password: %6$s\
        """
        .formatted(side, type, user, port, DATABASE, password);
  }

  @Override
  void close();
}
