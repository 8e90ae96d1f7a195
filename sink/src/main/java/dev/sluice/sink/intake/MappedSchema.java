package dev.sluice.sink.intake;

import dev.sluice.config.ColumnNames;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What becomes of the rows of one schema. Immutable.
 *
 * @param schema with the target's names
 * @param kept the indexes in the journal's rows of the columns that are left, ascending
 * @param whole whether that is all of them
 */
public record MappedSchema(RowSchema schema, int[] kept, boolean whole) {

  /** A column of the key stays, whatever rules say: without it no row would be found. */
  public static MappedSchema of(RowSchema journaled, ColumnNames names) {
    TableId table = journaled.table();
    List<Column> journal = journaled.columns();
    List<Column> columns = new ArrayList<>();
    int[] kept =
        IntStream.range(0, journal.size())
            .filter(i -> journal.get(i).key() || names.of(table, journal.get(i).name()).isPresent())
            .toArray();
    for (int i : kept) {
      Column column = journal.get(i);
      columns.add(
          new Column(
              names.orSame(table, column.name()),
              names.typeOf(table, column.name()).orElse(column.type()),
              column.nullable(),
              column.key()));
    }
    return new MappedSchema(new RowSchema(table, columns), kept, kept.length == journal.size());
  }

  RowChange of(RowChange change) {
    if (whole) {
      return new RowChange(schema, change.match(), change.row());
    }
    return new RowChange(
        schema,
        // A key has none of the columns that go.
        change.match() == null || schema.hasKey() ? change.match() : change.match().project(kept),
        change.row() == null ? null : change.row().project(kept));
  }
}
