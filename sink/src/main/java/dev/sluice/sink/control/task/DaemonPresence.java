package dev.sluice.sink.control.task;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Shows other daemons of a task that this one is running: an advisory lock on the target in its own
 * session, which ends with the process. It protects nothing; writes are protected by the epoch.
 * Owned by the daemon's main thread.
 */
public final class DaemonPresence implements AutoCloseable {
  private static final String TAKE =
      "SELECT pg_try_advisory_lock(hashtext('sluice daemon'), hashtext(?))";

  private static final String SHOWN =
      """
      SELECT 1 FROM pg_catalog.pg_locks l
      JOIN pg_catalog.pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.granted AND d.datname = pg_catalog.current_database()
        AND l.objsubid = 2
        AND l.classid::bigint = hashtext('sluice daemon')::bigint & 4294967295
        AND l.objid::bigint = hashtext(?)::bigint & 4294967295
      """;

  private static final Duration RETRY_INTERVAL = Duration.ofMillis(200);

  private final TargetServer server;
  private final String key;
  private TargetConnection session;
  private boolean wasShown;

  public DaemonPresence(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.key = controlSchema + " " + task;
  }

  /** Whether any daemon of the task runs. Takes no lock, so it never disturbs a starting daemon. */
  public static boolean isShown(TargetServer server, String controlSchema, String task) {
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(SHOWN)) {
      statement.setString(1, controlSchema + " " + task);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    } catch (SQLException e) {
      throw server.errors().classify("check for a daemon of the task", e);
    }
  }

  /**
   * Takes the lock, if no other daemon has it.
   *
   * @return whether this daemon has the lock; false: another daemon runs
   * @throws SluiceException if the target cannot be reached
   */
  public boolean show() {
    if (session != null && isAlive()) {
      return true;
    }
    close();
    try {
      session = server.connect();
      if (take()) {
        wasShown = true;
        return true;
      }
    } catch (SQLException e) {
      close();
      throw server.errors().classify("check for another daemon of the task", e);
    }
    close();
    return false;
  }

  /**
   * The same with retries until the timeout: a daemon's session ends a moment after the daemon.
   *
   * @return whether this daemon has the lock; false: another daemon runs, or its host was just lost
   */
  public boolean show(Duration timeout) {
    return Polling.every(RETRY_INTERVAL).untilUninterrupted(timeout, () -> show(), alone -> alone);
  }

  /** Whether this daemon had the lock before; its old session may still exist then. */
  public boolean wasShown() {
    return wasShown;
  }

  private boolean take() throws SQLException {
    try (PreparedStatement statement = session.jdbc().prepareStatement(TAKE)) {
      statement.setString(1, key);
      boolean taken;
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        taken = row.getBoolean(1);
      }
      session.jdbc().commit();
      return taken;
    }
  }

  private boolean isAlive() {
    try {
      session.exists("SELECT 1");
      session.jdbc().commit();
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
      session = null;
    }
  }
}
