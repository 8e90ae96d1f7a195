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
 */
final class NetCopies implements NetTable {
  private static final int OVERHEAD = 120;

  private final RowSchema schema;
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
    return counts.size();
  }

  @Override
  public long retainedBytes() {
    return retained;
  }

  @Override
  public TableChanges build() {
    List<TableChanges.Copies> takeAway = new ArrayList<>();
    List<TableChanges.Copies> putIn = new ArrayList<>();
    counts.forEach(
        (row, count) ->
            (count.copies < 0 ? takeAway : putIn)
                .add(new TableChanges.Copies(row, Math.abs(count.copies))));
    return new TableChanges.Multiset(schema, takeAway, putIn);
  }

  private void count(Row row, int more) {
    Count count = counts.get(row);
    if (count == null) {
      count = new Count();
      counts.put(row, count);
      retained += OVERHEAD + row.retainedBytes();
    }
    count.copies += more;
    if (count.copies == 0) {
      counts.remove(row);
      retained -= OVERHEAD + row.retainedBytes();
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
