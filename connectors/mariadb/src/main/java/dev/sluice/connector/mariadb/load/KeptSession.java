package dev.sluice.connector.mariadb.load;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session that the server ends if this process is silent for long. It is pinged while it is not
 * used. Threadsafe; one thread at a time uses it.
 */
final class KeptSession {
  private static final Logger LOG = LoggerFactory.getLogger(KeptSession.class);

  private static final int PING_SECONDS = 30;

  private final Connection connection;
  private boolean used;

  KeptSession(Connection connection) {
    this.connection = connection;
  }

  /** Begins to use it, after a ping that runs. Until {@link #rest} there are no pings. */
  synchronized Connection use() {
    used = true;
    return connection;
  }

  /** Ends the use. Idempotent. */
  synchronized void rest() {
    used = false;
  }

  /**
   * Pings it if it is not used: a ping would first read all rows of a running query into memory.
   */
  synchronized void ping() {
    try {
      if (!used && !connection.isValid(PING_SECONDS)) {
        LOG.warn("a session of the load does not answer: whoever uses it next will fail");
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

  /** Breaks the running statement. From any thread. */
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
