package dev.sluice.embedded.mariadb;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A server that replicates from another one of its kind, and logs what it replicates. For tests;
 * used by one thread.
 */
public abstract sealed class EmbeddedReplica implements AutoCloseable
    permits MariadbReplica, MysqlReplica {
  private static final int TIMEOUT_SECONDS = 300;

  private final EmbeddedServer server;
  private final EmbeddedServer primary;
  private final Words words;

  /**
   * What the kind of server calls its replication.
   *
   * @param role of the statements that stop it
   * @param state the variable with what a server has executed
   * @param waiting the function that waits for it
   */
  record Words(String role, String state, String waiting) {}

  EmbeddedReplica(EmbeddedServer server, EmbeddedServer primary, Words words) {
    this.server = server;
    this.primary = primary;
    this.words = words;
  }

  /** Makes a server, with the settings of its kind's replicas, a replica of another one. */
  public static EmbeddedReplica of(EmbeddedServer primary, EmbeddedServer server)
      throws SQLException {
    return server instanceof EmbeddedMysql mysql
        ? MysqlReplica.of(primary, mysql)
        : MariadbReplica.of(primary, (EmbeddedMariadb) server);
  }

  public EmbeddedServer server() {
    return server;
  }

  /** Waits until it has applied all that the primary has committed by now. */
  public void awaitCaughtUp() throws SQLException {
    String state = value(primary, "SELECT @@global." + words.state());
    String waited =
        value(server, "SELECT %s('%s', %d)".formatted(words.waiting(), state, TIMEOUT_SECONDS));
    if (!"0".equals(waited)) {
      throw new IllegalStateException("the replica did not reach " + state);
    }
  }

  /** Stops replicating for a while, or forever. */
  public void pause() throws SQLException {
    execute("STOP " + words.role());
  }

  /** Goes on replicating. */
  public void resume() throws SQLException {
    execute("START " + words.role());
  }

  /** Replicates no more: it is a primary now. */
  public void promote() throws SQLException {
    execute("STOP " + words.role(), "RESET " + words.role() + " ALL");
  }

  final void execute(String... statements) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  private static String value(EmbeddedServer asked, String query) throws SQLException {
    try (Connection connection = asked.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
