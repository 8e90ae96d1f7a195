package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/*
 * A length is in bytes on some servers and in characters on others, and a server cuts trailing
 * spaces of a text that is too long without an error. So a text with trailing spaces must fit when
 * its length is counted in bytes.
 */
/** Texts, which are sent unchanged. */
final class TextBinding extends ValueBinding {
  private final int length;
  private final boolean padded;

  /**
   * @param padded whether the server pads the text with spaces up to its length
   */
  TextBinding(TargetColumn column, int length, boolean padded) {
    super(column, padded ? Types.CHAR : Types.VARCHAR);
    this.length = length;
    this.padded = padded;
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    boolean blank = neutral.endsWith(" ");
    int bytes = neutral.length() <= length / 3 ? 0 : bytesOf(neutral);
    if (neutral.codePointCount(0, neutral.length()) > length || blank && bytes > length) {
      throw tooLong(neutral, "at most %d bytes".formatted(length));
    }
    if (padded && blank && neutral.codePointCount(0, neutral.length()) < length) {
      throw bad(neutral, "a text without trailing spaces, which the column would add");
    }
    statement.setString(parameter, neutral);
  }

  private static int bytesOf(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
