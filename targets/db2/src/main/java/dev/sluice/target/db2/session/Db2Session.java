package dev.sluice.target.db2.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.commons.dbcp2.DelegatingConnection;

/**
 * A session of Db2's driver, which quotes the names in statements, limits their time, and can be
 * cancelled. Used by the session's thread, except {@link #cancelRunning}.
 *
 * <p>Named locks are held by separate sessions, since no lock of this one outlives a commit.
 */
public final class Db2Session extends DelegatingConnection<Connection> {

  /** Opens a session like this one. */
  public interface Opener {
    Connection open() throws SQLException;
  }

  /** The schema of the locks of all tasks, and its table. */
  public static final String LOCKS_SCHEMA = "sluice_locks";

  public static final String LOCKS_TABLE = "held";

  /** The SQLSTATE of a lock that was not granted in time. */
  public static final String HELD = "57033";

  /** SQLSTATEs of the server's own lock timeout, and of a deadlock. */
  private static final Set<String> WAITED = Set.of(HELD, "40001", "40XL1", "40XL2", "X0X02");

  /** How much longer the driver waits for a server that does not answer. */
  private static final Duration HANGS = Duration.ofSeconds(10);

  private static final String LOCK_TIMEOUT = "SET CURRENT LOCK TIMEOUT ";

  private final Opener opener;
  private final List<HeldLock> untilTransactionEnds = new ArrayList<>();
  private final List<HeldLock> untilSessionEnds = new ArrayList<>();
  private volatile Statement running;
  private int limitSeconds;
  private boolean waitsForLocksInShort;

  public Db2Session(Connection driver, Opener opener) {
    super(driver);
    this.opener = opener;
  }

  @Override
  public Statement createStatement() throws SQLException {
    Statement statement = getInnermostDelegateInternal().createStatement();
    statement.setQueryTimeout(limitSeconds);
    return new Db2Statement(this, statement);
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    PreparedStatement statement =
        getInnermostDelegateInternal().prepareStatement(QuotedNames.in(sql));
    statement.setQueryTimeout(limitSeconds);
    return new Db2PreparedStatement(this, statement);
  }

  /**
   * Limits the time of each later statement of the open transaction, including waits for locks. The
   * driver cancels a statement by closing the socket, so the session is then lost.
   *
   * @param limit zero for no limit
   */
  public void limitStatements(Duration limit) {
    int seconds = seconds(limit);
    limitSeconds =
        limitSeconds == 0 || seconds == 0
            ? Math.max(limitSeconds, seconds)
            : Math.min(limitSeconds, seconds);
  }

  private static int seconds(Duration limit) {
    return (int) Math.min(Integer.MAX_VALUE, (limit.toMillis() + 999) / 1000);
  }

  /** The limit of later statements of the open transaction; 0 is no limit. */
  public Duration statementLimit() {
    return Duration.ofSeconds(limitSeconds);
  }

  /** Restores an earlier limit, unless the transaction, and with it its limits, has ended. */
  public void restoreStatementLimit(Duration before) {
    limitSeconds = limitSeconds == 0 ? 0 : (int) before.toSeconds();
  }

  /**
   * Locks a table until the transaction ends. If the lock is not granted in time, the server rolls
   * the transaction back. A statement that only the driver cancels could keep waiting on the
   * server, with all its locks, and block others. So later statements of the transaction have the
   * same lock timeout: several sessions may hold the table in mode SHARE, and a write waits for
   * them.
   *
   * @param table quoted
   * @param mode {@code SHARE} lets others read, {@code EXCLUSIVE} does not
   * @throws SQLException with SQLSTATE {@link #HELD} if others hold the lock for longer than the
   *     timeout
   */
  public void lockTable(String table, String mode, Duration timeout) throws SQLException {
    Duration before = statementLimit();
    limitStatements(timeout.plus(HANGS));
    try (Statement statement = createStatement()) {
      if (!Derby.isIt(this)) {
        waitsForLocksInShort = true;
        statement.execute(LOCK_TIMEOUT + Math.max(1, seconds(timeout)));
      }
      lock(statement, table, mode);
    }
    restoreStatementLimit(before);
  }

  /** Resets the lock timeout, which outlives commits and rollbacks. */
  private void waitForLocksAsBefore() throws SQLException {
    if (waitsForLocksInShort) {
      try (Statement statement = createStatement()) {
        statement.execute(LOCK_TIMEOUT + "NULL");
      }
      waitsForLocksInShort = false;
    }
  }

  private static void lock(Statement statement, String table, String mode) throws SQLException {
    try {
      statement.execute("LOCK TABLE %s IN %s MODE".formatted(table, mode));
    } catch (SQLException e) {
      throw WAITED.contains(String.valueOf(e.getSQLState()))
          ? new SQLException(
              "others hold a lock on table %s for too long".formatted(table), HELD, e)
          : e;
    }
  }

  /**
   * Closes the socket of the statement that is running, if there is one. May be called from any
   * thread.
   */
  public void cancelRunning() throws SQLException {
    Statement statement = running;
    if (statement != null) {
      statement.cancel();
    }
  }

  void begins(Statement statement) {
    running = statement;
  }

  void ended() {
    running = null;
  }

  /** Waits for the lock, and keeps it until the transaction ends. */
  public void lockUntilTransactionEnds(String name) throws SQLException {
    if (untilTransactionEnds.stream().noneMatch(lock -> lock.has(name))) {
      untilTransactionEnds.add(HeldLock.waitFor(opener, name));
    }
  }

  /** Takes the lock until the session ends; false if another session has it. */
  public boolean tryLockUntilSessionEnds(String name) throws SQLException {
    if (untilSessionEnds.stream().anyMatch(lock -> lock.has(name))) {
      return true;
    }
    return HeldLock.take(opener, name).map(untilSessionEnds::add).orElse(false);
  }

  /** Whether any session has the lock. */
  public boolean isHeld(String name) throws SQLException {
    return HeldLock.isHeld(this, name);
  }

  /** Commits only if all named locks are still held, since the work relied on them. */
  @Override
  public void commit() throws SQLException {
    for (HeldLock lock : untilTransactionEnds) {
      lock.requireHeld();
    }
    // A failure after the commit must not look as if nothing was committed.
    waitForLocksAsBefore();
    super.commit();
    transactionEnded();
  }

  @Override
  public void rollback() throws SQLException {
    try {
      super.rollback();
    } finally {
      transactionEnded();
    }
    waitForLocksAsBefore();
  }

  private void transactionEnded() {
    limitSeconds = 0;
    release(untilTransactionEnds);
  }

  private static void release(List<HeldLock> locks) {
    locks.forEach(HeldLock::release);
    locks.clear();
  }

  /**
   * Releases the locks even if the driver has closed the session. The driver does not close a
   * session with an open transaction.
   */
  @Override
  public void close() throws SQLException {
    release(untilTransactionEnds);
    release(untilSessionEnds);
    Connection driver = getInnermostDelegateInternal();
    if (driver.isClosed()) {
      return;
    }
    try {
      driver.rollback();
    } finally {
      driver.close();
    }
  }
}
