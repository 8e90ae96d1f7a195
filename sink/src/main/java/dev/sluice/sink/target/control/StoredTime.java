package dev.sluice.sink.target.control;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Calendar;
import java.util.Optional;
import java.util.TimeZone;

/** Reads instants of control tables in the way that every driver knows. Stateless. */
public final class StoredTime {
  private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

  private StoredTime() {}

  /** The instant of a column; empty if it is NULL. */
  public static Optional<Instant> read(ResultSet row, int column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column, Calendar.getInstance(UTC)))
        .map(Timestamp::toInstant);
  }
}
