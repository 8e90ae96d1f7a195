package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A snapshot of MySQL does not say which position it shows: a transaction is in the log before its rows
 * can be seen. While nobody may write into the tables there is no such transaction of them.
 *
 * Whoever has written into a table holds its definition until the end of the transaction. LOCK TABLES
 * waits for that, and who wants to write into the table meanwhile waits behind it. So it is given up
 * soon, and tried again.
 */
/**
 * Locks on all tables of MySQL's database, which let others read and not write. They are held for
 * the moment in which snapshots begin. Owned by one thread; another one ends a wait that takes too
 * long.
 */
public final class LockedTables implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockedTables.class);

  /** How long the lock is waited for, and so how long a writer may wait behind it. */
  private static final Duration WAIT = Duration.ofMillis(100);

  /** So many more tables are opened in a millisecond, at least. */
  private static final int TABLES_A_MILLISECOND = 2;

  /** When the server ends the session if this process stands still. */
  private static final int SILENT_SECONDS = 1;

  /** ER_LOCK_WAIT_TIMEOUT, ER_QUERY_INTERRUPTED, ER_LOCK_DEADLOCK. */
  private static final Set<Integer> NOT_FREE = Set.of(1205, 1317, 1213);

  private static final String TABLES =
      """
      SELECT TABLE_NAME FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' AND ENGINE = 'InnoDB' ORDER BY TABLE_NAME
      """;

  private final Connection session;

  private LockedTables(Connection session) {
    this.session = session;
  }

  /** The tables could not be locked in time. */
  public static final class NotFree extends Exception {
    private static final long serialVersionUID = 1;

    NotFree(SQLException cause) {
      super(cause);
    }
  }

  /**
   * Locks the tables, or gives up soon.
   *
   * @throws NotFree if a transaction has written into one of them and has not ended
   */
  public static LockedTables lock(MariadbServer server) throws SQLException, NotFree {
    Connection session = server.open();
    try {
      MariadbQuery query = new MariadbQuery(session);
      List<String[]> tables = query.rows(TABLES, server.database());
      if (!tables.isEmpty()) {
        long number = Long.parseLong(query.row("SELECT connection_id()").orElseThrow()[0]);
        String names =
            tables.stream()
                .map(row -> new TableId(server.database(), row[0]).quoted() + " READ")
                .collect(Collectors.joining(", "));
        lock(
            server,
            session,
            number,
            "LOCK TABLES " + names,
            WAIT.plusMillis(tables.size() / TABLES_A_MILLISECOND));
      }
      return new LockedTables(session);
    } catch (SQLException e) {
      KeptSession.close(session);
      if (NOT_FREE.contains(e.getErrorCode())) {
        throw new NotFree(e);
      }
      throw e;
    } catch (SluiceException e) {
      KeptSession.close(session);
      throw e;
    }
  }

  private static void lock(
      MariadbServer server, Connection session, long number, String sql, Duration wait)
      throws SQLException {
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(work -> new Thread(work, "sluice-lock-limit"));
    try (Connection killer = server.open();
        Statement kill = killer.createStatement();
        Statement statement = session.createStatement()) {
      statement.execute(
          "SET SESSION lock_wait_timeout = 1, wait_timeout = %d".formatted(SILENT_SECONDS));
      AtomicBoolean decided = new AtomicBoolean();
      timer.schedule(
          () -> decided.compareAndSet(false, true) && kill.execute("KILL QUERY " + number),
          wait.toMillis(),
          TimeUnit.MILLISECONDS);
      statement.execute(sql);
      if (!decided.compareAndSet(false, true)) {
        // The next statement might be the one that is ended.
        throw new SQLException("the lock came too late", "70100", 1317);
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /**
   * Ends the locks.
   *
   * @throws SQLException if the server has ended them before
   */
  public void unlock() throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("UNLOCK TABLES");
    }
  }

  /** The session that has the locks. */
  public Connection session() {
    return session;
  }

  @Override
  public void close() {
    try {
      session.close();
    } catch (SQLException e) {
      LOG.debug("could not close a session with locks", e);
    }
  }
}
