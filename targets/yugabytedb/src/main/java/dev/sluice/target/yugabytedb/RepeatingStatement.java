package dev.sluice.target.yugabytedb;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.commons.dbcp2.DelegatingStatement;

/** A statement without parameters that may be repeated. Used by the session's thread. */
final class RepeatingStatement extends DelegatingStatement {
  private final Statement driver;
  private final Repetition repetition;

  RepeatingStatement(RepeatingConnection session, Statement driver, Repetition repetition) {
    super(session, driver);
    this.driver = driver;
    this.repetition = repetition;
  }

  @Override
  public boolean execute(String sql) throws SQLException {
    return repetition.run(sql, isStreamed(), () -> super.execute(sql));
  }

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    return repetition.run(sql, isStreamed(), () -> super.executeQuery(sql));
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    return repetition.run(sql, isStreamed(), () -> super.executeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    return repetition.run(sql, isStreamed(), () -> driver.executeLargeUpdate(sql));
  }

  @Override
  public int[] executeBatch() throws SQLException {
    repetition.passedBy();
    return super.executeBatch();
  }

  /** The caller may send statements over the driver's object that this class does not see. */
  @Override
  public <T> T unwrap(Class<T> iface) throws SQLException {
    repetition.passedBy();
    return super.unwrap(iface);
  }

  private boolean isStreamed() throws SQLException {
    return getFetchSize() > 0;
  }
}
