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
 * The net changes of one table without a key in one round. Owned by the thread that compacts the
 * round.
 *
 * <p>As long as rows only come, which is the life of a log or a history, they are kept as they come
 * and nothing is counted: there is nothing to sum up before the first row goes.
 */
final class NetCopies implements NetTable {
  /*
   * Which of several equal rows a change means the log does not tell, and any will do. Those that
   * came to be in this round are taken first, which leaves the fewest net changes; what is not
   * among them is on the target.
   */
  private static final int OVERHEAD = 120;
  private static final int CHANGED_OVERHEAD = 40;
  private static final int LIST_OVERHEAD = 32;

  private final RowSchema schema;

  /** Rows that came before the first one went; null from then on. */
  private List<Row> uncounted = new ArrayList<>();

  /** Rows of the target that are no more. */
  private final Map<Row, Long> gone = new LinkedHashMap<>();

  /** Rows that are new. */
  private final Map<Row, Long> added = new LinkedHashMap<>();

  /** By the row that is now, the rows of the target that became it. */
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
          "a change of %s, a table without a key, comes without all values of its row: %s"
              .formatted(schema.table(), row),
          null);
    }
  }
}
