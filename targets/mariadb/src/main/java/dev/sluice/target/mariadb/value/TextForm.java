package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;

/**
 * Texts, which are sent unchanged. If a text is too long, the server would cut trailing spaces
 * without an error.
 *
 * @param characters the longest text
 * @param bytes the longest text in UTF-8
 */
record TextForm(TargetColumn column, int characters, int bytes) implements ValueForm {
  static final TextForm UNLIMITED = new TextForm(null, Integer.MAX_VALUE, Integer.MAX_VALUE);

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    if (neutral.length() > bytes) {
      throw BadValue.tooLong(column, neutral, "at most " + bytes + " bytes");
    }
    if (neutral.length() > characters && countCharacters(neutral) > characters) {
      throw BadValue.tooLong(column, neutral, "at most " + characters + " characters");
    }
    return neutral;
  }

  static int countCharacters(Slice text) {
    int count = 0;
    for (int i = 0; i < text.length(); i++) {
      // The second and later bytes of a character begin with the bits 10.
      if ((text.at(i) & 0xC0) != 0x80) {
        count++;
      }
    }
    return count;
  }
}
