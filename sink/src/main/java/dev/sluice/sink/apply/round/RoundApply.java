package dev.sluice.sink.apply.round;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.apply.plan.DifferingRows;
import dev.sluice.sink.apply.plan.InsertListener;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.plan.TablePlans;
import dev.sluice.sink.apply.round.Truncation.Emptying;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Applies rounds to the target inside the caller's transaction. Owned by the apply thread; used for
 * one transaction.
 */
public final class RoundApply {
  private final ApplySession session;
  private final TablePlans plans;
  private final ApplySettings settings;
  private final RoundScope scope;
  private final InsertListener insertListener;

  /**
   * @param settings tell whether the source's TRUNCATE is applied to the target, and what is done
   *     about changes that do not fit its rows
   */
  public RoundApply(
      ApplySession session,
      TablePlans plans,
      ApplySettings settings,
      RoundScope scope,
      InsertListener insertListener) {
    this.session = session;
    this.plans = plans;
    this.settings = settings;
    this.scope = scope;
    this.insertListener = insertListener;
  }

  /**
   * Applies one round.
   *
   * @param careful checks each change first, so that an error names the rows; slower
   * @param counts gets what was applied
   * @throws SluiceException.Data if the target rejects a change
   * @throws SluiceException.Table if the target lacks a table or a column
   */
  public void apply(Round round, boolean careful, AppliedCounts counts) {
    empty(round.truncate(), counts);
    if (round instanceof Round.Net net) {
      for (TableChanges table : net.tables()) {
        applyTable(table, careful, counts);
      }
    } else if (round instanceof Round.Ordered ordered) {
      applyOrdered(ordered.changes(), counts);
    } else if (round instanceof Round.Definitions definitions) {
      applyDefinitions(definitions.changes(), counts);
    } else {
      throw new IllegalStateException("BUG: no way to apply " + round.getClass());
    }
  }

  private void applyDefinitions(DefinitionChanges changes, AppliedCounts counts) {
    List<DefinitionChange> wanted =
        SuspendedDefinitions.others(changes.changes(), scope.suspended()::contains);
    if (wanted.isEmpty()) {
      return;
    }
    if (scope.catchesUp()) {
      SuspendedDefinitions.requireSameName(wanted);
    }
    session.enter(ApplyStage.DEFINITIONS);
    plans.alter(changes.only(wanted), counts);
    session.enter(ApplyStage.PREPARE);
  }

  private void empty(List<Emptied> emptied, AppliedCounts counts) {
    if (!settings.task().get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_TRUNCATED)) {
      return;
    }
    List<Emptying> emptyings = new ArrayList<>();
    for (Emptied each : emptied) {
      if (!scope.suspended().contains(each.table())) {
        emptyings.add(new Emptying(plans.toEmpty(each.table()), each.partitionCondition()));
        counts.addDefinition(each.table());
      }
    }
    if (!emptyings.isEmpty()) {
      session.enter(ApplyStage.DEFINITIONS);
    }
    Truncation.apply(session, emptyings);
    session.enter(ApplyStage.PREPARE);
  }

  private void applyTable(TableChanges changes, boolean careful, AppliedCounts counts) {
    TableId source = changes.schema().table();
    if (scope.suspended().contains(source)) {
      counts.add(source, new TableErrors(0, 0, changes.count()));
      return;
    }
    if (changes instanceof TableChanges.Ordered ordered) {
      applyOrdered(ordered.changes(), counts);
      return;
    }
    TablePlan plan = plans.plan(changes.schema(), counts);
    TableCounters counters;
    if (changes instanceof TableChanges.Keyed keyed) {
      KeyedApply apply = new KeyedApply(session, plan, fitted(plan, keyed.changes(), counts));
      counters = apply.apply(careful);
      if (insertListener.concern(plan)) {
        insertListener.note(plan, apply.insertedKeys());
      }
    } else if (changes instanceof TableChanges.Multiset multiset) {
      counters = new MultisetApply(session, plan, multiset).apply(careful);
      if (insertListener.concern(plan)) {
        insertListener.note(plan, List.of());
      }
    } else {
      throw new IllegalStateException("BUG: no way to apply " + changes.getClass());
    }
    counts.add(source, counters);
    if (scope.countsBytes()) {
      counts.addBytes(source, bytes(changes));
    }
  }

  private List<NetChange> fitted(TablePlan plan, List<NetChange> changes, AppliedCounts counts) {
    // Two rows of the target may match without a unique index; which one would be meant?
    if (settings.differingRows() == DifferingRows.REJECTED || !plan.matchesOneAtMost()) {
      return changes;
    }
    FittedChanges fitted = FittedChanges.of(session, plan, changes);
    counts.add(plan.schema().table(), new TableErrors(0, fitted.upserts(), 0));
    return fitted.changes();
  }

  private void applyOrdered(List<RowChange> changes, AppliedCounts counts) {
    session.enter(ApplyStage.ORDERED);
    OrderedApply apply =
        new OrderedApply(session, (plan, counters) -> counts.add(plan.schema().table(), counters));
    Map<TablePlan, List<Row>> inserted = new HashMap<>();
    for (RowChange change : changes) {
      TableId source = change.schema().table();
      if (scope.suspended().contains(source)) {
        counts.add(source, new TableErrors(0, 0, 1));
        continue;
      }
      if (plans.alters(change.schema())) {
        // The batch has rows of the old schema.
        apply.flush();
        inserted.forEach(insertListener::note);
        inserted.clear();
      }
      TablePlan plan = plans.plan(change.schema(), counts);
      apply.add(plan, change);
      if (scope.countsBytes()) {
        counts.addBytes(source, bytes(change.match()) + bytes(change.row()));
      }
      if (change.row() != null && insertListener.concern(plan)) {
        inserted
            .computeIfAbsent(plan, key -> new ArrayList<>())
            .add(plan.schema().matchOf(change.row()));
      }
    }
    apply.flush();
    session.enter(ApplyStage.PREPARE);
    inserted.forEach(insertListener::note);
  }

  private static long bytes(TableChanges changes) {
    long bytes = 0;
    if (changes instanceof TableChanges.Keyed keyed) {
      for (NetChange change : keyed.changes()) {
        bytes += bytes(change.match()) + bytes(change.row());
      }
    } else if (changes instanceof TableChanges.Multiset multiset) {
      for (Copies copies : multiset.takeAway()) {
        bytes += copies.copies() * bytes(copies.row());
      }
      for (Copies copies : multiset.putIn()) {
        bytes += copies.copies() * bytes(copies.row());
      }
    }
    return bytes;
  }

  private static long bytes(Row row) {
    return row == null ? 0 : row.encodedBytes();
  }
}
