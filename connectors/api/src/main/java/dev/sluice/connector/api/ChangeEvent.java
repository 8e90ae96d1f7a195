package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** One change of a source transaction. Immutable. */
public sealed interface ChangeEvent {

  /**
   * A change of one row. An insert has only a row, a delete only a match, an update both. If an
   * update changes the key, the match is the old key.
   *
   * @param match identifies the row on the target: the old key's values in column order, or the
   *     complete old row if the table has no key; null for an insert
   * @param row the complete new row, in which values may be unchanged; null for a delete
   * @param before the complete old row of an update, if it was requested and the log has it; a
   *     value equal to the new one is unchanged; else null
   */
  record RowChange(RowSchema schema, Row match, Row row, Row before) implements ChangeEvent {
    public RowChange(RowSchema schema, Row match, Row row) {
      this(schema, match, row, null);
    }

    public RowChange {
      Objects.requireNonNull(schema, "schema");
      if (match == null && row == null) {
        throw new IllegalArgumentException("BUG: a change of " + schema + " with neither row");
      }
      if (match != null && match.columns() != schema.matchColumnCount()
          || row != null && row.columns() != schema.columns().size()) {
        throw new IllegalArgumentException(
            "BUG: a change of %s with %s match and %s row values"
                .formatted(
                    schema,
                    match == null ? "no" : match.columns(),
                    row == null ? "no" : row.columns()));
      }
      if (before != null
          && (match == null || row == null || before.columns() != schema.columns().size())) {
        throw new IllegalArgumentException(
            "BUG: a change of %s with an old row of %d values that is no update"
                .formatted(schema, before.columns()));
      }
    }
  }

  /**
   * One TRUNCATE statement.
   *
   * @param tables in any order, without repeats
   */
  record Truncate(List<Emptied> tables) implements ChangeEvent {
    public Truncate {
      tables = List.copyOf(tables);
    }
  }

  /**
   * A table that a TRUNCATE statement emptied.
   *
   * @param table for a partition its root
   * @param partitionCondition null for the complete table; else an SQL condition over the root's
   *     columns that matches the rows of the emptied partitions
   */
  record Emptied(TableId table, String partitionCondition) {
    public Emptied {
      Objects.requireNonNull(table, "table");
    }
  }

  /** One statement that created, altered or dropped tables. */
  record Definition(DefinitionChanges changes) implements ChangeEvent {
    public Definition {
      Objects.requireNonNull(changes, "changes");
    }
  }

  /** A logical message written in the transaction, such as a fence. */
  record Message(String prefix, byte[] content) implements ChangeEvent {
    @Override
    public boolean equals(Object other) {
      return other instanceof Message that
          && prefix.equals(that.prefix)
          && Arrays.equals(content, that.content);
    }

    @Override
    public int hashCode() {
      return 31 * prefix.hashCode() + Arrays.hashCode(content);
    }
  }
}
