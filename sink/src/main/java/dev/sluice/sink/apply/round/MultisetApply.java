package dev.sluice.sink.apply.round;

import static dev.sluice.sink.apply.plan.ApplySession.mustEqual;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.round.StagedRows.Chunk;
import dev.sluice.sink.target.MultisetStatements;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import dev.sluice.sink.window.compaction.TableChanges.Multiset;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * Applies one round's changes of one table without a key: deletes copies of rows, then inserts
 * copies. If the target has additional columns, an updated row keeps their values. Owned by the
 * apply thread; single use.
 */
final class MultisetApply {
  private static final int NAMED_ROWS = 10;

  private final ApplySession session;
  private final TablePlan plan;
  private final MultisetStatements statements;
  private final Multiset captured;

  /** The changes to apply; summed up unless updates must keep additional columns. */
  private final Multiset changes;

  MultisetApply(ApplySession session, TablePlan plan, Multiset captured) {
    this.session = session;
    this.plan = plan;
    this.statements = session.dialect().multiset();
    this.captured = captured;
    this.changes = plan.targetOnly().isEmpty() ? captured.summed() : captured;
  }

  /**
   * Applies the changes.
   *
   * @param careful first counts the existing copies, so that an error names the missing rows
   */
  TableCounters apply(boolean careful) {
    StagedRows deletes = staged(StagingShape.COPIES, StagedRowValues.ofCopies(changes.takeAway()));
    StagedRows updates =
        staged(StagingShape.keyChanges(false), StagedRowValues.ofChanges(changes.updates()));
    StagedRows inserts = staged(StagingShape.INSERTS, StagedRowValues.ofCopies(changes.putIn()));
    if (careful) {
      requireMatches("delete", deletes);
      requireMatches("update", updates);
    }
    session.enter(ApplyStage.DELETE);
    for (Chunk chunk : deletes.chunks()) {
      BitSet compared = neverNull(chunk, index -> changes.takeAway().get(index).row());
      long deleted =
          run("delete on ", deletes, chunk, from -> statements.delete(plan, from, compared));
      mustEqual(
          plan, "delete", copies(changes.takeAway().subList(chunk.from(), chunk.to())), deleted);
    }
    session.enter(ApplyStage.UPDATE);
    for (Chunk chunk : updates.chunks()) {
      BitSet compared = neverNull(chunk, index -> changes.updates().get(index).match());
      String kept = keptTable(updates.shape());
      long deleted =
          session.attempt(
              "update on " + plan.table().id(),
              () -> updates.update(chunk, statements.deleteForUpdate(plan, compared, kept)));
      mustEqual(plan, "update", chunk.size(), deleted);
    }
    for (Chunk chunk : updates.chunks()) {
      String kept = keptTable(updates.shape());
      long inserted =
          run(
              "update on ",
              updates,
              chunk,
              from -> session.dialect().keyed().reinsert(plan, from, kept, new BitSet()));
      mustEqual(plan, "update", chunk.size(), inserted);
    }
    session.enter(ApplyStage.INSERT);
    for (Chunk chunk : inserts.chunks()) {
      long inserted =
          session.attempt("insert into " + plan.table().id(), () -> inserts.insert(chunk));
      mustEqual(
          plan, "insert", copies(changes.putIn().subList(chunk.from(), chunk.to())), inserted);
    }
    session.enter(ApplyStage.PREPARE);
    return new TableCounters(
        copies(captured.putIn()), captured.updates().size(), copies(captured.takeAway()), 0);
  }

  private StagedRows staged(StagingShape shape, StagedRowValues rows) {
    return new StagedRows(session, plan, shape, rows);
  }

  private long run(String attempted, StagedRows set, Chunk chunk, UnaryOperator<String> sql) {
    return session.attempt(attempted + plan.table().id(), () -> set.update(chunk, sql));
  }

  /** The columns that are not NULL in any of a chunk's rows. */
  private BitSet neverNull(Chunk chunk, IntFunction<Row> rows) {
    BitSet never = new BitSet();
    never.set(0, plan.columnCount());
    for (int i = chunk.from(); i < chunk.to(); i++) {
      ValueCursor cursor = rows.apply(i).cursor();
      for (int source = 0; cursor.next(); source++) {
        if (!cursor.hasBytes()) {
          never.clear(source);
        }
      }
    }
    return never;
  }

  private String keptTable(StagingShape shape) {
    return session.attempt(
        "keep old values of " + plan.table().id(),
        () -> StagedValues.table(session, plan, shape, plan.targetOnly(), this));
  }

  private static long copies(List<Copies> rows) {
    return rows.stream().mapToLong(Copies::copies).sum();
  }

  private void requireMatches(String operation, StagedRows set) {
    for (Chunk chunk : set.chunks()) {
      List<String> misses =
          session.attempt(
              "check the rows of a " + operation + " on " + plan.table().id(),
              () ->
                  set.texts(chunk, from -> statements.misses(plan, set.shape(), from, NAMED_ROWS)));
      if (!misses.isEmpty()) {
        throw new SluiceException.Data(
            "%s on %s, a table without a key: %s"
                .formatted(operation, plan.table().id(), String.join("; ", misses)),
            null);
      }
    }
  }
}
