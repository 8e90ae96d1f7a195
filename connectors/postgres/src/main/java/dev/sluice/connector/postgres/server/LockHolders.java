package dev.sluice.connector.postgres.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches which sessions block another session while that one runs a statement. Has its own
 * connection and thread. Its creator closes it and may then read the result.
 */
final class LockHolders implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockHolders.class);

  /** Poll interval: shorter than an attempt to lock, longer than most statements take. */
  private static final Duration BETWEEN = Duration.ofMillis(40);

  private static final String IN_THE_WAY =
      """
      SELECT pg_catalog.string_agg(coalesce(pg_catalog.format(
          'pid %s (user %s, application %s, %s%s, last query: %s)', a.pid, a.usename,
          coalesce(nullif(a.application_name, ''), 'unnamed'), a.state,
          ', transaction of ' || pg_catalog.date_trunc('second',
            pg_catalog.clock_timestamp() - a.xact_start)::text,
          pg_catalog.left(pg_catalog.regexp_replace(a.query, '\\s+', ' ', 'g'), 120)),
        CASE blocking.pid WHEN 0 THEN 'a prepared transaction, see pg_prepared_xacts'
          ELSE 'pid ' || blocking.pid END), '; ')
      FROM pg_catalog.unnest(pg_catalog.pg_blocking_pids(?)) AS blocking (pid)
      LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = blocking.pid
      """;

  private final SourceServer server;
  private final int waiting;
  private final Thread watch = new Thread(this::watch, "lock-holders");
  private volatile String seen = "";
  private volatile boolean closed;

  private LockHolders(SourceServer server, int waiting) {
    this.server = server;
    this.waiting = waiting;
  }

  /** Begins to watch the session of a connection. */
  static LockHolders of(SourceServer server, Connection connection) throws SQLException {
    LockHolders holders =
        new LockHolders(server, connection.unwrap(PGConnection.class).getBackendPID());
    holders.watch.setDaemon(true);
    holders.watch.start();
    return holders;
  }

  /** The sessions that blocked last; empty if none was seen. */
  String seen() {
    return seen;
  }

  private void watch() {
    try {
      Thread.sleep(BETWEEN.toMillis());
      try (Connection connection = server.open();
          PreparedStatement statement = connection.prepareStatement(IN_THE_WAY)) {
        statement.setInt(1, waiting);
        while (!closed) {
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            String now = row.getString(1);
            if (now != null) {
              seen = now;
            }
          }
          Thread.sleep(BETWEEN.toMillis());
        }
      }
    } catch (InterruptedException e) {
      // Closed.
      Thread.currentThread().interrupt();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("cannot see who holds the locks", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    watch.interrupt();
    try {
      watch.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
