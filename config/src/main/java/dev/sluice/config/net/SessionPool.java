package dev.sluice.config.net;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.apache.commons.dbcp2.ConnectionFactory;
import org.apache.commons.dbcp2.PoolableConnection;
import org.apache.commons.dbcp2.PoolableConnectionFactory;
import org.apache.commons.dbcp2.PoolingDataSource;
import org.apache.commons.pool2.DestroyMode;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * Lends sessions of one server and login for a moment each. A session that was given back is lent
 * again for some seconds: opening one costs the server a process and a login. Each user gets it as
 * if it were new: without a transaction, settings, locks and temporary tables of the one before.
 * Threadsafe.
 */
public final class SessionPool {
  /** How long a session waits for its next user, at least. */
  private static final Duration IDLE = Duration.ofSeconds(4);

  private static final int IDLE_AT_MOST = 4;

  /**
   * PostgreSQL's DISCARD ALL, which cannot be sent together with other statements. Plans stay.
   * Fails if the session is broken; then another one is lent.
   */
  public static final String RESET =
      String.join(
          ";",
          "CLOSE ALL",
          "SET SESSION AUTHORIZATION DEFAULT",
          "RESET ALL",
          "UNLISTEN *",
          "SELECT pg_catalog.pg_advisory_unlock_all()",
          "DISCARD TEMP",
          "DISCARD SEQUENCES",
          "");

  private final PoolingDataSource<PoolableConnection> sessions;

  /** Makes a session that was given back as if it were new. */
  public interface Reset {
    /**
     * @throws SQLException if the session is broken; then another one is lent
     */
    void reset(Connection session) throws SQLException;
  }

  /**
   * A pool of sessions on PostgreSQL.
   *
   * @param opening opens a new session, in auto-commit mode
   * @param settings statements for a session that is lent again, after its reset; may be empty
   */
  public SessionPool(ConnectionFactory opening, String settings) {
    this(
        opening,
        session -> {
          try (Statement statement = session.createStatement()) {
            statement.execute(RESET + settings);
          }
        });
  }

  /**
   * @param opening opens a new session, in auto-commit mode
   */
  public SessionPool(ConnectionFactory opening, Reset reset) {
    GenericObjectPoolConfig<PoolableConnection> config = new GenericObjectPoolConfig<>();
    config.setMaxTotal(-1);
    config.setMaxIdle(IDLE_AT_MOST);
    config.setMinEvictableIdleDuration(IDLE);
    config.setTimeBetweenEvictionRuns(IDLE.dividedBy(2));
    config.setNumTestsPerEvictionRun(IDLE_AT_MOST);
    config.setJmxEnabled(false);
    Sessions factory = new Sessions(opening, reset);
    GenericObjectPool<PoolableConnection> pool = new GenericObjectPool<>(factory, config);
    factory.setPool(pool);
    sessions = new PoolingDataSource<>(pool);
  }

  /**
   * A session in auto-commit mode. Closing it rolls back its transaction and gives it back.
   *
   * @throws SQLException as the opening of a new session failed
   */
  public Connection borrow() throws SQLException {
    return sessions.getConnection();
  }

  private static final class Sessions extends PoolableConnectionFactory {
    private final Reset reset;

    Sessions(ConnectionFactory opening, Reset reset) {
      super(opening, null);
      this.reset = reset;
    }

    @Override
    public void activateObject(PooledObject<PoolableConnection> session) throws SQLException {
      super.activateObject(session);
      if (session.getBorrowedCount() > 1) {
        reset.reset(session.getObject());
      }
    }

    /** DBCP does not close a session that the driver has closed; what it holds besides stays. */
    @Override
    public void destroyObject(PooledObject<PoolableConnection> session, DestroyMode mode)
        throws SQLException {
      Connection opened = session.getObject().getDelegate();
      try {
        super.destroyObject(session, mode);
      } finally {
        opened.close();
      }
    }
  }
}
