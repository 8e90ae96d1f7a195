package dev.sluice.sink.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.sink.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.sink.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.sink.connect.envelope.DebeziumRecord.SnapshotRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.sink.SinkRecord;

/** Makes rows of the fields before and after an event. Owned by one thread. */
final class RowReader {
  /** On the delete that a change of the key begins with, and on the create that ends it. */
  private static final String NEW_KEY_HEADER = "__debezium.newkey";

  private static final String OLD_KEY_HEADER = "__debezium.oldkey";

  private static final int SCHEMAS_KEPT = 10_000;

  private final UnchangedValue unchanged;
  private final PlainValues plain;
  private final RowBuilder builder = new RowBuilder(1024);

  /** What the rows look like that are described by the same objects. */
  private final Map<Description, RowSchema> known = new HashMap<>();

  RowReader(String placeholder, PlainValues plain) {
    this.unchanged = new UnchangedValue(placeholder);
    this.plain = plain;
  }

  RowEvent event(
      SinkRecord record, FieldValues value, TableId table, Membership membership, long lsn) {
    Optional<FieldValues> before = value.within("before");
    Optional<FieldValues> after = value.within("after");
    Optional<FieldValues> key = FieldValues.of(record.key());
    String op = value.text("op");
    FieldValues shape =
        after
            .or(() -> before)
            .orElseThrow(
                () ->
                    EnvelopeReader.unknown(record, "an event of " + table + " without a row", ""));
    RowSchema schema = schema(record, table, shape, key);
    KeyChange half =
        has(record, NEW_KEY_HEADER) && op.equals("d")
            ? KeyChange.OLD_KEY
            : has(record, OLD_KEY_HEADER) && op.equals("c") ? KeyChange.NEW_KEY : KeyChange.NONE;
    Row match = op.equals("c") ? null : match(record, schema, key, before);
    Row row = null;
    if (!op.equals("d")) {
      FieldValues left =
          after.orElseThrow(
              () -> EnvelopeReader.unknown(record, "an event of " + table + " without after", ""));
      boolean mayLack = op.equals("u") || half == KeyChange.NEW_KEY;
      row = row(record, schema, left, before, mayLack);
    }
    return new RowEvent(membership, lsn, schema, match, row, half);
  }

  SnapshotRow snapshot(SinkRecord record, FieldValues value, TableId table, String marker) {
    FieldValues after =
        value
            .within("after")
            .orElseThrow(
                () ->
                    EnvelopeReader.unknown(
                        record, "a snapshot of " + table + " without a row", ""));
    RowSchema schema = schema(record, table, after, FieldValues.of(record.key()));
    return new SnapshotRow(
        schema,
        row(record, schema, after, Optional.empty(), false),
        marker.startsWith("first"),
        marker.startsWith("last"),
        value.number("ts_ms", 0) * 1_000);
  }

  private Row match(
      SinkRecord record,
      RowSchema schema,
      Optional<FieldValues> key,
      Optional<FieldValues> before) {
    if (!schema.hasKey()) {
      FieldValues old =
          before.orElseThrow(
              () ->
                  EnvelopeReader.unknown(
                      record,
                      "a change of " + schema.table() + " with neither key nor old row",
                      "Run on the source: ALTER TABLE %s REPLICA IDENTITY FULL"
                          .formatted(schema.table().quoted())));
      return row(record, schema, old, Optional.empty(), false);
    }
    FieldValues fields = key.orElseThrow();
    for (int index : schema.key()) {
      String name = schema.columns().get(index).name();
      add(schema, fields, name);
    }
    return builder.build();
  }

  /**
   * @param mayLack whether values may be unchanged, and not in the log; else that is refused
   */
  private Row row(
      SinkRecord record,
      RowSchema schema,
      FieldValues fields,
      Optional<FieldValues> before,
      boolean mayLack) {
    for (Column column : schema.columns()) {
      String name = column.name();
      Object value = fields.value(name);
      if (value == null || !unchanged.is(fields.schema(name), value)) {
        add(schema, fields, name);
      } else if (!mayLack) {
        throw EnvelopeReader.unknown(
            record,
            "column %s of a new row of %s has the placeholder of a value that is not in the log"
                .formatted(name, schema.table()),
            "Keep Debezium's headers, by which the halves of a key's change are known; where the"
                + " text is a value of the row itself, set another unavailable.value.placeholder"
                + " on both connectors");
      } else if (before.isPresent()
          && before.get().value(name) != null
          && !unchanged.is(before.get().schema(name), before.get().value(name))) {
        // There under REPLICA IDENTITY FULL alone.
        add(schema, before.get(), name);
      } else {
        builder.addUnchanged();
      }
    }
    return builder.build();
  }

  private void add(RowSchema schema, FieldValues fields, String name) {
    Object value = fields.value(name);
    if (value == null) {
      builder.addNull();
    } else {
      builder.add(
          fields instanceof FieldValues.OfMap
              ? plain.of(schema.table(), name, value)
              : ValueText.of(fields.schema(name), value, schema.table() + "." + name));
    }
  }

  private RowSchema schema(
      SinkRecord record, TableId table, FieldValues shape, Optional<FieldValues> key) {
    List<String> keyNames = key.map(FieldValues::names).orElse(List.of());
    Object described =
        shape instanceof FieldValues.OfStruct struct
            ? new Same(struct.struct().schema())
            : shape.names();
    Description description = new Description(table, described, keyNames);
    RowSchema schema = known.get(description);
    if (schema == null) {
      if (!shape.names().containsAll(keyNames)) {
        throw EnvelopeReader.unknown(
            record,
            "the key %s of %s has columns that its row %s has not"
                .formatted(keyNames, table, shape.names()),
            "Leave the key as Debezium makes it");
      }
      schema = schema(table, shape, keyNames);
      if (known.size() >= SCHEMAS_KEPT) {
        known.clear();
      }
      known.put(description, schema);
    }
    return schema;
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

  private record Description(TableId table, Object shape, List<String> key) {}

  /** A converter gives the same object for the same schema; to compare contents would be slow. */
  private record Same(Schema schema) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Same that && that.schema == schema;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(schema);
    }
  }
}
