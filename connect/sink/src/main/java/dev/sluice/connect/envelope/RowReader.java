package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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
  private final RowBuilder builder = new RowBuilder(1024);

  /** The shapes of rows, by the schema objects that describe them. */
  private final Map<Description, Shape> known = new HashMap<>();

  RowReader(String placeholder, PlainValues plain) {
    this.unchanged = new UnchangedValue(placeholder);
    this.plain = plain;
    this.open = plain.withSchemas();
  }

  RowEvent event(
      SinkRecord record, FieldValues value, TableId table, Membership membership, long lsn) {
    Optional<FieldValues> before = value.within("before");
    Optional<FieldValues> after = value.within("after");
    Optional<FieldValues> key = keyOf(record);
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
    Shape shape = shape(record, table, after, keyOf(record));
    return new SnapshotRow(
        shape.schema(),
        row(record, shape, after, Optional.empty(), false),
        marker.startsWith("first"),
        marker.equals("last"),
        value.number("ts_ms", 0) * 1_000);
  }

  /** The key's fields; empty if the table has no key. */
  private static Optional<FieldValues> keyOf(SinkRecord record) {
    if (record.key() == null) {
      return Optional.empty();
    }
    FieldValues key =
        FieldValues.of(record.key())
            .orElseThrow(
                () ->
                    EnvelopeReader.unknown(
                        record,
                        "a key of " + record.key().getClass().getSimpleName(),
                        "Set the key.converter that the source connector writes with"));
    return Optional.of(key);
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
    FieldValues fields = key.orElseThrow();
    for (int index : schema.key()) {
      String name = schema.columns().get(index).name();
      add(shape, fields, name);
    }
    return builder.build();
  }

  /**
   * @param mayLack true if values may be unchanged and not in the log; otherwise that is rejected
   */
  private Row row(
      SinkRecord record,
      Shape shape,
      FieldValues fields,
      Optional<FieldValues> before,
      boolean mayLack) {
    for (Column column : shape.schema().columns()) {
      String name = column.name();
      Object value = fields.value(name);
      if (value == null || !unchanged.is(fields.schema(name), value)) {
        add(shape, fields, name);
      } else if (!mayLack) {
        throw EnvelopeReader.unknown(
            record,
            "column %s of a new row of %s has the placeholder of a value that is not in the log"
                .formatted(name, shape.schema().table()),
            "Keep Debezium's headers, by which the halves of a key's change are known; where the"
                + " text is a value of the row itself, set another unavailable.value.placeholder"
                + " on both connectors");
      } else if (before.isPresent()
          && before.get().value(name) != null
          && !unchanged.is(before.get().schema(name), before.get().value(name))) {
        // Present only with REPLICA IDENTITY FULL.
        add(shape, before.get(), name);
      } else {
        builder.addUnchanged();
      }
    }
    return builder.build();
  }

  private void add(Shape shape, FieldValues fields, String name) {
    Object value = fields.value(name);
    if (value == null) {
      builder.addNull();
    } else {
      builder.add(text(shape, fields, name, value));
    }
  }

  private String text(Shape shape, FieldValues fields, String name, Object value) {
    TableId table = shape.schema().table();
    if (fields instanceof FieldValues.OfMap) {
      return plain.of(table, name, value);
    }
    Function<Object, String> form = shape.forms().get(name);
    return form == null
        ? ValueText.of(fields.schema(name), value, table + "." + name)
        : ValueText.of(value, form);
  }

  private Shape shape(
      SinkRecord record, TableId table, FieldValues fields, Optional<FieldValues> key) {
    List<String> keyNames = key.map(FieldValues::names).orElse(List.of());
    Object described =
        fields instanceof FieldValues.OfStruct struct
            ? new Same(struct.struct().schema())
            : fields.names();
    Description description = new Description(table, described, keyNames);
    Shape shape = known.get(description);
    if (shape == null) {
      if (!fields.names().containsAll(keyNames)) {
        throw EnvelopeReader.unknown(
            record,
            "the key %s of %s has columns that its row %s has not"
                .formatted(keyNames, table, fields.names()),
            "Leave the key as Debezium makes it");
      }
      shape =
          new Shape(
              schema(table, fields, keyNames),
              fields instanceof FieldValues.OfStruct struct
                  ? open.of(table, struct.struct())
                  : Map.of());
      if (known.size() >= SCHEMAS_KEPT) {
        known.clear();
      }
      known.put(description, shape);
    }
    return shape;
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
   * @param forms readers of the columns with an ambiguous schema
   */
  private record Shape(RowSchema schema, Map<String, Function<Object, String>> forms) {}

  private record Description(TableId table, Object shape, List<String> key) {}

  /**
   * A schema by identity: a converter returns the same object for the same schema, and comparing
   * contents would be slow.
   */
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
