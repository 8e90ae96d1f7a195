package dev.sluice.connector.envelope;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * Converts values with Debezium's schemas to PostgreSQL's text form. A form that is ambiguous or
 * has lost information is rejected. Stateless.
 */
public final class DebeziumText {
  private static final long SECONDS_PER_DAY = 86_400;

  /** Debezium's value for infinity, in microseconds. */
  private static final long INFINITY = 9_223_372_036_825_200_000L;

  private static final long MINUS_INFINITY = -9_223_372_036_832_400_000L;

  private DebeziumText() {}

  /**
   * The text of a value that is not null.
   *
   * @param column for messages
   * @throws SluiceException.Fatal if the form is rejected
   */
  public static String of(Schema schema, Object value, String column) {
    String name = schema.name();
    if (name != null) {
      return named(name, schema, value, column);
    }
    switch (schema.type()) {
      case ARRAY:
        return array(schema, (List<?>) value, column);
      case MAP:
        return hstore((Map<?, ?>) value);
      case BYTES:
        return "\\x" + HexFormat.of().formatHex(bytes(value));
      case BOOLEAN:
        // A bit(1) has the same schema, and both types accept a digit.
        return (Boolean) value ? "1" : "0";
      case STRUCT:
        throw refused(column, "a struct without a name", "");
      default:
        return value.toString();
    }
  }

  /** The text of a value, or of an array, whose elements are converted by {@code form}. */
  public static String of(Object value, Function<Object, String> form) {
    return value instanceof List<?> elements
        ? array(elements, inner -> of(inner, form), form)
        : form.apply(value);
  }

  private static String named(String name, Schema schema, Object value, String column) {
    switch (name) {
      case "io.debezium.data.Json":
      case "io.debezium.data.Xml":
      case "io.debezium.data.Uuid":
      case "io.debezium.data.Enum":
      case "io.debezium.data.EnumSet":
      case "io.debezium.data.Ltree":
      case "io.debezium.data.Tsvector":
      case "io.debezium.data.TsVector":
      case "io.debezium.time.ZonedTime":
      case "io.debezium.time.Interval":
      case "io.debezium.time.Year":
        return value.toString();
      case "io.debezium.time.ZonedTimestamp":
        return zoned(value.toString());
      case "io.debezium.time.IsoDate":
        // PostgreSQL's date has no time zone.
        return value.toString().replaceFirst("Z$", "");
      case "io.debezium.time.IsoTime":
      case "io.debezium.time.IsoTimestamp":
        return value.toString().replaceFirst("Z$", "");
      case "io.debezium.data.Bits":
        throw refused(
            column,
            "a bit string, of which Debezium does not tell how long it is",
            "Exclude the column by column.exclude.list on the source connector");
      case Decimal.LOGICAL_NAME:
        return decimal(schema, value).toPlainString();
      case "io.debezium.data.VariableScaleDecimal":
        return variableScale((Struct) value).toPlainString();
      case "io.debezium.time.Date":
        return date(LocalDate.ofEpochDay(((Number) value).longValue()));
      case "org.apache.kafka.connect.data.Date":
        return date(LocalDate.ofEpochDay(((Date) value).getTime() / 1000 / SECONDS_PER_DAY));
      case "io.debezium.time.Time":
        return time(((Number) value).longValue() * 1_000);
      case "io.debezium.time.MicroTime":
        return time(((Number) value).longValue());
      case "io.debezium.time.Timestamp":
        return timestamp(Math.multiplyExact(((Number) value).longValue(), 1_000L));
      case "io.debezium.time.MicroTimestamp":
        return timestamp(((Number) value).longValue());
      case "io.debezium.time.MicroDuration":
        throw refused(
            column,
            "an interval as microseconds, which has no months and days any more",
            "Set interval.handling.mode=string on the source connector");
      case "org.apache.kafka.connect.data.Time":
      case "org.apache.kafka.connect.data.Timestamp":
        throw refused(
            column,
            "a time in milliseconds, which has no microseconds any more",
            "Set time.precision.mode=isostring or microseconds on the source connector");
      case "io.debezium.time.NanoTime":
      case "io.debezium.time.NanoTimestamp":
        throw refused(
            column,
            "a time in nanoseconds, which has no years before 1678 and after 2262",
            "Set time.precision.mode=isostring or microseconds on the source connector");
      case "io.debezium.data.geometry.Point":
        Struct point = (Struct) value;
        return "(%s,%s)".formatted(point.getWithoutDefault("x"), point.getWithoutDefault("y"));
      default:
        throw refused(
            column,
            "a value of the form " + name,
            "Exclude the column by column.exclude.list on the source connector, or have it cast to"
                + " text there");
    }
  }

  private static String array(Schema schema, List<?> elements, String column) {
    return array(
        elements,
        inner -> array(schema.valueSchema(), inner, column),
        element -> of(schema.valueSchema(), element, column));
  }

  /**
   * An array in PostgreSQL's text form.
   *
   * @param array the text of an array inside it
   * @param value the text of an element, which is quoted here
   */
  public static String array(
      List<?> elements, Function<List<?>, String> array, Function<Object, String> value) {
    StringBuilder text = new StringBuilder("{");
    for (Object element : elements) {
      if (text.length() > 1) {
        text.append(',');
      }
      if (element == null) {
        text.append("NULL");
      } else if (element instanceof List<?> inner) {
        text.append(array.apply(inner));
      } else {
        quote(text, value.apply(element));
      }
    }
    return text.append('}').toString();
  }

  public static String hstore(Map<?, ?> pairs) {
    StringBuilder text = new StringBuilder();
    pairs.forEach(
        (key, value) -> {
          text.append(text.length() == 0 ? "" : ", ");
          quote(text, key.toString());
          text.append("=>");
          if (value == null) {
            text.append("NULL");
          } else {
            quote(text, value.toString());
          }
        });
    return text.toString();
  }

  public static void quote(StringBuilder text, String element) {
    text.append('"').append(element.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
  }

  private static BigDecimal decimal(Schema schema, Object value) {
    return value instanceof BigDecimal decimal ? decimal : Decimal.toLogical(schema, bytes(value));
  }

  private static BigDecimal variableScale(Struct value) {
    int scale = ((Number) value.getWithoutDefault("scale")).intValue();
    return new BigDecimal(new BigInteger(bytes(value.getWithoutDefault("value"))), scale);
  }

  private static byte[] bytes(Object value) {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    ByteBuffer buffer = ((ByteBuffer) value).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static String time(long micros) {
    if (micros < 0 || micros >= SECONDS_PER_DAY * 1_000_000) {
      return duration(micros);
    }
    return LocalTime.ofNanoOfDay(micros * 1_000).toString();
  }

  /**
   * MySQL's and MariaDB's TIME has more hours than a day, and signs: PostgreSQL's interval reads
   * this form. A time reads 24:00:00, the end of the day, and refuses what is above.
   */
  private static String duration(long micros) {
    long seconds = Math.abs(micros) / 1_000_000;
    long rest = Math.abs(micros) % 1_000_000;
    return "%s%02d:%02d:%02d%s"
        .formatted(
            micros < 0 ? "-" : "",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60,
            rest == 0 ? "" : ".%06d".formatted(rest));
  }

  private static String timestamp(long micros) {
    if (micros >= INFINITY) {
      return "infinity";
    }
    if (micros <= MINUS_INFINITY) {
      return "-infinity";
    }
    LocalDateTime time =
        LocalDateTime.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), ZoneOffset.UTC);
    String date = date(time.toLocalDate());
    boolean before = date.endsWith(" BC");
    String day = before ? date.substring(0, date.length() - 3) : date;
    return day + " " + time.toLocalTime() + (before ? " BC" : "");
  }

  /**
   * A time in ISO 8601, as Debezium prints it: there the year before year 1 is 0, and years of five
   * digits have a sign.
   */
  private static String zoned(String iso) {
    if (iso.startsWith("+")) {
      return iso.substring(1);
    }
    int end = iso.indexOf('-', 1);
    if (end < 0 || !iso.startsWith("-") && !iso.startsWith("0000-")) {
      return iso;
    }
    return "%04d%s BC".formatted(1 - Integer.parseInt(iso.substring(0, end)), iso.substring(end));
  }

  /** A date in PostgreSQL's text form. Years before year 1 count from 1 BC. */
  private static String date(LocalDate date) {
    int year = date.getYear();
    return "%04d-%02d-%02d%s"
        .formatted(
            year > 0 ? year : 1 - year,
            date.getMonthValue(),
            date.getDayOfMonth(),
            year > 0 ? "" : " BC");
  }

  public static SluiceException.Fatal refused(String column, String found, String fix) {
    return new SluiceException.Fatal(
        new Problem("column " + column, found, "a form that keeps every value as it is", fix));
  }
}
