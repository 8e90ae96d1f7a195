package dev.sluice.sink.target;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session on the target, in manual commit. Owned by the thread that opened it.
 *
 * <p>Sessions commit without waiting for the target's disk; what must be durable calls {@link
 * #commitDurably} in its own transaction.
 */
public final class TargetConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TargetConnection.class);

  private final TargetDialect dialect;
  private final Connection jdbc;
  private final boolean replicaRole;
  private final String product;
  private final int majorVersion;
  private final StatementPipeline pipeline;

  private TargetConnection(TargetDialect dialect, Connection jdbc, boolean replicaRole)
      throws SQLException {
    this.dialect = dialect;
    this.jdbc = jdbc;
    this.replicaRole = replicaRole;
    this.product = jdbc.getMetaData().getDatabaseProductName();
    this.majorVersion = jdbc.getMetaData().getDatabaseMajorVersion();
    this.pipeline = dialect.sessions().pipeline(jdbc);
  }

  static TargetConnection open(TargetDialect dialect, Connection jdbc) throws SQLException {
    try {
      boolean replicaRole = dialect.sessions().prepare(jdbc);
      jdbc.setAutoCommit(false);
      return new TargetConnection(dialect, jdbc, replicaRole);
    } catch (SQLException e) {
      jdbc.close();
      throw e;
    }
  }

  public TargetDialect dialect() {
    return dialect;
  }

  /** Classifies errors of this session. */
  public TargetErrors errors() {
    return dialect.errors();
  }

  public Connection jdbc() {
    return jdbc;
  }

  /** Whether foreign keys, triggers and rules of the target are off in this session. */
  public boolean replicaRole() {
    return replicaRole;
  }

  /** The server's name and version by its own report, for messages. */
  public String product() {
    return product;
  }

  public int majorVersion() {
    return majorVersion;
  }

  /** The pipeline for statements that are sent together. */
  public StatementPipeline pipeline() {
    return pipeline;
  }

  /** Runs a statement without parameters, unprepared. Returns the number of rows it changed. */
  public long execute(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      return statement.executeLargeUpdate(sql);
    }
  }

  /** Whether a query returns at least one row. */
  public boolean exists(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next();
    }
  }

  /** Makes the open transaction wait for the target's disk at its commit. */
  public void commitDurably() throws SQLException {
    dialect.sessions().commitDurably(jdbc);
  }

  /** Sets the lock timeout of the open transaction; zero has no limit. */
  public void waitForLocks(Duration timeout) throws SQLException {
    dialect.sessions().waitForLocks(jdbc, timeout);
  }

  /**
   * Lets the server end the open transaction if a statement of it takes longer than this, or if it
   * is idle for so long.
   */
  public void limitTransaction(Duration limit) throws SQLException {
    dialect.sessions().limitTransaction(jdbc, limit);
  }

  /**
   * Lets the server end the session after it was idle for this time; zero restores the server's
   * limit.
   */
  public void endAfterSilence(Duration limit) throws SQLException {
    dialect.sessions().endAfterSilence(jdbc, limit);
  }

  /** How large a statement may be; empty if no row of a table reaches the limit. */
  public Optional<StatementLimit> statementLimit() throws SQLException {
    return dialect.sessions().statementLimit(jdbc);
  }

  /** Rolls back the open transaction. Does not fail on a broken connection. */
  public void rollback() {
    try {
      jdbc.rollback();
    } catch (SQLException e) {
      LOG.debug("roll back on a broken connection", e);
    }
  }

  /** Closes the socket, so that the owner's current call fails. May be called from any thread. */
  public void abort() {
    try {
      jdbc.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("abort a session", e);
    }
  }

  /**
   * Cancels the running statement on the server, then aborts as {@link #abort} does. Without the
   * cancel, a statement that waits for a lock would keep its own locks. May be called from any
   * thread.
   */
  public void breakOff() {
    try {
      dialect.sessions().cancel(jdbc);
    } catch (SQLException e) {
      LOG.debug("cancel a statement", e);
    }
    abort();
  }

  /** Closes the session or gives it back; an open transaction is rolled back. Idempotent. */
  @Override
  public void close() {
    try {
      jdbc.close();
    } catch (SQLException e) {
      LOG.debug("close of a broken connection", e);
    }
  }
}
