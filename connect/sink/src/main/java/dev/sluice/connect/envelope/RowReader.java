package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.fields.FieldValues;
import dev.sluice.connect.fields.ReadFields;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.envelope.UnchangedValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.sink.SinkRecord;

/** Reads rows from an event's fields before and after. Owned by one thread. */
final class RowReader {
  /** Header of the delete that starts a key change, and of the create that ends it. */
  private static final String NEW_KEY_HEADER = "__debezium.newkey";

  private static final String OLD_KEY_HEADER = "__debezium.oldkey";

  private static final int SCHEMAS_KEPT = 10_000;

  private final UnchangedValue unchanged;
  private final PlainValues plain;
  private final OpenForms open;
  private final RecordFields fields;
  private final RowBuilder builder = new RowBuilder(1024);

  /** The shapes of rows, by the schema objects that describe them. */
  private final Map<Description, Shape> known = new HashMap<>();

  RowReader(String placeholder, PlainValues plain, RecordFields fields) {
    this.unchanged = new UnchangedValue(placeholder);
    this.plain = plain;
    this.open = plain.withSchemas();
    this.fields = fields;
  }

  RowEvent event(
      SinkRecord record, FieldValues value, TableId table, Membership membership, long lsn) {
    Optional<FieldValues> before = value.within("before");
    Optional<FieldValues> after = value.within("after");
    Optional<FieldValues> key = fields.key(record);
    String op = value.text("op");
    FieldValues shape =
        after
            .or(() -> before)
            .orElseThrow(
                () ->
                    EnvelopeReader.unknown(record, "an event of " + table + " without a row", ""));
    Shape read = shape(record, table, shape, key);
    KeyChange half =
        has(record, NEW_KEY_HEADER) && op.equals("d")
            ? KeyChange.OLD_KEY
            : has(record, OLD_KEY_HEADER) && op.equals("c") ? KeyChange.NEW_KEY : KeyChange.NONE;
    Row match = op.equals("c") ? null : match(record, read, key, before);
    Row row = null;
    if (!op.equals("d")) {
      FieldValues left =
          after.orElseThrow(
              () -> EnvelopeReader.unknown(record, "an event of " + table + " without after", ""));
      boolean mayLack = op.equals("u") || half == KeyChange.NEW_KEY;
      row = row(record, read, left, before, mayLack);
    }
    return new RowEvent(membership, lsn, read.schema(), match, row, half);
  }

  SnapshotRow snapshot(SinkRecord record, FieldValues value, TableId table, String marker) {
    FieldValues after =
        value
            .within("after")
            .orElseThrow(
                () ->
                    EnvelopeReader.unknown(
                        record, "a snapshot of " + table + " without a row", ""));
    Shape shape = shape(record, table, after, fields.key(record));
    return new SnapshotRow(
        shape.schema(),
        row(record, shape, after, Optional.empty(), false),
        marker.startsWith("first"),
        marker.equals("last"),
        value.number("ts_ms", 0) * 1_000);
  }

  private Row match(
      SinkRecord record, Shape shape, Optional<FieldValues> key, Optional<FieldValues> before) {
    RowSchema schema = shape.schema();
    if (!schema.hasKey()) {
      FieldValues old =
          before.orElseThrow(
              () ->
                  EnvelopeReader.unknown(
                      record,
                      "a change of " + schema.table() + " with neither key nor old row",
                      "Run on the source: ALTER TABLE %s REPLICA IDENTITY FULL"
                          .formatted(schema.table().quoted())));
      return row(record, shape, old, Optional.empty(), false);
    }
    FieldValues values = key.orElseThrow();
    builder.discard();
    for (int index : shape.key()) {
      ColumnConversion column = shape.columns().get(index);
      add(column, values.schema(column.name()), values.value(column.name()));
    }
    return builder.build();
  }

  /**
   * @param mayLack true if values may be unchanged and not in the log; otherwise that is rejected
   */
  private Row row(
      SinkRecord record,
      Shape shape,
      FieldValues values,
      Optional<FieldValues> before,
      boolean mayLack) {
    // By index where the fields are the shape's own, which those read from bytes mostly are.
    ReadFields own = values instanceof ReadFields read && read.shape() == shape.own() ? read : null;
    List<ColumnConversion> columns = shape.columns();
    // What a row that was refused half way has left.
    builder.discard();
    for (int i = 0; i < columns.size(); i++) {
      ColumnConversion column = columns.get(i);
      Object value = own != null ? own.value(i) : values.value(column.name());
      if (value == null) {
        builder.addNull();
        continue;
      }
      Schema schema = own != null ? column.schema() : values.schema(column.name());
      if (!unchanged.is(schema, value)) {
        builder.add(column.text(schema, value));
      } else if (mayLack) {
        addUnchanged(column, before);
      } else {
        throw EnvelopeReader.unknown(
            record,
            "column %s of a new row of %s has the placeholder of a value that is not in the log"
                .formatted(column.name(), shape.schema().table()),
            "Keep Debezium's headers, by which the halves of a key's change are known; where the"
                + " text is a value of the row itself, set another unavailable.value.placeholder"
                + " on both connectors");
      }
    }
    return builder.build();
  }

  /** Adds the old row's value if it is there, as only with REPLICA IDENTITY FULL. */
  private void addUnchanged(ColumnConversion column, Optional<FieldValues> before) {
    Object old = before.map(values -> values.value(column.name())).orElse(null);
    Schema schema = before.map(values -> values.schema(column.name())).orElse(null);
    if (old == null || unchanged.is(schema, old)) {
      builder.addUnchanged();
    } else {
      add(column, schema, old);
    }
  }

  private void add(ColumnConversion column, Schema schema, Object value) {
    if (value == null) {
      builder.addNull();
    } else {
      builder.add(column.text(schema, value));
    }
  }

  private Shape shape(
      SinkRecord record, TableId table, FieldValues values, Optional<FieldValues> key) {
    List<String> keyNames = key.map(FieldValues::names).orElse(List.of());
    Description description = new Description(table, values.shape(), keyNames);
    Shape shape = known.get(description);
    if (shape == null) {
      if (!values.names().containsAll(keyNames)) {
        throw EnvelopeReader.unknown(
            record,
            "the key %s of %s has columns that its row %s has not"
                .formatted(keyNames, table, values.names()),
            "Leave the key as Debezium makes it");
      }
      RowSchema schema = schema(table, values, keyNames);
      shape = new Shape(schema, schema.key(), values.shape(), columns(table, values));
      if (known.size() >= SCHEMAS_KEPT) {
        known.clear();
      }
      known.put(description, shape);
    }
    return shape;
  }

  private List<ColumnConversion> columns(TableId table, FieldValues values) {
    List<ColumnConversion> columns = new ArrayList<>();
    for (String name : values.names()) {
      Schema schema = values.schema(name);
      columns.add(
          schema == null
              ? ColumnConversion.plain(table, name, plain)
              : ColumnConversion.withSchema(table, name, schema, open));
    }
    return columns;
  }

  private static RowSchema schema(TableId table, FieldValues shape, List<String> key) {
    List<Column> columns = new ArrayList<>();
    for (String name : shape.names()) {
      Schema schema = shape.schema(name);
      columns.add(
          new Column(
              name,
              schema == null
                  ? "json"
                  : schema.name() == null ? schema.type().getName() : schema.name(),
              schema == null || schema.isOptional(),
              key.contains(name)));
    }
    return new RowSchema(table, columns);
  }

  private static boolean has(SinkRecord record, String header) {
    return record.headers() != null && record.headers().lastWithName(header) != null;
  }

  /**
   * The columns of a table's rows.
   *
   * @param key the indexes of the key's columns
   * @param own the shape of the fields that it was made of
   */
  private record Shape(RowSchema schema, int[] key, Object own, List<ColumnConversion> columns) {}

  private record Description(TableId table, Object shape, List<String> key) {}
}
