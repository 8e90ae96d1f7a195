package dev.sluice.sink.apply.round;

import static dev.sluice.sink.apply.plan.ApplySession.mustEqual;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.round.StagedRows.Chunk;
import dev.sluice.sink.target.KeyedStatements;
import dev.sluice.sink.target.NamedUpdate;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.NetChange;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/*
 * Why three phases never violate a unique index: the first phase deletes the rows that the round
 * deletes, and those whose indexed columns it changes. The indexed values that remain are a part of
 * the round's final state. Updates in place do not change them, and inserts only complete that
 * state. The source had that state, so no two rows of it conflict.
 *
 * This holds for the complete round only. So each phase handles all chunks before the next begins.
 */
/**
 * Applies one round's net changes of one table with a key. Owned by the apply thread; single use.
 */
final class KeyedApply {
  private static final int NAMED_KEYS = 10;

  private final ApplySession session;
  private final TablePlan plan;
  private final KeyedStatements statements;

  private final List<NetChange> deletes = new ArrayList<>();
  private final List<NetChange> inserts = new ArrayList<>();
  private final List<NetChange> updates = new ArrayList<>();
  private final List<NetChange> keyChanges = new ArrayList<>();
  private final BitSet unchangedInUpdates = new BitSet();
  private final BitSet unchangedInKeyChanges = new BitSet();

  private long deletedUpdates;

  KeyedApply(ApplySession session, TablePlan plan, List<NetChange> changes) {
    this.session = session;
    this.plan = plan;
    this.statements = session.dialect().keyed();
    changes.forEach(this::sort);
  }

  /**
   * Applies all three phases: delete, update, insert.
   *
   * @param careful first checks that each key exists, so that an error names the missing ones
   */
  TableCounters apply(boolean careful) {
    StagedRows deleteSet = staged(StagingShape.DELETES, deletes);
    StagedRows updateSet =
        staged(StagingShape.updates(mayDeleteUpdates(), !unchangedInUpdates.isEmpty()), updates);
    List<TargetColumn> keptOfKeyChanges = keptColumns(unchangedInKeyChanges);
    boolean keyChangesKeep = !keptOfKeyChanges.isEmpty();
    StagedRows keyChangeSet =
        staged(
            keyChangesKeep
                ? StagingShape.keyChanges(!unchangedInKeyChanges.isEmpty())
                : StagingShape.DELETES,
            keyChanges);
    List<NetChange> completeRows = new ArrayList<>(inserts);
    if (!keyChangesKeep) {
      completeRows.addAll(keyChanges);
    }
    StagedRows insertSet = staged(StagingShape.INSERTS, completeRows);

    if (careful || !plan.matchesOneAtMost()) {
      requireMatches("delete", deleteSet);
      requireMatches("update", updateSet);
      requireMatches("key change", keyChangeSet);
    }

    session.enter(ApplyStage.DELETE);
    delete("delete", deleteSet);
    if (keyChangesKeep) {
      deleteKeyChanges(keyChangeSet, keptOfKeyChanges);
    } else {
      delete("key change", keyChangeSet);
    }
    long[] deletedByChunk = deleteSensitiveUpdates(updateSet);
    session.enter(ApplyStage.UPDATE);
    update(updateSet, deletedByChunk);
    session.enter(ApplyStage.INSERT);
    if (keyChangesKeep) {
      reinsert("key change", keyChangeSet, unchangedInKeyChanges, keyChanges.size());
    }
    if (deletedUpdates > 0) {
      reinsert("update", updateSet, unchangedInUpdates, deletedUpdates);
    }
    insert(insertSet);
    session.enter(ApplyStage.PREPARE);
    return new TableCounters(
        inserts.size(), updates.size() + (long) keyChanges.size(), deletes.size(), 0);
  }

  /**
   * The keys of inserted rows, and of updated rows if updates may be deleted and inserted again.
   */
  List<Row> insertedKeys() {
    List<Row> keys = new ArrayList<>();
    inserts.forEach(change -> keys.add(plan.schema().matchOf(change.row())));
    keyChanges.forEach(change -> keys.add(plan.schema().matchOf(change.row())));
    if (mayDeleteUpdates()) {
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

  private StagedRows staged(StagingShape shape, List<NetChange> changes) {
    List<NetChange> sorted = KeyOrder.of(plan.schema(), changes);
    return new StagedRows(session, plan, shape, StagedRowValues.ofChanges(sorted));
  }

  private boolean mayDeleteUpdates() {
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

  private void requireMatches(String operation, StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      List<String> misses =
          session.attempt(
              "check the rows of a " + operation + " on " + plan.table().id(),
              () ->
                  set.texts(chunk, from -> statements.misses(plan, set.shape(), from, NAMED_KEYS)));
      if (!misses.isEmpty()) {
        throw new SluiceException.Data(
            "%s on %s: expected each of %d rows to match one row, found: %s"
                .formatted(operation, plan.table().id(), chunk.size(), String.join("; ", misses)),
            null);
      }
    }
  }

  private void delete(String operation, StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      long deleted =
          session.attempt(
              operation + " on " + plan.table().id(),
              () -> set.update(chunk, from -> statements.delete(plan, set.shape(), from)));
      mustEqual(plan, operation, chunk.size(), deleted);
    }
  }

  private void deleteKeyChanges(StagedRows set, List<TargetColumn> keptColumns) {
    for (Chunk chunk : set.chunks()) {
      long deleted =
          session.attempt(
              "key change on " + plan.table().id(),
              () -> {
                String kept = keptTable(set, keptColumns);
                return set.update(
                    chunk, statements.deleteKeeping(plan, set.shape(), kept, keptColumns, false));
              });
      mustEqual(plan, "key change", chunk.size(), deleted);
    }
  }

  private long[] deleteSensitiveUpdates(StagedRows set) {
    long[] deletedByChunk = new long[set.chunks().size()];
    if (!mayDeleteUpdates()) {
      return deletedByChunk;
    }
    List<TargetColumn> keptColumns = keptColumns(unchangedInUpdates);
    for (int i = 0; i < deletedByChunk.length; i++) {
      Chunk chunk = set.chunks().get(i);
      deletedByChunk[i] =
          session.attempt(
              "delete rows to be updated from " + plan.table().id(),
              () -> {
                String kept = keptTable(set, keptColumns);
                return set.update(
                    chunk, statements.deleteKeeping(plan, set.shape(), kept, keptColumns, true));
              });
      deletedUpdates += deletedByChunk[i];
    }
    return deletedByChunk;
  }

  private void update(StagedRows set, long[] deletedByChunk) {
    for (int i = 0; i < deletedByChunk.length; i++) {
      Chunk chunk = set.chunks().get(i);
      if (deletedByChunk[i] < chunk.size()) {
        long updated = session.attempt("update on " + plan.table().id(), () -> update(set, chunk));
        mustEqual(plan, "update", chunk.size(), deletedByChunk[i] + updated);
      } else {
        mustEqual(plan, "update", chunk.size(), deletedByChunk[i]);
      }
    }
  }

  private long update(StagedRows set, Chunk chunk) throws SQLException {
    if (plan.settable().length == 0) {
      return Long.parseLong(
          set.texts(chunk, from -> statements.countMatches(plan, set.shape(), from)).get(0));
    }
    Optional<NamedUpdate> named = statements.namedUpdate(plan, set.shape());
    return named.isPresent()
        ? set.update(chunk, named.get())
        : set.update(chunk, from -> statements.update(plan, set.shape(), from, unchangedInUpdates));
  }

  private void reinsert(String operation, StagedRows set, BitSet unchanged, long expected) {
    long inserted = 0;
    for (Chunk chunk : set.chunks()) {
      inserted +=
          session.attempt(
              operation + " on " + plan.table().id(),
              () -> {
                String kept = keptTable(set, keptColumns(unchanged));
                return set.update(chunk, from -> statements.reinsert(plan, from, kept, unchanged));
              });
    }
    mustEqual(plan, operation, expected, inserted);
  }

  private void insert(StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      long inserted = session.attempt("insert into " + plan.table().id(), () -> set.insert(chunk));
      mustEqual(plan, "insert", chunk.size(), inserted);
    }
  }

  /** The temporary table for a set's old values; empty at the first call. */
  private String keptTable(StagedRows set, List<TargetColumn> columns) throws SQLException {
    return StagedValues.table(session, plan, set.shape(), columns, this);
  }
}
