package dev.sluice.sink.window;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The net changes of one table without a key in one round: by how many copies of each whole row the
 * table has more or fewer. Owned by the thread that compacts the round.
 *
 * <p>As long as rows only come, which is the life of a log or a history, they are kept as they come
 * and nothing is counted: there is nothing to sum up before the first row goes.
 */
final class NetCopies implements NetTable {
  private static final int COUNT_OVERHEAD = 120;
  private static final int LIST_OVERHEAD = 32;

  private final RowSchema schema;

  /** Rows that came before the first one went; null from then on. */
  private List<Row> added = new ArrayList<>();

  private final Map<Row, Count> counts = new LinkedHashMap<>();
  private long retained;

  NetCopies(RowSchema schema) {
    this.schema = schema;
  }

  @Override
  public RowSchema schema() {
    return schema;
  }

  @Override
  public void add(RowChange change) {
    Row before = change.match();
    Row after = change.row();
    if (before != null) {
      requireWhole(before);
      count(before, -1);
    }
    if (after != null) {
      Row whole = before == null ? after : after.filledFrom(before);
      requireWhole(whole);
      count(whole, 1);
    }
  }

  @Override
  public long netChanges() {
    return added == null ? counts.size() : added.size();
  }

  @Override
  public long retainedBytes() {
    return retained;
  }

  @Override
  public TableChanges build() {
    List<TableChanges.Copies> takeAway = new ArrayList<>();
    List<TableChanges.Copies> putIn = new ArrayList<>();
    if (added != null) {
      added.forEach(row -> putIn.add(new TableChanges.Copies(row, 1)));
    }
    counts.forEach(
        (row, count) ->
            (count.copies < 0 ? takeAway : putIn)
                .add(new TableChanges.Copies(row, Math.abs(count.copies))));
    return new TableChanges.Multiset(schema, takeAway, putIn);
  }

  private void count(Row row, int more) {
    if (added != null && more > 0) {
      added.add(row);
      retained += LIST_OVERHEAD + row.retainedBytes();
      return;
    }
    if (added != null) {
      List<Row> before = added;
      added = null;
      retained = 0;
      before.forEach(each -> count(each, 1));
    }
    Count count = counts.get(row);
    if (count == null) {
      count = new Count();
      counts.put(row, count);
      retained += COUNT_OVERHEAD + row.retainedBytes();
    }
    count.copies += more;
    if (count.copies == 0) {
      counts.remove(row);
      retained -= COUNT_OVERHEAD + row.retainedBytes();
    }
  }

  private void requireWhole(Row row) {
    if (row.hasUnchanged()) {
      throw new SluiceException.Fatal(
          "a change of %s, a table without a key, comes without all values of its row: %s"
              .formatted(schema.table(), row),
          null);
    }
  }

  private static final class Count {
    private long copies;
  }
}
