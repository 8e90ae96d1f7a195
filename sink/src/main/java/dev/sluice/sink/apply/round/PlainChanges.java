package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/*
 * A set is exact if it fails whenever one of its changes would fail alone. The first change of a
 * key decides about the row that the target has: an insert fails if there is one, an update or a
 * delete changes no row if there is none. A later update of that row always finds it, so it can
 * replace the values before it, unless the target might reject those. What would hide the first
 * change does not enter the set: a delete of a row that came in it, or a row under a key that was
 * deleted in it. Nor does a change of the key, which depends on two rows.
 */
/** Changes of one plain table that are applied as a set. Owned by the apply thread. */
final class PlainChanges {
  /** No index of a type here rejects a row that is not larger. */
  private static final int SMALL_ROW = 2_000;

  private final TablePlan plan;
  private final boolean mayReplace;
  private final Map<Row, NetChange> keyed = new LinkedHashMap<>();
  private final List<Copies> inserted = new ArrayList<>();

  /**
   * @param mayReplace whether the target accepts each value that the source accepts
   */
  PlainChanges(TablePlan plan, boolean mayReplace) {
    this.plan = plan;
    this.mayReplace = mayReplace;
  }

  /** Whether an empty set takes the change. */
  static boolean canBeIn(OrderedChange each) {
    RowChange change = each.change();
    if (!each.plan().hasKey()) {
      return change.match() == null && !change.row().hasUnchanged();
    }
    if (change.row() == null) {
      return true;
    }
    return change.match() == null
        ? !change.row().hasUnchanged()
        : each.plan().keepsItsKey(change.match(), change.row());
  }

  /** Adds the next change; false if it must not be in one set with the changes before it. */
  boolean add(RowChange change) {
    if (!plan.hasKey()) {
      inserted.add(new Copies(change.row(), 1));
      return true;
    }
    Row key = change.match() == null ? plan.schema().matchOf(change.row()) : change.match();
    NetChange next = new NetChange(change.match(), change.row());
    NetChange before = keyed.putIfAbsent(key, next);
    if (before == null) {
      return true;
    }
    if (!canReplace(before, change)) {
      return false;
    }
    Row row = change.row() == null ? null : change.row().filledFrom(before.row());
    keyed.put(key, new NetChange(before.match(), row));
    return true;
  }

  private boolean canReplace(NetChange before, RowChange change) {
    boolean isThere = before.row() != null && change.match() != null;
    boolean vanishes = change.row() == null && before.match() == null;
    return mayReplace && isThere && !vanishes && before.row().encodedBytes() <= SMALL_ROW;
  }

  TablePlan plan() {
    return plan;
  }

  /** The set. */
  TableChanges build() {
    return plan.hasKey()
        ? new TableChanges.Keyed(plan.schema(), List.copyOf(keyed.values()))
        : new TableChanges.Multiset(plan.schema(), List.of(), List.of(), inserted);
  }
}
