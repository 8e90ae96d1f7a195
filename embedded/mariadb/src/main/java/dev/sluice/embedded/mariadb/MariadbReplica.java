package dev.sluice.embedded.mariadb;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A MariaDB server that replicates from another one, and logs what it replicates. For tests; used
 * by one thread.
 */
public final class MariadbReplica implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 300;

  private final EmbeddedMariadb server;
  private final EmbeddedMariadb primary;

  private MariadbReplica(EmbeddedMariadb server, EmbeddedMariadb primary) {
    this.server = server;
    this.primary = primary;
  }

  /**
   * Starts a server that gets all that is in the primary's log.
   *
   * @param number of the new server, another one than the primary's
   */
  public static MariadbReplica of(EmbeddedMariadb primary, int number) throws SQLException {
    return of(primary, settings(number).start());
  }

  /** The same with a directory that keeps its data. */
  public static MariadbReplica in(Path directory, EmbeddedMariadb primary, int number)
      throws SQLException {
    return of(primary, settings(number).directory(directory).start());
  }

  /** The settings of such a server. */
  public static ServerBuilder<EmbeddedMariadb> settings(int number) {
    return EmbeddedMariadb.builder()
        .setting("server-id", Integer.toString(number))
        .setting("log-slave-updates", "ON");
  }

  private static MariadbReplica of(EmbeddedMariadb primary, EmbeddedMariadb server)
      throws SQLException {
    MariadbReplica replica = new MariadbReplica(server, primary);
    replica.follow();
    return replica;
  }

  private void follow() throws SQLException {
    execute(
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'root', MASTER_CONNECT_RETRY = 1, MASTER_SSL = 0, MASTER_USE_GTID = slave_pos"
            .formatted(primary.port()),
        "START SLAVE");
  }

  public EmbeddedMariadb server() {
    return server;
  }

  /** Waits until it has applied all that the primary has committed by now. */
  public void awaitCaughtUp() throws SQLException {
    String state = value(primary, "SELECT @@global.gtid_binlog_pos");
    String waited =
        value(server, "SELECT MASTER_GTID_WAIT('%s', %d)".formatted(state, TIMEOUT_SECONDS));
    if (!"0".equals(waited)) {
      throw new IllegalStateException("the replica did not reach " + state);
    }
  }

  /** Stops replicating for a while, or forever. */
  public void pause() throws SQLException {
    execute("STOP SLAVE");
  }

  /** Replicates no more: it is a primary now. */
  public void promote() throws SQLException {
    execute("STOP SLAVE", "RESET SLAVE ALL");
  }

  private void execute(String... statements) throws SQLException {
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
