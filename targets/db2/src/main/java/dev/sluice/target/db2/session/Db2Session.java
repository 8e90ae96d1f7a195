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
 * A session of Db2's driver, which quotes the names of statements, limits them, and can be broken
 * off. Used by the session's thread, but for {@link #cancelRunning}.
 *
 * <p>Named locks are held by sessions of their own, since no lock of this one outlives a commit.
 */
public final class Db2Session extends DelegatingConnection<Connection> {

  /** Opens a session like this one. */
  public interface Opener {
    Connection open() throws SQLException;
  }

  /** The schema of the locks of all tasks, and its table. */
  public static final String LOCKS_SCHEMA = "sluice_locks";

  public static final String LOCKS_TABLE = "held";

  /** A lock that others do not give up in time. */
  public static final String HELD = "57033";

  /** States of a server that has a limit of its own for locks, and of a deadlock. */
  private static final Set<String> WAITED = Set.of(HELD, "40001", "40XL1", "40XL2", "X0X02");

  /** How much longer the driver waits for a server that hangs. */
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
   * Limits each later statement of the open transaction, also one that waits for a lock. The driver
   * gives up a statement by closing the socket, so the session is lost then.
   *
   * @param limit zero has none
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

  /** The limit that a later statement of the open transaction has; zero has none. */
  public Duration statementLimit() {
    return Duration.ofSeconds(limitSeconds);
  }

  /** Sets back an earlier limit, unless the transaction has ended, and its limits with it. */
  public void restoreStatementLimit(Duration before) {
    limitSeconds = limitSeconds == 0 ? 0 : (int) before.toSeconds();
  }

  /**
   * Locks a table until the transaction ends. The server ends a wait that takes too long, and the
   * transaction with it. A statement that only the driver gives up may wait on there, with all its
   * locks, and with others behind it. So no later statement of the transaction waits longer for a
   * lock, either: several may hold one to read, and who writes behind it waits for them.
   *
   * @param table quoted
   * @param mode {@code SHARE} lets others read, {@code EXCLUSIVE} nobody
   * @throws SQLException of state {@link #HELD} if others hold it for longer than that
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

  /** The register outlives commits and rollbacks. */
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
          ? new SQLException("others hold table %s for too long".formatted(table), HELD, e)
          : e;
    }
  }

  /** Closes the socket under the statement that is running, if one is. From any thread. */
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

  /** Takes the lock until the session ends, unless another session has it. */
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

  /** What was done under a lock counts only if the lock was held until now. */
  @Override
  public void commit() throws SQLException {
    for (HeldLock lock : untilTransactionEnds) {
      lock.requireHeld();
    }
    // A failure behind the commit would say that nothing was committed.
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

  /** Its locks end also if the driver has closed it. It closes none with an open transaction. */
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
