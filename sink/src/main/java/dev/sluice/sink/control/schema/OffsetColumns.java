package dev.sluice.sink.control.schema;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The four columns of control tables that store a journal offset. Stateless. */
public final class OffsetColumns {
  public static final String READ = "position, journal_term, journal_transaction, next_offset";
  public static final String SET =
      "position = ?, journal_term = ?, journal_transaction = ?, next_offset = ?";

  private OffsetColumns() {}

  /**
   * Reads the offset.
   *
   * @param first number of the position's column
   */
  public static JournalOffset read(ResultSet row, int first) throws SQLException {
    return new JournalOffset(
        Position.parse(row.getString(first)),
        row.getLong(first + 1),
        row.getLong(first + 2),
        row.getLong(first + 3));
  }

  /**
   * Sets the parameters of the offset.
   *
   * @param first number of the position's parameter
   * @return the number of the next parameter
   */
  public static int set(PreparedStatement statement, int first, JournalOffset place)
      throws SQLException {
    statement.setString(first, place.position().toString());
    statement.setLong(first + 1, place.term());
    statement.setLong(first + 2, place.transaction());
    statement.setLong(first + 3, place.nextOffset());
    return first + 4;
  }
}
