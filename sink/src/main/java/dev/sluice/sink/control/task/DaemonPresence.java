package dev.sluice.sink.control.task;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Shows other daemons of a task that this one is running: a named lock on the target in its own
 * session, which ends with the process. It protects nothing; writes are protected by the epoch.
 * Owned by the daemon's main thread.
 */
public final class DaemonPresence implements AutoCloseable {
  private static final String LOCK = "sluice daemon";

  private static final Duration RETRY_INTERVAL = Duration.ofMillis(200);

  private static final int ANSWER_SECONDS = 30;

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
    try (TargetConnection connection = server.borrow()) {
      return connection
          .dialect()
          .locks()
          .isHeld(connection.jdbc(), LOCK, controlSchema + " " + task);
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
    boolean taken = session.dialect().locks().tryLock(session.jdbc(), LOCK, key);
    session.jdbc().commit();
    return taken;
  }

  private boolean isAlive() {
    try {
      boolean alive = session.jdbc().isValid(ANSWER_SECONDS);
      session.jdbc().commit();
      return alive;
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
