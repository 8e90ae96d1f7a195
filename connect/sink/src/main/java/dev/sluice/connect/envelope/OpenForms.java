package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Schema.Type;
import org.apache.kafka.connect.data.Struct;

/**
 * Resolves values whose schema is ambiguous by the type of the target's column. Settings of the
 * source connector turn bytes into strings, decimals into doubles and hstore into JSON, and the
 * schema does not show that. Immutable.
 */
final class OpenForms {
  private final BiFunction<TableId, String, String> types;
  private final String binaries;

  /**
   * @param types of the columns of a source table, by the names that {@code ColumnTypes} gives;
   *     null where the target has none
   * @param binaries {@code binary.handling.mode} of the source connector; empty if not given
   */
  OpenForms(BiFunction<TableId, String, String> types, String binaries) {
    this.types = types;
    this.binaries = binaries;
  }

  /** How to read the columns with an ambiguous schema; empty if there are none. */
  Map<String, Function<Object, String>> of(TableId table, Struct row) {
    Map<String, Function<Object, String>> forms = new HashMap<>();
    row.schema()
        .fields()
        .forEach(
            field -> {
              Schema schema = innermost(field.schema());
              String type = mayBeOther(schema) ? types.apply(table, field.name()) : null;
              if (type != null) {
                put(forms, table, field.name(), schema, type.replace("[]", ""));
              }
            });
    return forms;
  }

  private void put(
      Map<String, Function<Object, String>> forms,
      TableId table,
      String name,
      Schema schema,
      String type) {
    String column = table + "." + name;
    if (type.equals("bytea") && schema.type() == Type.STRING) {
      forms.put(name, value -> bytes(value, column));
    } else if ((type.equals("numeric") || type.equals("money")) && isFloat(schema)) {
      forms.put(
          name,
          value -> {
            throw ValueText.refused(
                column,
                "a double for the type %s, which has fewer digits".formatted(type),
                "Set decimal.handling.mode=precise or string on the source connector; where the"
                    + " source has a double as well, give the target's column its type");
          });
    } else if (type.equals("hstore") && schema.type() == Type.STRING) {
      forms.put(
          name,
          value -> {
            throw ValueText.refused(
                column,
                "JSON for the type hstore",
                "Set hstore.handling.mode=map on the source connector");
          });
    }
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
    throw ValueText.refused(
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
