package dev.sluice.target.yugabytedb;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.commons.dbcp2.DelegatingPreparedStatement;

/**
 * A statement with parameters that may be repeated; the driver keeps their values. Used by the
 * session's thread.
 */
final class RepeatingPreparedStatement extends DelegatingPreparedStatement {
  private final PreparedStatement driver;
  private final String sql;
  private final Repetition repetition;

  RepeatingPreparedStatement(
      RepeatingConnection session, PreparedStatement driver, String sql, Repetition repetition) {
    super(session, driver);
    this.driver = driver;
    this.sql = sql;
    this.repetition = repetition;
  }

  @Override
  public boolean execute() throws SQLException {
    return repetition.run(sql, isStreamed(), super::execute);
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    return repetition.run(sql, isStreamed(), super::executeQuery);
  }

  @Override
  public int executeUpdate() throws SQLException {
    return repetition.run(sql, isStreamed(), super::executeUpdate);
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    return repetition.run(sql, isStreamed(), driver::executeLargeUpdate);
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
