package dev.sluice.connect.envelope;

import dev.sluice.connector.comparison.printed.FloatingText;
import dev.sluice.connector.envelope.DebeziumText;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Schema.Type;
import org.apache.kafka.connect.data.Struct;

/**
 * Converts values to the text that PostgreSQL prints. PostgreSQL reads many forms as one value; a
 * target with other types takes the printed one only, and keeps it where its column is a text.
 * Stateless.
 */
final class PrintedForms {
  /** What an element of an array must not have without quotes. */
  private static final Pattern QUOTED = Pattern.compile("(?is).*[{}\",\\\\\\s].*|null|");

  private static final String TEXT = "text";
  private static final String NUMERIC = "numeric";

  /** Has the type of the source's column where the source connector propagates it. */
  private static final String SOURCE_TYPE = "__debezium.source.column.type";

  /** A decimal of any source, or an array of PostgreSQL's. */
  private static final Pattern DECIMAL =
      Pattern.compile("(?i)_?(numeric|decimal)( unsigned)?( zerofill)?");

  private PrintedForms() {}

  /**
   * How to print the values of a column.
   *
   * @param type of the target's column, by the names that {@code ColumnTypes} gives; null if the
   *     target does not have it, which is reported when the change is applied
   * @param column for messages
   */
  static Function<Object, String> of(Schema schema, String type, String column) {
    String into = type == null ? "" : type;
    // A double may be all that another column, such as one of doubles, can have.
    boolean fits = schema.type() == Type.FLOAT64 && !into.equals(TEXT);
    String form = isDecimal(schema) && !fits ? NUMERIC : into;
    return value -> print(schema, value, form, column);
  }

  /**
   * By {@code decimal.handling.mode} the values may be texts or doubles, which alone do not say.
   */
  private static boolean isDecimal(Schema schema) {
    return schema.parameters() != null
        && DECIMAL.matcher(schema.parameters().getOrDefault(SOURCE_TYPE, "")).matches();
  }

  private static String print(Schema schema, Object value, String type, String column) {
    if (schema.name() != null) {
      return named(schema, value, column);
    }
    switch (schema.type()) {
      case ARRAY:
        return array(
            schema.valueSchema(), (List<?>) value, type.equals(NUMERIC) ? NUMERIC : TEXT, column);
      case BOOLEAN:
        return truth((Boolean) value, type, column);
      case FLOAT64:
        double number = ((Number) value).doubleValue();
        if (type.equals(NUMERIC)) {
          throw DebeziumText.refused(
              column,
              "a double for a number that the source has as numeric, with more digits",
              "Set decimal.handling.mode=precise or string on the source connector. Records that are"
                  + " in the topic already stay doubles: load the tables again through other topics,"
                  + " with another task.name");
        }
        return Double.isFinite(number) ? FloatingText.of(number) : value.toString();
      case FLOAT32:
        float single = ((Number) value).floatValue();
        return Float.isFinite(single) ? FloatingText.of(single) : value.toString();
      case STRING:
        return type.equals(NUMERIC) ? plain(value.toString()) : value.toString();
      default:
        return DebeziumText.of(schema, value, column);
    }
  }

  private static String named(Schema schema, Object value, String column) {
    switch (schema.name()) {
      case "io.debezium.time.Time":
      case "io.debezium.time.MicroTime":
      case "io.debezium.time.Timestamp":
      case "io.debezium.time.MicroTimestamp":
      case "io.debezium.time.ZonedTime":
      case "io.debezium.time.ZonedTimestamp":
      case "io.debezium.time.IsoTime":
      case "io.debezium.time.IsoTimestamp":
        return PrintedTime.of(DebeziumText.of(schema, value, column));
      case "io.debezium.time.Interval":
        Optional<String> printed = PrintedInterval.of(value.toString());
        return printed.orElseThrow(
            () ->
                DebeziumText.refused(
                    column,
                    "an interval in a form that is not known",
                    "Set interval.handling.mode=string on the source connector"));
      case "io.debezium.data.geometry.Point":
        Struct point = (Struct) value;
        return "(%s,%s)".formatted(coordinate(point, "x"), coordinate(point, "y"));
      default:
        return DebeziumText.of(schema, value, column);
    }
  }

  private static String coordinate(Struct point, String name) {
    double number = ((Number) point.getWithoutDefault(name)).doubleValue();
    return Double.isFinite(number) ? FloatingText.of(number) : Double.toString(number);
  }

  /** A boolean and a bit(1) have one schema. A column of numbers takes a digit for both. */
  private static String truth(boolean value, String type, String column) {
    if (type.equals("bool")) {
      return value ? "t" : "f";
    }
    if (type.equals(TEXT)) {
      throw DebeziumText.refused(
          column,
          "true or false for a column of texts, where a boolean is t or f, and a bit 1 or 0",
          "Make the target's column one of whole numbers or bits, or a boolean");
    }
    return value ? "1" : "0";
  }

  /** Debezium's text of a number may have an exponent. */
  private static String plain(String text) {
    try {
      return new BigDecimal(text).toPlainString();
    } catch (NumberFormatException e) {
      // NaN, or no number: the column refuses it.
      return text;
    }
  }

  private static String array(Schema element, List<?> values, String type, String column) {
    StringBuilder text = new StringBuilder("{");
    for (Object value : values) {
      if (text.length() > 1) {
        text.append(',');
      }
      if (value == null) {
        text.append("NULL");
        continue;
      }
      String printed = print(element, value, type, column);
      if (element.type() != Type.ARRAY && QUOTED.matcher(printed).matches()) {
        DebeziumText.quote(text, printed);
      } else {
        text.append(printed);
      }
    }
    return text.append('}').toString();
  }
}
