package dev.sluice.sink.target.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What the driver knows of a session's transaction. Used by the session's thread. */
public final class SessionTransaction {
  private final BaseConnection driver;

  private SessionTransaction(BaseConnection driver) {
    this.driver = driver;
  }

  /** Of a session that the driver has opened. */
  public static SessionTransaction of(Connection session) throws SQLException {
    return new SessionTransaction(session.unwrap(BaseConnection.class));
  }

  /** Whether the next statement is the first of its transaction. */
  public boolean isNone() {
    return driver.getTransactionState() == TransactionState.IDLE;
  }

  /** Whether there is one, and no error has ended it. */
  public boolean isAlive() {
    return driver.getTransactionState() == TransactionState.OPEN;
  }
}
