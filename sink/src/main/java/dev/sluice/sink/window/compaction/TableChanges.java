package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
   * A table without a key, a multiset of whole rows: take so many copies of a row away, let others
   * become another row, then put so many in. Several updates may match equal rows, and equal rows
   * may be put in: each means another copy.
   */
  record Multiset(
      RowSchema schema, List<Copies> takeAway, List<NetChange> updates, List<Copies> putIn)
      implements TableChanges {
    @Override
    public int count() {
      return takeAway.size() + updates.size() + putIn.size();
    }

    /**
     * The same summed up, without updates: which copy a row was makes no difference where the
     * target keeps nothing beside the source's columns.
     */
    public Multiset summed() {
      if (takeAway.isEmpty() && updates.isEmpty()) {
        return this;
      }
      Map<Row, Long> sums = new LinkedHashMap<>();
      takeAway.forEach(away -> sums.merge(away.row(), -away.copies(), Long::sum));
      putIn.forEach(in -> sums.merge(in.row(), in.copies(), Long::sum));
      for (NetChange update : updates) {
        sums.merge(update.match(), -1L, Long::sum);
        sums.merge(update.row(), 1L, Long::sum);
      }
      List<Copies> fewer = new ArrayList<>();
      List<Copies> more = new ArrayList<>();
      sums.forEach(
          (row, sum) -> {
            if (sum != 0) {
              (sum < 0 ? fewer : more).add(new Copies(row, Math.abs(sum)));
            }
          });
      return new Multiset(schema, fewer, List.of(), more);
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
