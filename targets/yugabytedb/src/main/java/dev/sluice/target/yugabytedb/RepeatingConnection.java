package dev.sluice.target.yugabytedb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.dbcp2.DelegatingConnection;

/*
 * YugabyteDB fails a statement where PostgreSQL would have waited, or would have gone on. A
 * transaction of which nothing has happened yet is begun anew here, so that not each of the many
 * places that ask the server something has to know it.
 */
/**
 * A session that sends a statement again which the server has undone, if nothing else of its
 * transaction would be lost. What goes past it, such as a COPY, is not repeated. Used by the
 * session's thread, but for {@link #unwrap}.
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

  /** Without its statements: to close one that runs would wait for the server. */
  @Override
  public void close() throws SQLException {
    if (isOpen.getAndSet(false)) {
      closed.run();
    }
    getInnermostDelegateInternal().close();
  }

  /** Whoever has the driver's connection may send what is not seen here. */
  @Override
  public <T> T unwrap(Class<T> iface) throws SQLException {
    repetition.passedBy();
    return super.unwrap(iface);
  }
}
