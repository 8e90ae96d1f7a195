package dev.sluice.connector.mariadb.server;

import dev.sluice.connector.api.source.SharedCluster;
import dev.sluice.connector.api.source.SourceLock;
import dev.sluice.connector.comparison.mariadb.ClusterMember;
import dev.sluice.connector.comparison.mariadb.NumberedLock;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A named lock, in a session of its own. Who sees it is on the same server, maybe in another
 * database. Used by one thread.
 */
public final class ServerLock implements SourceLock {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Connection session;
  private final long key;
  private final Optional<SharedCluster> cluster;

  private ServerLock(Connection session, long key, Optional<SharedCluster> cluster) {
    this.session = session;
    this.key = key;
    this.cluster = cluster;
  }

  public static ServerLock take(MariadbServer server) {
    long key = RANDOM.nextLong() & Long.MAX_VALUE;
    try {
      Connection session = server.open();
      try {
        if (!NumberedLock.take(session, key)) {
          throw new SQLException("a lock with a random name is not free", "HY000");
        }
        return new ServerLock(
            session, key, ClusterMember.read(session).flatMap(ClusterMember::cluster));
      } catch (SQLException e) {
        session.close();
        throw e;
      }
    } catch (SQLException e) {
      throw MariadbFailures.classify("take a lock on " + server, e);
    }
  }

  @Override
  public long key() {
    return key;
  }

  @Override
  public Optional<SharedCluster> cluster() {
    return cluster;
  }

  /** The server releases it with the session. */
  @Override
  public void close() {
    try {
      session.close();
    } catch (SQLException e) {
      // It is already broken.
    }
  }
}
