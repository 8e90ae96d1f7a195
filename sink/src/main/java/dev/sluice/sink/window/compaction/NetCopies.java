package dev.sluice.sink.window.compaction;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compacts the changes of one table without a key in one round. Owned by the thread that compacts
 * the round.
 *
 * <p>While rows are only inserted, as in a log or history table, they are kept in a list. Counting
 * starts with the first update or delete.
 */
final class NetCopies implements NetTable {
  /*
   * The log does not say which of several equal rows a change means, and any is correct. Rows added
   * in this round are taken first, which leaves the fewest net changes; the others are on the
   * target.
   */
  private static final int OVERHEAD = 120;
  private static final int CHANGED_OVERHEAD = 40;
  private static final int LIST_OVERHEAD = 32;

  private final RowSchema schema;

  /** Rows inserted before the first update or delete; null from then on. */
  private List<Row> uncounted = new ArrayList<>();

  /** Rows of the target that are deleted, with their number. */
  private final Map<Row, Long> gone = new LinkedHashMap<>();

  /** Rows that are inserted, with their number. */
  private final Map<Row, Long> added = new LinkedHashMap<>();

  /** The rows of the target that were updated, by the row that they became. */
  private final Map<Row, Deque<Row>> changed = new LinkedHashMap<>();

  private long changedRows;
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
    if (before == null) {
      requireWhole(after);
      if (uncounted == null) {
        count(added, after, 1);
      } else {
        uncounted.add(after);
        retained += LIST_OVERHEAD + after.retainedBytes();
      }
      return;
    }
    requireWhole(before);
    countAll();
    if (added.containsKey(before)) {
      count(added, before, -1);
      if (after != null) {
        count(added, whole(after, before), 1);
      }
      return;
    }
    Row onTarget = changed.containsKey(before) ? takeChanged(before) : before;
    if (after == null) {
      count(gone, onTarget, 1);
      return;
    }
    Row whole = whole(after, before);
    if (!whole.equals(onTarget)) {
      putChanged(onTarget, whole);
    }
  }

  @Override
  public long netChanges() {
    return uncounted == null ? gone.size() + added.size() + changedRows : uncounted.size();
  }

  @Override
  public long retainedBytes() {
    return retained;
  }

  @Override
  public TableChanges build() {
    if (uncounted != null) {
      List<Copies> putIn = new ArrayList<>(uncounted.size());
      uncounted.forEach(row -> putIn.add(new Copies(row, 1)));
      return new TableChanges.Multiset(schema, List.of(), List.of(), putIn);
    }
    List<NetChange> updates = new ArrayList<>();
    changed.forEach(
        (row, matches) -> matches.forEach(match -> updates.add(new NetChange(match, row))));
    return new TableChanges.Multiset(schema, copies(gone), updates, copies(added));
  }

  private void countAll() {
    if (uncounted != null) {
      List<Row> rows = uncounted;
      uncounted = null;
      retained = 0;
      rows.forEach(row -> count(added, row, 1));
    }
  }

  private Row takeChanged(Row row) {
    Deque<Row> matches = changed.get(row);
    Row match = matches.removeLast();
    changedRows--;
    retained -= CHANGED_OVERHEAD + match.retainedBytes();
    if (matches.isEmpty()) {
      changed.remove(row);
      retained -= OVERHEAD + row.retainedBytes();
    }
    return match;
  }

  private void putChanged(Row match, Row row) {
    Deque<Row> matches = changed.get(row);
    if (matches == null) {
      matches = new ArrayDeque<>(2);
      changed.put(row, matches);
      retained += OVERHEAD + row.retainedBytes();
    }
    matches.addLast(match);
    changedRows++;
    retained += CHANGED_OVERHEAD + match.retainedBytes();
  }

  private void count(Map<Row, Long> counts, Row row, long more) {
    Long before = counts.get(row);
    if (before == null) {
      retained += OVERHEAD + row.retainedBytes();
    }
    long now = (before == null ? 0 : before) + more;
    if (now == 0) {
      counts.remove(row);
      retained -= OVERHEAD + row.retainedBytes();
    } else {
      counts.put(row, now);
    }
  }

  private static List<Copies> copies(Map<Row, Long> counts) {
    List<Copies> copies = new ArrayList<>(counts.size());
    counts.forEach((row, count) -> copies.add(new Copies(row, count)));
    return copies;
  }

  private Row whole(Row after, Row before) {
    Row whole = after.filledFrom(before);
    requireWhole(whole);
    return whole;
  }

  private void requireWhole(Row row) {
    if (row.hasUnchanged()) {
      throw new SluiceException.Fatal(
          "table %s has no key, and a change does not have all values of its row: %s"
              .formatted(schema.table(), row),
          null);
    }
  }
}
