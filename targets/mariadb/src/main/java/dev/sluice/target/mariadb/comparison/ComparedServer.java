package dev.sluice.target.mariadb.comparison;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.comparison.mariadb.WatchedSnapshot;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** The target's server, and sessions on it that can only read. Immutable, threadsafe. */
record ComparedServer(
    ServerKind kind, TargetSessions sessions, TargetLogin login, TargetErrors errors)
    implements WatchedSnapshot.Server {
  /** How much longer than its life a session may be idle before the server ends it. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** How much longer than that a read waits for a server that does not answer. */
  private static final Duration HANGS = Duration.ofSeconds(10);

  /**
   * Opens a session. Each of its transactions has one snapshot. Its timeout for locks on tables'
   * definitions is the shortest that the server has.
   *
   * @param life after this time the server ends the session if it is idle
   */
  Connection open(Duration life) throws SQLException {
    Connection session = sessions.connect(login);
    try (Statement statement = session.createStatement()) {
      session.setNetworkTimeout(
          Runnable::run, Math.toIntExact(life.plus(GRACE).plus(HANGS).toMillis()));
      sessions.prepare(session);
      statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      statement.execute(
          "SET SESSION lock_wait_timeout = %2$d, wait_timeout = %1$d, net_write_timeout = %1$d, net_read_timeout = %1$d"
              .formatted(life.plus(GRACE).toSeconds(), kind.shortestLockTimeout()));
      return session;
    } catch (SQLException e) {
      WatchedSnapshot.end(session);
      throw e;
    }
  }

  @Override
  public String limit(long millis) {
    return kind.limit(millis);
  }

  @Override
  public SluiceException failed(String attempted, SQLException error) {
    return errors.classify(attempted, error);
  }

  @Override
  public String toString() {
    return "target " + login;
  }
}
