package dev.sluice.target.yugabytedb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.dbcp2.DelegatingConnection;

/*
 * YugabyteDB fails a statement in cases where PostgreSQL waits or continues. A transaction that has
 * done nothing yet is begun again here, so that the many callers that only read from the server
 * need not handle it.
 */
/**
 * A session that repeats a statement which the server has rolled back, if nothing else of its
 * transaction would be lost. What does not go through it, such as COPY, is not repeated. Used by
 * the session's thread, except {@link #unwrap}.
 */
final class RepeatingConnection extends DelegatingConnection<Connection> {
  private final Repetition repetition;
  private final Runnable closed;
  private final AtomicBoolean isOpen = new AtomicBoolean(true);

  /**
   * @param closed is run once when the session's owner closes it, on the owner's thread
   */
  RepeatingConnection(Connection driver, Runnable closed) throws SQLException {
    super(driver);
    this.repetition = new Repetition(driver);
    this.closed = closed;
  }

  @Override
  public Statement createStatement() throws SQLException {
    return new RepeatingStatement(
        this, getInnermostDelegateInternal().createStatement(), repetition);
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    return new RepeatingPreparedStatement(
        this, getInnermostDelegateInternal().prepareStatement(sql), sql, repetition);
  }

  /** Does not close its statements: closing a running one would wait for the server. */
  @Override
  public void close() throws SQLException {
    if (isOpen.getAndSet(false)) {
      closed.run();
    }
    getInnermostDelegateInternal().close();
  }

  /** The caller may send statements over the driver's connection that this class does not see. */
  @Override
  public <T> T unwrap(Class<T> iface) throws SQLException {
    repetition.passedBy();
    return super.unwrap(iface);
  }
}
