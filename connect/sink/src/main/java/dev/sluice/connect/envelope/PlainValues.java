package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.envelope.DebeziumText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/**
 * Converts values of JSON without schemas to PostgreSQL's text form, by the type of the target's
 * column: JSON has only strings, numbers and booleans. A form that is ambiguous or has lost
 * information is rejected. Immutable.
 */
public final class PlainValues {
  private static final Set<String> TEXTS =
      Set.of(
          "text",
          "varchar",
          "bpchar",
          "name",
          "citext",
          "enum",
          "json",
          "jsonb",
          "xml",
          "uuid",
          "inet",
          "cidr",
          "macaddr",
          "macaddr8",
          "int4range",
          "int8range",
          "numrange",
          "tsrange",
          "tstzrange",
          "daterange",
          "tsvector",
          "ltree");

  private static final String DAY = "\\d{4,6}-\\d\\d-\\d\\d";
  private static final String HOUR = "\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?";
  private static final String ZONE = "(Z|[+-]\\d\\d(:\\d\\d){0,2})";

  private static final Map<String, Pattern> FORMS =
      Map.of(
          "date", Pattern.compile(DAY + "Z?"),
          "time", Pattern.compile(HOUR + "Z?"),
          "timestamp", Pattern.compile(DAY + "T" + HOUR + "Z?"),
          "timestamptz", Pattern.compile(DAY + "T" + HOUR + ZONE),
          "timetz", Pattern.compile(HOUR + ZONE),
          "interval", Pattern.compile("-?P.+"));

  private static final Pattern NUMBER =
      Pattern.compile("-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?|NaN|-?Infinity");
  private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");
  private static final Pattern HEX = Pattern.compile("([0-9a-fA-F]{2})*");

  private final BiFunction<TableId, String, String> types;
  private final String decimals;
  private final String binaries;

  /** Of a target whose columns do not say which type the source has. */
  private final Optional<String> otherTypes;

  /**
   * @param types of the columns of a source table, by the names that {@code ColumnTypes} gives;
   *     null where the target has none
   * @param decimals {@code decimal.handling.mode} of the source connector; empty if not given
   * @param binaries {@code binary.handling.mode} of it; empty if not given
   * @param otherTypes the type of the target, if it has other types of columns than PostgreSQL;
   *     empty if it has these
   */
  public PlainValues(
      BiFunction<TableId, String, String> types,
      String decimals,
      String binaries,
      Optional<String> otherTypes) {
    this.types = types;
    this.decimals = decimals;
    this.binaries = binaries;
    this.otherTypes = otherTypes;
  }

  /** For a target with PostgreSQL's types. */
  public PlainValues(BiFunction<TableId, String, String> types, String decimals, String binaries) {
    this(types, decimals, binaries, Optional.empty());
  }

  /** The reader of values with an ambiguous schema. */
  OpenForms withSchemas() {
    return new OpenForms(types, binaries, otherTypes.isPresent());
  }

  /** The type of a column; null if the target does not have it. */
  String typeOf(TableId table, String column) {
    return types.apply(table, column);
  }

  /**
   * The text of a value that is not null.
   *
   * @param type null if the target does not have the column or the table; that is reported when the
   *     change is applied
   * @param column for messages
   * @throws SluiceException.Fatal if the form is rejected
   */
  String of(String type, Object value, String column) {
    if (otherTypes.isPresent()) {
      throw notOf(otherTypes.get(), column);
    }
    return type == null ? value.toString() : ofType(type, value, column);
  }

  private static SluiceException.Fatal notOf(String target, String column) {
    return new SluiceException.Fatal(
        new Problem(
            "column " + column,
            "JSON without schemas, and a target of type %s, whose columns do not say which type the source has"
                .formatted(target),
            "records that say of which type a value is",
            "Set key.converter.schemas.enable=true and value.converter.schemas.enable=true on the"
                + " source connector, or use this plugin's BinaryConverter there"));
  }

  private String ofType(String type, Object value, String column) {
    if (type.endsWith("[]")) {
      return array(type.substring(0, type.length() - 2), value, column);
    }
    String text = value instanceof String string ? string : null;
    if (TEXTS.contains(type)) {
      return text != null ? text : refuse(type, value, column, "");
    }
    if (FORMS.containsKey(type)) {
      boolean isForm = text != null && FORMS.get(type).matcher(text).matches();
      String fix =
          type.equals("interval")
              ? "interval.handling.mode=string"
              : "time.precision.mode=isostring";
      return isForm ? withoutZone(type, text) : refuse(type, value, column, fix);
    }
    switch (type) {
      case "bool":
        return value instanceof Boolean ? value.toString() : refuse(type, value, column, "");
      case "bit":
        return value instanceof Boolean truth
            ? (truth ? "1" : "0")
            : refuse(type, value, column, "");
      case "int2":
      case "int4":
      case "int8":
      case "oid":
        return value instanceof Long || value instanceof Integer
            ? value.toString()
            : refuse(type, value, column, "");
      case "float4":
      case "float8":
        return value instanceof Number || NOT_FINITE.contains(text)
            ? value.toString()
            : refuse(type, value, column, "");
      case "numeric":
      case "money":
        return decimal(type, value, column);
      case "bytea":
        return bytes(text, value, column);
      case "hstore":
        return value instanceof Map<?, ?> pairs
            ? DebeziumText.hstore(pairs)
            : refuse(type, value, column, "hstore.handling.mode=map");
      case "point":
        return value instanceof Map<?, ?> point && point.get("x") != null && point.get("y") != null
            ? "(%s,%s)".formatted(point.get("x"), point.get("y"))
            : refuse(type, value, column, "");
      default:
        return refuse(type, value, column, "");
    }
  }

  /** Removes the time zone that Debezium adds to types without one. */
  private static String withoutZone(String type, String text) {
    boolean hasNone = type.equals("date") || type.equals("time") || type.equals("timestamp");
    return hasNone && text.endsWith("Z") ? text.substring(0, text.length() - 1) : text;
  }

  private String decimal(String type, Object value, String column) {
    if (value instanceof Map<?, ?> map
        && map.get("scale") instanceof Number scale
        && map.get("value") instanceof String unscaled) {
      return new BigDecimal(new BigInteger(Base64.getDecoder().decode(unscaled)), scale.intValue())
          .toPlainString();
    }
    boolean isText =
        decimals.equals("string") && value instanceof String text && NUMBER.matcher(text).matches();
    return isText ? value.toString() : refuse(type, value, column, "decimal.handling.mode=string");
  }

  private String bytes(String text, Object value, String column) {
    try {
      if (text != null && binaries.equals("hex") && HEX.matcher(text).matches()) {
        return "\\x" + text;
      }
      if (text != null && (binaries.equals("bytes") || binaries.equals("base64"))) {
        return "\\x" + HexFormat.of().formatHex(Base64.getDecoder().decode(text));
      }
    } catch (IllegalArgumentException e) {
      // Rejected below: not Base64.
    }
    return refuse("bytea", value, column, "binary.handling.mode=bytes");
  }

  private String array(String type, Object value, String column) {
    if (!(value instanceof List<?> elements)) {
      return refuse(type + "[]", value, column, "");
    }
    return DebeziumText.array(
        elements, inner -> array(type, inner, column), element -> ofType(type, element, column));
  }

  private static String refuse(String type, Object value, String column, String setting) {
    boolean isToldTwice = setting.startsWith("decimal") || setting.startsWith("binary");
    throw new SluiceException.Fatal(
        new Problem(
            "column " + column,
            "%s for the type %s, in JSON without schemas, where this may be more than one value of it"
                .formatted(kindOf(value), type),
            "a form that keeps every value as it is",
            (setting.isEmpty()
                    ? ""
                    : "Set %s on the source connector%s, or "
                        .formatted(setting, isToldTwice ? " and on this one" : ""))
                + (setting.isEmpty() ? "Set" : "set")
                + " key.converter.schemas.enable=true and value.converter.schemas.enable=true on"
                + " both"));
  }

  private static String kindOf(Object value) {
    if (value instanceof String) {
      return "a text";
    }
    if (value instanceof Number) {
      return "a number";
    }
    return value instanceof Boolean ? "true or false" : "an object or array";
  }
}
