package dev.sluice.connector.generic.record;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.envelope.DebeziumText;
import dev.sluice.connector.envelope.UnchangedValue;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * Makes rows of the journal from the structs of one table's records. The table must have the
 * columns that the task knows; a record with others is refused, never guessed. Owned by one thread.
 */
final class RecordRows {
  private final CatalogTable table;
  private final UnchangedValue unchanged;
  private final RowBuilder builder = new RowBuilder(256);

  /** Of the latest row, by identity: Debezium makes one for each definition. */
  private Schema known;

  private RowSchema schema;

  /**
   * @param table as the task knows it; it has a key
   */
  RecordRows(CatalogTable table, UnchangedValue unchanged) {
    this.table = table;
    this.unchanged = unchanged;
  }

  /** The schema of the rows that a struct has. */
  RowSchema schema(Struct row) {
    if (row.schema() != known) {
      schema = read(row.schema());
      known = row.schema();
    }
    return schema;
  }

  /**
   * A complete row.
   *
   * @param mayLack whether the log may lack values, which the update then leaves as they are
   */
  Row row(Struct struct, boolean mayLack) {
    builder.discard();
    for (Field field : struct.schema().fields()) {
      Object value = struct.getWithoutDefault(field.name());
      if (value != null && unchanged.is(field.schema(), value)) {
        if (!mayLack) {
          throw refused(
              "column %s of a new row has no value in the log".formatted(field.name()),
              "all values of new rows",
              "");
        }
        builder.addUnchanged();
      } else {
        add(field, value);
      }
    }
    return builder.build();
  }

  /** The values that find a row, from a record's key, in the order of the row's columns. */
  Row match(Struct key) {
    builder.discard();
    for (Column column : schema.columns()) {
      if (column.key()) {
        Field field = key.schema().field(column.name());
        if (field == null) {
          throw refused(
              "a record whose key has no column " + column.name(),
              "the primary key",
              "Leave message.key.columns out of source.debezium.properties");
        }
        add(field, key.getWithoutDefault(field.name()));
      }
    }
    return builder.build();
  }

  private void add(Field field, Object value) {
    if (value == null) {
      builder.addNull();
    } else {
      builder.add(DebeziumText.of(field.schema(), value, table.table() + "." + field.name()));
    }
  }

  private RowSchema read(Schema struct) {
    List<String> names = struct.fields().stream().map(Field::name).toList();
    List<String> expected = table.journaledColumns().stream().map(CatalogColumn::name).toList();
    Set<String> others = new HashSet<>(names);
    others.addAll(expected);
    if (others.size() != names.size() || names.size() != expected.size()) {
      throw refused(
          "its records have the columns " + String.join(", ", names),
          "those that it had when the task began: " + String.join(", ", expected),
          "Changed definitions are not followed with source.type debezium: load the table again");
    }
    if (known != null && !known.fields().equals(struct.fields())) {
      throw refused(
          "its columns have other types than in earlier records: %s, and before %s"
              .formatted(types(struct), types(known)),
          "one definition while the task runs",
          "Changed definitions are not followed with source.type debezium: load the table again");
    }
    for (Field field : struct.fields()) {
      AlteredForms.of(field.schema())
          .ifPresent(
              found -> {
                throw refused(
                    "column %s is %s".formatted(field.name(), found),
                    "values as the source has them",
                    "Exclude the column: column.exclude.list in source.debezium.properties");
              });
    }
    return new RowSchema(table.table(), names.stream().map(this::column).toList());
  }

  private static String types(Schema struct) {
    return struct.fields().stream()
        .map(
            field ->
                "%s %s%s"
                    .formatted(
                        field.name(),
                        field.schema().name() == null
                            ? field.schema().type()
                            : field.schema().name(),
                        field.schema().isOptional() ? "" : " NOT NULL"))
        .collect(Collectors.joining(", "));
  }

  private Column column(String name) {
    return table.rowColumns().stream()
        .filter(column -> column.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private SluiceException.Fatal refused(String found, String expected, String fix) {
    return refused(table.table(), found, expected, fix);
  }

  static SluiceException.Fatal refused(TableId table, String found, String expected, String fix) {
    return new SluiceException.Fatal(new Problem("table " + table, found, expected, fix));
  }
}
