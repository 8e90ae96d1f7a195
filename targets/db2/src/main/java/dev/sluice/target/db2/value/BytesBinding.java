package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;

/** Bytes, as {@code \x} and their hexadecimal digits. */
final class BytesBinding extends ValueBinding {
  private static final String PREFIX = "\\x";

  private final int least;
  private final int most;

  /**
   * @param least minimum in bytes: the server would fill a shorter value
   */
  BytesBinding(TargetColumn column, int least, int most) {
    super(column, least > 0 ? Types.BINARY : Types.VARBINARY);
    this.least = least;
    this.most = most;
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    byte[] bytes = bytesOf(neutral);
    if (bytes.length > most) {
      throw tooLong(neutral, "at most %d bytes".formatted(most));
    }
    if (bytes.length < least) {
      throw bad(neutral, "%d bytes".formatted(least));
    }
    statement.setBytes(parameter, bytes);
  }

  private byte[] bytesOf(String neutral) throws SQLException {
    try {
      if (neutral.startsWith(PREFIX)) {
        return HexFormat.of().parseHex(neutral.substring(PREFIX.length()));
      }
    } catch (IllegalArgumentException e) {
      throw bad(neutral, "hexadecimal digits");
    }
    throw bad(neutral, "\\x and hexadecimal digits");
  }
}
