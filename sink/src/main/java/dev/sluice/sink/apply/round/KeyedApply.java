package dev.sluice.sink.apply.round;

import static dev.sluice.sink.apply.plan.ApplySession.attempt;
import static dev.sluice.sink.apply.plan.ApplySession.mustEqual;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.round.StagedRows.Chunk;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.NetChange;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/*
 * Why three phases keep every unique index happy: after the first, the table lacks every row that is
 * to go and every row that is to come back with something an index looks at changed. What is left
 * looks, to those indexes, like a part of the round's final state; updates in place do not change
 * how it looks, and putting rows in only completes that state. The source held it, so no two rows of
 * it meet.
 *
 * This holds for the whole round only. So each phase goes over all chunks before the next begins.
 */
/**
 * Applies one round's net changes of one table with a key. Owned by the apply thread; single use.
 */
final class KeyedApply {
  private static final int NAMED_KEYS = 10;

  private final ApplySession session;
  private final TablePlan plan;

  private final List<NetChange> deletes = new ArrayList<>();
  private final List<NetChange> inserts = new ArrayList<>();
  private final List<NetChange> updates = new ArrayList<>();
  private final List<NetChange> keyChanges = new ArrayList<>();
  private final BitSet unchangedInUpdates = new BitSet();
  private final BitSet unchangedInKeyChanges = new BitSet();

  private long takenAway;

  KeyedApply(ApplySession session, TablePlan plan, List<NetChange> changes) {
    this.session = session;
    this.plan = plan;
    changes.forEach(this::sort);
  }

  /**
   * Does all three phases.
   *
   * @param careful first looks for each key whether it is there, to name those that are not
   */
  TableCounters apply(boolean careful) {
    StagedRows deleteSet = fed(StagingShape.DELETES, deletes);
    StagedRows updateSet =
        fed(StagingShape.updates(mayTakeAwayUpdates(), !unchangedInUpdates.isEmpty()), updates);
    List<TargetColumn> keptOfKeyChanges = keptColumns(unchangedInKeyChanges);
    boolean keyChangesKeep = !keptOfKeyChanges.isEmpty();
    StagedRows keyChangeSet =
        fed(
            keyChangesKeep
                ? StagingShape.keyChanges(!unchangedInKeyChanges.isEmpty())
                : StagingShape.DELETES,
            keyChanges);
    List<NetChange> whole = new ArrayList<>(inserts);
    if (!keyChangesKeep) {
      whole.addAll(keyChanges);
    }
    StagedRows putInSet = fed(StagingShape.INSERTS, whole);

    if (careful || !plan.matchesOneAtMost()) {
      nameMisses("delete", deleteSet);
      nameMisses("update", updateSet);
      nameMisses("key change", keyChangeSet);
    }

    delete("delete", deleteSet);
    if (keyChangesKeep) {
      takeAwayKeyChanges(keyChangeSet, keptOfKeyChanges);
    } else {
      delete("key change", keyChangeSet);
    }
    long[] takenByChunk = takeAwayUpdates(updateSet);
    update(updateSet, takenByChunk);
    if (keyChangesKeep) {
      putBack("key change", keyChangeSet, unchangedInKeyChanges, keyChanges.size());
    }
    if (takenAway > 0) {
      putBack("update", updateSet, unchangedInUpdates, takenAway);
    }
    putIn(putInSet);
    return new TableCounters(
        inserts.size(), updates.size() + (long) keyChanges.size(), deletes.size(), 0);
  }

  /** The keys that rows put in have now; where updates may be taken away, theirs as well. */
  List<Row> keysPutIn() {
    List<Row> keys = new ArrayList<>();
    inserts.forEach(change -> keys.add(plan.schema().matchOf(change.row())));
    keyChanges.forEach(change -> keys.add(plan.schema().matchOf(change.row())));
    if (mayTakeAwayUpdates()) {
      updates.forEach(change -> keys.add(change.match()));
    }
    return keys;
  }

  private void sort(NetChange change) {
    if (change.row() == null) {
      deletes.add(change);
    } else if (change.match() == null) {
      inserts.add(change);
    } else if (plan.keepsItsKey(change.match(), change.row())) {
      updates.add(change);
      noteUnchanged(change.row(), unchangedInUpdates);
    } else {
      keyChanges.add(change);
      noteUnchanged(change.row(), unchangedInKeyChanges);
    }
  }

  private static void noteUnchanged(Row row, BitSet unchanged) {
    if (row.hasUnchanged()) {
      ValueCursor cursor = row.cursor();
      for (int source = 0; cursor.next(); source++) {
        if (cursor.isUnchanged()) {
          unchanged.set(source);
        }
      }
    }
  }

  private StagedRows fed(StagingShape shape, List<NetChange> changes) {
    List<NetChange> sorted = KeyOrder.of(plan.schema(), changes);
    return new StagedRows(session, plan, shape, StagedRowValues.ofChanges(sorted));
  }

  private boolean mayTakeAwayUpdates() {
    return plan.sensitive().length > 0;
  }

  private List<TargetColumn> keptColumns(BitSet unchanged) {
    List<TargetColumn> kept = new ArrayList<>(plan.targetOnly());
    unchanged.stream()
        .mapToObj(plan::column)
        .filter(column -> !column.generated())
        .forEach(kept::add);
    return kept;
  }

  private void nameMisses(String operation, StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      List<String> misses =
          attempt(
              "look for the rows of a " + operation + " on " + plan.table().id(),
              () ->
                  set.texts(
                      chunk, from -> KeyedStatements.misses(plan, set.shape(), from, NAMED_KEYS)));
      if (!misses.isEmpty()) {
        throw new SluiceException.Data(
            "%s on %s of %d rows, each of which must match one row: %s"
                .formatted(operation, plan.table().id(), chunk.size(), String.join("; ", misses)),
            null);
      }
    }
  }

  private void delete(String operation, StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      long deleted =
          attempt(
              operation + " on " + plan.table().id(),
              () -> set.update(chunk, from -> KeyedStatements.delete(plan, set.shape(), from)));
      mustEqual(plan, operation, chunk.size(), deleted);
    }
  }

  private void takeAwayKeyChanges(StagedRows set, List<TargetColumn> keptColumns) {
    for (Chunk chunk : set.chunks()) {
      long taken =
          attempt(
              "key change on " + plan.table().id(),
              () -> {
                String kept = keptTable(set, keptColumns);
                return set.update(
                    chunk,
                    from ->
                        KeyedStatements.takeAway(
                            plan, set.shape(), from, kept, keptColumns, false));
              });
      mustEqual(plan, "key change", chunk.size(), taken);
    }
  }

  private long[] takeAwayUpdates(StagedRows set) {
    long[] takenByChunk = new long[set.chunks().size()];
    if (!mayTakeAwayUpdates()) {
      return takenByChunk;
    }
    List<TargetColumn> keptColumns = keptColumns(unchangedInUpdates);
    for (int i = 0; i < takenByChunk.length; i++) {
      Chunk chunk = set.chunks().get(i);
      takenByChunk[i] =
          attempt(
              "take rows to be updated away from " + plan.table().id(),
              () -> {
                String kept = keptTable(set, keptColumns);
                return set.update(
                    chunk,
                    from ->
                        KeyedStatements.takeAway(plan, set.shape(), from, kept, keptColumns, true));
              });
      takenAway += takenByChunk[i];
    }
    return takenByChunk;
  }

  private void update(StagedRows set, long[] takenByChunk) {
    for (int i = 0; i < takenByChunk.length; i++) {
      Chunk chunk = set.chunks().get(i);
      if (takenByChunk[i] < chunk.size()) {
        long updated = attempt("update on " + plan.table().id(), () -> update(set, chunk));
        mustEqual(plan, "update", chunk.size(), takenByChunk[i] + updated);
      } else {
        mustEqual(plan, "update", chunk.size(), takenByChunk[i]);
      }
    }
  }

  private long update(StagedRows set, Chunk chunk) throws SQLException {
    if (plan.settable().length == 0) {
      return Long.parseLong(
          set.texts(chunk, from -> KeyedStatements.countMatches(plan, set.shape(), from)).get(0));
    }
    return set.update(
        chunk, from -> KeyedStatements.update(plan, set.shape(), from, unchangedInUpdates));
  }

  private void putBack(String operation, StagedRows set, BitSet unchanged, long expected) {
    long put = 0;
    for (Chunk chunk : set.chunks()) {
      put +=
          attempt(
              operation + " on " + plan.table().id(),
              () -> {
                String kept = keptTable(set, keptColumns(unchanged));
                return set.update(
                    chunk, from -> KeyedStatements.putBack(plan, from, kept, unchanged));
              });
    }
    mustEqual(plan, operation, expected, put);
  }

  private void putIn(StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      long put = attempt("insert into " + plan.table().id(), () -> set.putIn(chunk));
      mustEqual(plan, "insert", chunk.size(), put);
    }
  }

  /** The table of old values that belongs to a set; empty when it is first asked for. */
  private String keptTable(StagedRows set, List<TargetColumn> columns) throws SQLException {
    return StagedValues.table(session, plan, set.shape(), columns, this);
  }
}
