package dev.sluice.connector.generic.catalog;

import dev.sluice.connector.api.source.SourceLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An advisory lock with a random key on a PostgreSQL source, held until it is closed. Used by one
 * thread.
 */
public record PostgresLock(JdbcServer server, Connection connection, long key)
    implements SourceLock {

  public static PostgresLock take(JdbcServer server) {
    try {
      Connection connection = server.open();
      PostgresLock taken =
          new PostgresLock(
              server, connection, ThreadLocalRandom.current().nextLong(Long.MAX_VALUE));
      connection.setAutoCommit(false);
      try (PreparedStatement lock =
          connection.prepareStatement("SELECT pg_catalog.pg_advisory_xact_lock(?)")) {
        lock.setLong(1, taken.key());
        lock.execute();
        return taken;
      } catch (SQLException e) {
        taken.close();
        throw e;
      }
    } catch (SQLException e) {
      throw server.classify("take an advisory lock", e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw server.classify("free an advisory lock", e);
    }
  }
}
