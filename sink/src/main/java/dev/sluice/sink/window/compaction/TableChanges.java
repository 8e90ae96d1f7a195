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

  /** The number of net changes. */
  int count();

  /**
   * Changes of a table with a key. No two changes have the same old key, and no two leave rows with
   * the same key.
   */
  record Keyed(RowSchema schema, List<NetChange> changes) implements TableChanges {
    @Override
    public int count() {
      return changes.size();
    }
  }

  /**
   * Changes of a table without a key, which is a multiset of rows: delete copies of rows, update
   * others, then insert copies. Several updates may match equal rows, and equal rows may be
   * inserted: each means another copy.
   */
  record Multiset(
      RowSchema schema, List<Copies> takeAway, List<NetChange> updates, List<Copies> putIn)
      implements TableChanges {
    @Override
    public int count() {
      return takeAway.size() + updates.size() + putIn.size();
    }

    /**
     * The same changes as deletes and inserts only. This is correct if the target has only the
     * source's columns, so that equal rows cannot be told apart.
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

  /** Changes of a table that are applied one by one, in source order. */
  record Ordered(RowSchema schema, List<RowChange> changes) implements TableChanges {
    @Override
    public int count() {
      return changes.size();
    }
  }

  /**
   * A number of equal rows.
   *
   * @param copies at least 1
   */
  record Copies(Row row, long copies) {}
}
