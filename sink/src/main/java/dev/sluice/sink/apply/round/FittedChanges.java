package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.Row;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.round.StagedRows.Chunk;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.window.compaction.NetChange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/*
 * A wrong guess is never applied: keys are compared here as text and on the target by its equality,
 * and a row that another change of the round removes is no longer there. In both cases a statement
 * changes another number of rows than expected or violates the key, so the round fails.
 */
/**
 * Net changes of one table with a key, fitted to the rows that the target has: an insert of a row
 * that exists becomes an update, an update of a missing row becomes an insert, a delete of a
 * missing row is left out. A change that has no value for a column of a row to be inserted stays as
 * it is. Owned by the apply thread; single use.
 *
 * @param upserts inserts that became updates, and updates that became inserts
 */
record FittedChanges(List<NetChange> changes, long upserts) {

  /** Looks up the keys on the target, in one query for each chunk. */
  static FittedChanges of(ApplySession session, TablePlan plan, List<NetChange> changes) {
    List<Row> keys = new ArrayList<>();
    for (NetChange change : changes) {
      if (change.match() != null) {
        keys.add(change.match());
      }
      newKey(plan, change).ifPresent(keys::add);
    }
    Set<Row> present = present(session, plan, keys);
    Set<Row> occupied = new HashSet<>(present);
    for (NetChange change : changes) {
      if (change.match() != null && leaves(plan, change)) {
        occupied.remove(change.match());
      }
    }
    Fitting fitting = new Fitting(plan, present, occupied);
    changes.forEach(fitting::add);
    return new FittedChanges(fitting.fitted, fitting.upserts);
  }

  /** Whether the change removes the row with the old key. */
  private static boolean leaves(TablePlan plan, NetChange change) {
    return change.row() == null || !plan.keepsItsKey(change.match(), change.row());
  }

  private static Optional<Row> newKey(TablePlan plan, NetChange change) {
    return change.row() == null
            || (change.match() != null && plan.keepsItsKey(change.match(), change.row()))
        ? Optional.empty()
        : Optional.of(plan.schema().matchOf(change.row()));
  }

  private static Set<Row> present(ApplySession session, TablePlan plan, List<Row> keys) {
    StagedRows set =
        new StagedRows(session, plan, StagingShape.KEYS, StagedRowValues.ofMatches(keys));
    BitSet ordinals = new BitSet();
    for (Chunk chunk : set.chunks()) {
      List<String> found =
          session.attempt(
              "look up rows of " + plan.table().id(),
              () ->
                  set.texts(
                      chunk,
                      from -> session.dialect().keyed().present(plan, StagingShape.KEYS, from)));
      found.forEach(ordinal -> ordinals.set(Integer.parseInt(ordinal)));
    }
    Set<Row> present = new HashSet<>();
    ordinals.stream().forEach(ordinal -> present.add(keys.get(ordinal)));
    return present;
  }

  /** Fits one change after the other. */
  private static final class Fitting {
    private final TablePlan plan;

    /** The keys that the target has before the round. */
    private final Set<Row> present;

    /** Those of them that the round does not remove. */
    private final Set<Row> occupied;

    private final List<NetChange> fitted = new ArrayList<>();
    private long upserts;

    Fitting(TablePlan plan, Set<Row> present, Set<Row> occupied) {
      this.plan = plan;
      this.present = present;
      this.occupied = occupied;
    }

    void add(NetChange change) {
      if (change.row() == null) {
        if (present.contains(change.match())) {
          fitted.add(change);
        }
        return;
      }
      boolean found = change.match() != null && present.contains(change.match());
      Row key = plan.schema().matchOf(change.row());
      boolean moves = change.match() == null || !plan.keepsItsKey(change.match(), change.row());
      boolean taken = moves && occupied.contains(key);
      boolean fits = found ? !taken : change.match() == null && !taken;
      if (fits || change.row().hasUnchanged()) {
        fitted.add(change);
        return;
      }
      upserts++;
      if (found) {
        fitted.add(new NetChange(change.match(), null));
      }
      fitted.add(new NetChange(taken ? key : null, change.row()));
    }
  }
}
