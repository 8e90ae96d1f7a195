package dev.sluice.connector.mariadb.load;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session that the server ends if this process is silent for long. It is pinged while nobody uses
 * it. Threadsafe; one thread at a time uses it.
 */
final class KeptSession {
  private static final Logger LOG = LoggerFactory.getLogger(KeptSession.class);

  private static final int PING_SECONDS = 30;

  private final Connection connection;
  private boolean used;

  KeptSession(Connection connection) {
    this.connection = connection;
  }

  /** Begins its use; waits for a running ping. There are no pings until {@link #rest}. */
  synchronized Connection use() {
    used = true;
    return connection;
  }

  /** Ends the use. Idempotent. */
  synchronized void rest() {
    used = false;
  }

  /**
   * Pings it unless it is in use: a ping would first read all rows of a running query into memory.
   */
  synchronized void ping() {
    try {
      if (!used && !connection.isValid(PING_SECONDS)) {
        LOG.warn("a session of the load does not answer: the next reader that uses it will fail");
      }
    } catch (SQLException e) {
      LOG.warn("a session of the load cannot be pinged: {}", e.getMessage());
    }
  }

  boolean isClosed() {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  /** Aborts the running statement. May be called from any thread. */
  void abort() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("could not abort a session", e);
    }
  }

  void close() {
    close(connection);
  }

  static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("could not close a broken session", e);
    }
  }
}
