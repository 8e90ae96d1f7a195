package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SourceLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An advisory lock with a random key, held on the source until it is closed. A session that sees
 * the lock is in the same database. Used by one thread.
 */
public final class SameDatabaseLock implements SourceLock {
  private final Connection connection;
  private final long key;

  private SameDatabaseLock(Connection connection, long key) {
    this.connection = connection;
    this.key = key;
  }

  /**
   * Takes the lock in a session of its own.
   *
   * @throws SluiceException if the source fails
   */
  public static SameDatabaseLock take(SourceServer server) {
    long key = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
    Connection connection = server.connect();
    SameDatabaseLock held = new SameDatabaseLock(connection, key);
    try (PreparedStatement lock =
        connection.prepareStatement("SELECT pg_catalog.pg_advisory_xact_lock(?)")) {
      // In a transaction: a pooler may use another session for each transaction.
      connection.setAutoCommit(false);
      lock.setLong(1, key);
      lock.execute();
      return held;
    } catch (SQLException e) {
      held.close();
      throw SourceErrors.classify("take an advisory lock", e);
    }
  }

  @Override
  public long key() {
    return key;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw SourceErrors.classify("free an advisory lock", e);
    }
  }
}
