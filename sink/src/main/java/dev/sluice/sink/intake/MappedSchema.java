package dev.sluice.sink.intake;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ValueCursor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Maps the rows of one schema to the target's columns. Immutable. */
public final class MappedSchema {
  private final List<Column> journal;
  private final RowSchema schema;

  /** Indexes of the journal's columns that are kept, ascending. */
  private final int[] kept;

  /** By column of the journal, true if the column has a before-image column. */
  private final boolean[] imaged;

  private final boolean whole;
  private final boolean anyImage;

  private MappedSchema(List<Column> journal, RowSchema schema, int[] kept, boolean[] imaged) {
    this.journal = journal;
    this.schema = schema;
    this.kept = kept;
    this.imaged = imaged;
    this.anyImage = schema.columns().size() > kept.length;
    this.whole = kept.length == journal.size() && !anyImage;
  }

  /**
   * Maps a schema of the journal. Key columns are kept whatever the rules say: without them no row
   * would be found. A table without a key gets no before-image columns: its rows are found by all
   * their values, and the target's values in those columns are not known.
   */
  public static MappedSchema of(RowSchema journaled, ColumnNames names) {
    TableId table = journaled.table();
    List<Column> journal = journaled.columns();
    List<Column> columns = new ArrayList<>();
    boolean[] imaged = new boolean[journal.size()];
    int[] kept =
        IntStream.range(0, journal.size())
            .filter(i -> journal.get(i).key() || names.of(table, journal.get(i).name()).isPresent())
            .toArray();
    for (int i : kept) {
      Column column = journal.get(i);
      String type = names.typeOf(table, column.name()).orElse(column.type());
      ColumnOrigin origin = column.origin();
      columns.add(
          new Column(
              names.orSame(table, column.name()), type, column.nullable(), column.key(), origin));
      Optional<String> image =
          journaled.hasKey()
              ? names.beforeOf(table, column.name(), column.type(), column.key())
              : Optional.empty();
      imaged[i] = image.isPresent();
      // Next to its column, so that both come last if the table gets a new column.
      image.ifPresent(
          name ->
              columns.add(
                  new Column(name, type, true, false, ColumnOrigin.withNull(-origin.number()))));
    }
    return new MappedSchema(journal, new RowSchema(table, columns), kept, imaged);
  }

  /** The schema with the target's columns. */
  public RowSchema schema() {
    return schema;
  }

  /** The names of the before-image columns. */
  public Set<String> beforeImages() {
    Set<String> names = new HashSet<>();
    int at = 0;
    for (int i : kept) {
      at++;
      if (imaged[i]) {
        names.add(schema.columns().get(at++).name());
      }
    }
    return names;
  }

  /**
   * The change, mapped to the target's columns.
   *
   * @throws SluiceException.Fatal if a before-image column needs the old row and the log does not
   *     have it
   */
  RowChange of(RowChange change) {
    if (whole) {
      return new RowChange(schema, change.match(), change.row());
    }
    return new RowChange(
        schema,
        // No rule adds or removes a key column.
        change.match() == null || schema.hasKey() ? change.match() : change.match().project(kept),
        change.row() == null ? null : row(change));
  }

  private Row row(RowChange change) {
    if (!anyImage) {
      return change.row().project(kept);
    }
    RowBuilder made = new RowBuilder(2 * change.row().encodedBytes());
    ValueCursor value = change.row().cursor();
    OldValues old = change.match() == null ? null : new OldValues(change);
    int at = 0;
    for (int i = 0; value.next(); i++) {
      if (old != null) {
        old.next();
      }
      if (at < kept.length && kept[at] == i) {
        at++;
        made.add(value);
        if (imaged[i] && old == null) {
          made.addNull();
        } else if (imaged[i]) {
          made.add(old.value(value));
        }
      }
    }
    return made.build();
  }

  /** Iterates over an update's old values in step with its new row. */
  private final class OldValues {
    private final ValueCursor key;
    private final ValueCursor before;
    private int column = -1;

    OldValues(RowChange update) {
      this.key = update.match().cursor();
      this.before = update.before() == null ? null : update.before().cursor();
    }

    void next() {
      column++;
      if (journal.get(column).key()) {
        key.next();
      }
      if (before != null) {
        before.next();
      }
    }

    /**
     * @param now positioned at the column's value in the new row
     */
    ValueCursor value(ValueCursor now) {
      if (journal.get(column).key()) {
        return key;
      }
      ValueCursor value = before != null && before.isUnchanged() ? now : before;
      if (value == null || value.isUnchanged()) {
        throw withoutOldRow();
      }
      return value;
    }

    private SluiceException withoutOldRow() {
      TableId table = schema.table();
      return new SluiceException.Fatal(
          "table %s: a rule adds a before-image column for %s, and the log has an UPDATE without the old row; run ALTER TABLE %s REPLICA IDENTITY FULL, and start with the rule's column-filter pk-only, or without the rule, until the changes written before that are applied"
              .formatted(table, journal.get(column).name(), table.quoted()),
          null);
    }
  }
}
