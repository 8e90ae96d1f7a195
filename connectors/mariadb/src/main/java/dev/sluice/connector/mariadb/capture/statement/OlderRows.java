package dev.sluice.connector.mariadb.capture.statement;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Pattern;

/** The value that older rows got in a column when it was added. Pure. */
final class OlderRows {
  private static final Pattern TIME = Pattern.compile("\\d{2}:\\d{2}:\\d{2}(\\.(\\d{1,6}))?");
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  private OlderRows() {}

  /**
   * The value in the text form of PostgreSQL; null if it is NULL.
   *
   * @param seconds when the statement began
   * @throws NotFollowed if it is not certain
   */
  static String valueOf(ColumnText column, long seconds) throws NotFollowed {
    if (column.labels().stream().anyMatch(label -> label.endsWith(" "))) {
      throw new NotFollowed(
          "the server removes the trailing spaces of a label of column " + column.name());
    }
    if (column.dataType().equals("timestamp")) {
      return ofTimestamp(column, seconds);
    }
    if (column.byDefault() instanceof ColumnText.Default.Constant constant) {
      if (constant.text() == null) {
        if (column.notNull()) {
          throw unknown(column);
        }
        return null;
      }
      return constant(column, constant);
    }
    if (column.byDefault() instanceof ColumnText.Default.Now) {
      throw new NotFollowed(
          "older rows have the current time in column %s, in a time zone that is not known"
              .formatted(column.name()));
    }
    return column.notNull() ? implicit(column) : null;
  }

  /** A TIMESTAMP without NULL or NOT NULL has different meanings on different servers. */
  private static String ofTimestamp(ColumnText column, long seconds) throws NotFollowed {
    boolean none =
        column.byDefault() instanceof ColumnText.Default.None
            || column.byDefault() instanceof ColumnText.Default.Constant constant
                && constant.text() == null;
    if (column.isNull() && none) {
      return null;
    }
    if ((column.isNull() || column.notNull())
        && column.byDefault() instanceof ColumnText.Default.Now
        && column.declared().fraction() == 0) {
      return SECOND.format(Instant.ofEpochSecond(seconds)) + "+00";
    }
    throw unknown(column);
  }

  private static String constant(ColumnText column, ColumnText.Default.Constant constant)
      throws NotFollowed {
    String text = constant.text();
    switch (column.dataType()) {
      case "tinyint", "smallint", "mediumint", "int", "bigint" -> {
        return new BigInteger(matching("-?\\d+", text, column)).toString();
      }
      case "year" -> {
        return matching("(19|20)\\d{2}", text, column);
      }
      case "decimal" -> {
        BigDecimal number = new BigDecimal(matching("-?\\d+(\\.\\d+)?", text, column));
        int scale = column.declared().scale();
        if (number.stripTrailingZeros().scale() > scale) {
          throw unknown(column);
        }
        return number.setScale(scale).toPlainString();
      }
      case "float", "double" -> {
        // With more digits source and target may round to different numbers.
        return matching("-?\\d{1,5}(\\.\\d{1,4})?", text, column);
      }
      case "date" -> {
        return date(text, column);
      }
      case "datetime" -> {
        if (text.length() < 12 || text.charAt(10) != ' ') {
          throw unknown(column);
        }
        return date(text.substring(0, 10), column) + " " + time(text.substring(11), column);
      }
      case "time" -> {
        return time(text, column);
      }
      case "varchar", "tinytext", "text", "mediumtext", "longtext" -> {
        return quoted(column, constant, true);
      }
      case "char" -> {
        return quoted(column, constant, !text.endsWith(" "));
      }
      case "enum" -> {
        return quoted(column, constant, column.labels().contains(text));
      }
      case "set" -> {
        return quoted(column, constant, text.isEmpty() || column.labels().contains(text));
      }
      default -> throw unknown(column);
    }
  }

  private static String quoted(
      ColumnText column, ColumnText.Default.Constant constant, boolean certain) throws NotFollowed {
    if (!constant.quoted() || !certain || constant.text().indexOf('\0') >= 0) {
      throw unknown(column);
    }
    return constant.text();
  }

  /** The value of a column that is NOT NULL and has no default. */
  private static String implicit(ColumnText column) throws NotFollowed {
    return switch (column.dataType()) {
      case "tinyint", "smallint", "mediumint", "int", "bigint", "float", "double" -> "0";
      case "decimal" -> BigDecimal.ZERO.setScale(column.declared().scale()).toPlainString();
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "set" -> "";
      case "enum" -> column.labels().get(0);
      default -> throw unknown(column);
    };
  }

  private static String date(String text, ColumnText column) throws NotFollowed {
    try {
      return LocalDate.parse(matching("\\d{4}-\\d{2}-\\d{2}", text, column)).toString();
    } catch (DateTimeParseException e) {
      throw unknown(column);
    }
  }

  private static String time(String text, ColumnText column) throws NotFollowed {
    var parts = TIME.matcher(text);
    if (!parts.matches()
        || parts.group(2) != null && parts.group(2).length() > column.declared().fraction()) {
      throw unknown(column);
    }
    try {
      LocalTime.parse(text);
      return text;
    } catch (DateTimeParseException e) {
      throw unknown(column);
    }
  }

  private static String matching(String form, String text, ColumnText column) throws NotFollowed {
    return Optional.of(text)
        .filter(found -> found.matches(form))
        .orElseThrow(() -> unknown(column));
  }

  private static NotFollowed unknown(ColumnText column) {
    return new NotFollowed(
        "it is not certain which value older rows have in column " + column.name());
  }
}
