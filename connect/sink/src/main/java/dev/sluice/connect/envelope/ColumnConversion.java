package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connector.envelope.DebeziumText;
import java.util.function.Function;
import org.apache.kafka.connect.data.Schema;

/**
 * Converts the values of one column to PostgreSQL's text form. Owned by the thread of its row
 * reader.
 */
final class ColumnConversion {
  private final TableId table;
  private final String name;
  private final Schema schema;

  /** For messages. */
  private final String label;

  /** Null if a value's schema says what it is. */
  private final Function<Object, String> form;

  /** Null for values with a schema. */
  private final PlainValues plain;

  /** The target's type, once it is known. */
  private String type;

  private ColumnConversion(
      TableId table, String name, Schema schema, Function<Object, String> form, PlainValues plain) {
    this.table = table;
    this.name = name;
    this.schema = schema;
    this.label = table + "." + name;
    this.form = form;
    this.plain = plain;
  }

  /** A column whose values have a schema. */
  static ColumnConversion withSchema(TableId table, String name, Schema schema, OpenForms open) {
    return new ColumnConversion(table, name, schema, open.of(table, name, schema), null);
  }

  /** A column of JSON without schemas. */
  static ColumnConversion plain(TableId table, String name, PlainValues plain) {
    return new ColumnConversion(table, name, null, null, plain);
  }

  String name() {
    return name;
  }

  /** The schema of the row's values; null if there is none. */
  Schema schema() {
    return schema;
  }

  /**
   * The text of a value that is not null.
   *
   * @param given the value's schema, which may be another in a key or an old row
   */
  String text(Schema given, Object value) {
    if (plain != null) {
      if (type == null) {
        type = plain.typeOf(table, name);
      }
      return plain.of(type, value, label);
    }
    return form == null ? DebeziumText.of(given, value, label) : form.apply(value);
  }
}
