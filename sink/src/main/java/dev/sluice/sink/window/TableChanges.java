package dev.sluice.sink.window;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.List;

/** The changes of one table in one round. Immutable. */
public sealed interface TableChanges {

  /** The source's row schema; one for all rows of the round. */
  RowSchema schema();

  /** Net changes carried, for the accounting. */
  int count();

  /**
   * A table with a key: old keys are distinct among the changes that have one, new keys are
   * distinct among those that leave a row.
   */
  record Keyed(RowSchema schema, List<NetChange> changes) implements TableChanges {
    @Override
    public int count() {
      return changes.size();
    }
  }

  /**
   * A table without a key, a multiset of whole rows: take so many copies of a row away, then put so
   * many in. No row is taken away twice, nor both taken away and put in.
   */
  record Multiset(RowSchema schema, List<Copies> takeAway, List<Copies> putIn)
      implements TableChanges {
    @Override
    public int count() {
      return takeAway.size() + putIn.size();
    }
  }

  /** A table whose changes are applied one by one, as the source made them. */
  record Ordered(RowSchema schema, List<RowChange> changes) implements TableChanges {
    @Override
    public int count() {
      return changes.size();
    }
  }

  /**
   * Some equal rows.
   *
   * @param copies at least 1
   */
  record Copies(Row row, long copies) {}
}
