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
 * A snapshot of MySQL does not show which position it has: a transaction is in the log before its
 * rows are visible. While nobody can write to the tables, there is no such transaction on them.
 *
 * A transaction that has written to a table holds a lock on its definition until it ends. LOCK
 * TABLES waits for that, and new writers wait behind it. So an attempt is short, and repeated.
 */
/**
 * Read locks on all tables of a MySQL database: others can read and not write. They are held for
 * the moment in which snapshots begin. Owned by one thread; another thread ends a wait that takes
 * too long.
 */
public final class LockedTables implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockedTables.class);

  /** The lock timeout, which is also how long a writer may wait behind the request. */
  private static final Duration WAIT = Duration.ofMillis(100);

  /** How many tables the server opens in a millisecond, at least. */
  private static final int TABLES_A_MILLISECOND = 2;

  /** After this time the server ends the session if this process hangs. */
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
   * Locks the tables, or gives up after a short time.
   *
   * @throws NotFree if an open transaction has written to one of them
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
        // The kill may arrive late, and end the next statement.
        throw new SQLException("the lock came too late", "70100", 1317);
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /**
   * Releases the locks.
   *
   * @throws SQLException if the server has already ended them
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
