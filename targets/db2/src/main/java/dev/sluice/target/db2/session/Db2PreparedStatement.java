package dev.sluice.target.db2.session;

import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.util.Calendar;
import java.util.TimeZone;
import java.util.UUID;
import org.apache.commons.dbcp2.DelegatingPreparedStatement;

/*
 * The driver continues a batch after a row that failed. So each count of a batch is checked here.
 * The caller rolls back after an error.
 */
/**
 * A statement with parameters, which takes the values of control tables. If a row of a batch
 * failed, the batch fails with the server's error. Used by the session's thread.
 */
public class Db2PreparedStatement extends DelegatingPreparedStatement {
  private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

  private final Db2Session session;
  private final PreparedStatement driver;

  Db2PreparedStatement(Db2Session session, PreparedStatement driver) {
    super(session, driver);
    this.session = session;
    this.driver = driver;
  }

  /** The driver knows neither times with an offset nor UUIDs. */
  @Override
  public void setObject(int parameter, Object value) throws SQLException {
    if (value instanceof OffsetDateTime time) {
      super.setTimestamp(parameter, Timestamp.from(time.toInstant()), Calendar.getInstance(UTC));
    } else if (value instanceof UUID id) {
      super.setString(parameter, id.toString());
    } else {
      super.setObject(parameter, value);
    }
  }

  @Override
  public boolean execute() throws SQLException {
    session.begins(driver);
    try {
      return super.execute();
    } finally {
      session.ended();
    }
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    session.begins(driver);
    try {
      return super.executeQuery();
    } finally {
      session.ended();
    }
  }

  @Override
  public int executeUpdate() throws SQLException {
    return Math.toIntExact(executeLargeUpdate());
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    session.begins(driver);
    try {
      return driver.executeLargeUpdate();
    } finally {
      session.ended();
    }
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    int[] counts = executeBatch();
    long[] large = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      large[i] = counts[i];
    }
    return large;
  }

  @Override
  public int[] executeBatch() throws SQLException {
    session.begins(driver);
    try {
      int[] counts = driver.executeBatch();
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] < 0) {
          throw new SQLException(
              "for row %d of %d of a batch the driver returned %d, not a count of changed rows"
                  .formatted(i + 1, counts.length, counts[i]),
              "HY000");
        }
      }
      return counts;
    } catch (BatchUpdateException e) {
      // The error of the first row that failed.
      throw e.getNextException() == null ? e : e.getNextException();
    } finally {
      session.ended();
    }
  }
}
