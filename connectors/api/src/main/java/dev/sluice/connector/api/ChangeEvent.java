package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** What one source transaction did, in its order. Immutable. */
public sealed interface ChangeEvent {

  /**
   * One changed row. Insert: no match, a row. Delete: a match, no row. Update: both; where the key
   * changed, the match is the old key.
   *
   * @param match what finds the row on the target: the old key's values in column order, or the
   *     whole old row where the table has no key; null for an insert
   * @param row the whole row that is left, values possibly unchanged; null for a delete
   * @param before of an update where somebody asks for it and the log has it: the whole old row,
   *     unchanged where it had what the row has; else null
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
   * Tables emptied by one TRUNCATE statement.
   *
   * @param tables in no order, without repeats
   */
  record Truncate(List<Emptied> tables) implements ChangeEvent {
    public Truncate {
      tables = List.copyOf(tables);
    }
  }

  /**
   * A table that TRUNCATE emptied.
   *
   * @param table the table, for a partition its root
   * @param partitionCondition null: the whole table; else the SQL condition that the rows of the
   *     emptied partitions fulfil, over the root's columns
   */
  record Emptied(TableId table, String partitionCondition) {
    public Emptied {
      Objects.requireNonNull(table, "table");
    }
  }

  /** Tables made, altered or dropped by one statement. */
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
