package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Bytes. They come as {@code \x} and hexadecimal digits. LOAD DATA gets the digits, since it reads
 * all columns in one character set.
 *
 * @param shortest minimum in bytes: the server would fill shorter values with zeros
 * @param longest in bytes
 */
record BytesForm(TargetColumn column, int shortest, int longest) implements ValueForm {

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    int length = neutral.length();
    if (length < 2 || length % 2 != 0 || neutral.at(0) != '\\' || neutral.at(1) != 'x') {
      throw BadValue.of(column, neutral, "bytes as \\x and hexadecimal digits");
    }
    for (int i = 2; i < length; i++) {
      if (!HexFormat.isHexDigit(neutral.at(i))) {
        throw BadValue.of(column, neutral, "bytes as \\x and hexadecimal digits");
      }
    }
    int bytes = length / 2 - 1;
    if (bytes < shortest || bytes > longest) {
      throw BadValue.tooLong(
          column,
          neutral,
          shortest == longest ? shortest + " bytes" : "at most " + longest + " bytes");
    }
    return new Slice(neutral.buffer(), neutral.offset() + 2, length - 2);
  }

  @Override
  public Optional<String> expression(String variable) {
    return Optional.of("UNHEX(" + variable + ")");
  }

  @Override
  public void bind(PreparedStatement statement, int parameter, Slice neutral) throws SQLException {
    statement.setBytes(parameter, HexFormat.of().parseHex(loaded(neutral).text()));
  }
}
