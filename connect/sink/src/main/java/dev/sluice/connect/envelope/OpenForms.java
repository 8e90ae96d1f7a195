package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connector.envelope.DebeziumText;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Schema.Type;

/**
 * Resolves values whose schema is ambiguous by the type of the target's column. Settings of the
 * source connector turn bytes into strings, decimals into doubles and hstore into JSON, and the
 * schema does not show that. Immutable.
 */
final class OpenForms {
  private final BiFunction<TableId, String, String> types;
  private final String binaries;
  private final boolean prints;

  /**
   * @param types of the columns of a source table, by the names that {@code ColumnTypes} gives;
   *     null where the target has none
   * @param binaries {@code binary.handling.mode} of the source connector; empty if not given
   * @param prints whether the target takes values only as PostgreSQL prints them
   */
  OpenForms(BiFunction<TableId, String, String> types, String binaries, boolean prints) {
    this.types = types;
    this.binaries = binaries;
    this.prints = prints;
  }

  /** How to read a column by the target's type; null if its schema is enough. */
  Function<Object, String> of(TableId table, String name, Schema given) {
    Schema schema = innermost(given);
    String type = prints || mayBeOther(schema) ? types.apply(table, name) : null;
    String column = table + "." + name;
    Function<Object, String> form =
        type == null || !mayBeOther(schema) ? null : of(type.replace("[]", ""), schema, column);
    if (form != null) {
      return value -> DebeziumText.of(value, form);
    }
    return prints ? PrintedForms.of(given, type, column) : null;
  }

  private Function<Object, String> of(String type, Schema schema, String column) {
    if (type.equals("bytea") && schema.type() == Type.STRING) {
      return value -> bytes(value, column);
    }
    if ((type.equals("numeric") || type.equals("money")) && isFloat(schema)) {
      return value -> {
        throw DebeziumText.refused(
            column,
            "a double for the type %s, which has fewer digits".formatted(type),
            "Set decimal.handling.mode=precise or string on the source connector; where the"
                + " source has a double as well, give the target's column its type");
      };
    }
    if (type.equals("hstore") && schema.type() == Type.STRING) {
      return value -> {
        throw DebeziumText.refused(
            column,
            "JSON for the type hstore",
            "Set hstore.handling.mode=map on the source connector");
      };
    }
    return null;
  }

  private String bytes(Object value, String column) {
    try {
      if (value instanceof String text) {
        switch (binaries) {
          case "hex":
            return literal(HexFormat.of().parseHex(text));
          case "base64":
            return literal(Base64.getDecoder().decode(text));
          case "base64-url-safe":
            return literal(Base64.getUrlDecoder().decode(text));
          default:
            break;
        }
      }
    } catch (IllegalArgumentException e) {
      // Rejected below: not in the configured mode.
    }
    throw DebeziumText.refused(
        column,
        "a text for the type bytea",
        "Set binary.handling.mode=bytes on the source connector, or here what it is there");
  }

  private static String literal(byte[] bytes) {
    return "\\x" + HexFormat.of().formatHex(bytes);
  }

  private static boolean mayBeOther(Schema schema) {
    return schema.name() == null
        ? schema.type() == Type.STRING || isFloat(schema)
        : schema.name().equals("io.debezium.data.Json");
  }

  private static boolean isFloat(Schema schema) {
    return schema.type() == Type.FLOAT64 || schema.type() == Type.FLOAT32;
  }

  private static Schema innermost(Schema schema) {
    Schema inner = schema;
    while (inner.type() == Type.ARRAY) {
      inner = inner.valueSchema();
    }
    return inner;
  }
}
