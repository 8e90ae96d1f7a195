package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.load.AnalysisStep;
import dev.sluice.load.MadeTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.load.PreparationLocks;
import dev.sluice.load.RowGuard;
import dev.sluice.load.TargetTablePreparation;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares the target tables for a load: creates, empties or checks them. Owned by the thread that
 * loads; has no state of its own.
 */
final class LoadPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(LoadPreparation.class);

  private final LoadRoute route;
  private final TargetServer target;
  private final TableMappings mappings;
  private final TaskSettings settings;
  private final CompletionStepStore journal;
  private final LoadDefinitions definitions;

  LoadPreparation(LoadRoute route, TaskSettings settings, CompletionSettings completion) {
    this.route = route;
    this.target = route.target();
    this.mappings = route.mappings();
    this.settings = settings;
    this.journal = completion.journal();
    this.definitions = new LoadDefinitions(route.source(), mappings, completion.runsCode());
  }

  /**
   * Returns a plan that keeps nothing if the tables to drop can only be dropped together with kept
   * ones. If even that is impossible, something outside the task depends on them; the drop reports
   * it. Where tables are made at once, one alone can be dropped.
   */
  LoadPlan withoutDependents(LoadPlan plan, List<TableId> leftBehind) {
    if (!makesTables() || plan.keepsNothing() || makesAtOnce()) {
      return plan;
    }
    List<TableId> dropped = targetsWithLeaves(plan.fromScratch(), leftBehind);
    LoadPlan keepingNothing = plan.keeping(List.of(), List.of());
    try (TargetConnection connection = target.borrow()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection, EpochFence.NONE);
      if (preparation.canDrop(dropped)
          || !preparation.canDrop(targetsWithLeaves(keepingNothing, leftBehind))) {
        return plan;
      }
    }
    LOG.warn(
        "tables that are kept depend on one of {}, which must be created again: all are loaded"
            + " again",
        dropped);
    return keepingNothing;
  }

  /**
   * Drops these tables together with those to create again, which may depend on them.
   *
   * @param guard protects what is not the task's own
   */
  void leaveBehind(LoadPlan plan, List<TableId> leftBehind, RowGuard guard, EpochFence fence) {
    List<TableId> targets = leftBehind.stream().map(mappings::targetOf).toList();
    if (!makesTables()) {
      LOG.warn(
          "loaded before and no longer among the task's tables, left as they are: {}", targets);
      journal.plan(targets, EnumSet.allOf(Kind.class), List.of(), fence);
      return;
    }
    Optional<MadeTables> made = MadeTables.on(target, guard);
    if (made.isPresent()) {
      made.get().dropOwn(targets, fence);
      journal.plan(targets, EnumSet.allOf(Kind.class), List.of(), fence);
      return;
    }
    LOG.info("loaded before and no longer among the task's tables, dropped: {}", targets);
    try (TargetConnection connection = target.borrow()) {
      new TargetTablePreparation(connection, fence)
          .dropOwn(targetsWithLeaves(plan.fromScratch(), leftBehind), journal);
    }
  }

  /**
   * Prepares tables as TargetTablePrepMode says, and plans their completion.
   *
   * @param guard protects rows that are not the task's own
   */
  void prepare(LoadPlan plan, LoadAttempt attempt, RowGuard guard, EpochFence fence) {
    List<TableId> targets = plan.names().stream().map(mappings::targetOf).toList();
    List<CompletionStep> analyses =
        targets.stream()
            .flatMap(table -> AnalysisStep.of(target.dialect(), table).stream())
            .toList();
    refuse(MarkedTables.anothers(target, guard, targets));
    List<CompletionStep> own = List.of();
    if (makesAtOnce() && (makesTables() || attempt == LoadAttempt.RELOAD)) {
      TablesMadeAtOnce tables = TablesMadeAtOnce.of(plan, route, attempt, guard);
      if (makesTables() && (attempt != LoadAttempt.RELOAD || tables.areMadeAgain())) {
        refuse(tables.objections());
        tables.make(journal, analyses, fence);
        return;
      }
      own = tables.stepsOfOwn();
    }
    try (TargetConnection connection = target.borrow()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection, fence);
      Map<TableId, List<String>> computed =
          attempt == LoadAttempt.RELOAD
              ? new TargetFit(plan, mappings, connection).computedThere()
              : Map.of();
      if (!makesTables() || makesAtOnce()) {
        refuse(GeneratedOnTarget.problems(computed));
      }
      if (attempt == LoadAttempt.RELOAD
          && own.isEmpty()
          && new TargetFit(plan, mappings, connection).fits()) {
        journal.plan(targets, EnumSet.of(Kind.ANALYZE), analyses, fence);
        GeneratedOnTarget.log(computed);
        preparation.empty(targets, computed);
        return;
      }
      PrepMode mode = settings.get(FullLoadSettings.TARGET_TABLE_PREP_MODE);
      RowGuard rows =
          switch (attempt) {
            case FIRST -> guard.owningNothing();
            case AGAIN -> guard;
            case RELOAD -> RowGuard.NONE;
          };
      if (mode == PrepMode.DROP_AND_CREATE && !makesAtOnce()) {
        List<TableId> dropped = targetsWithLeaves(plan, List.of());
        TableDefinitions defined = definitions.of(plan, dropped, connection);
        if (attempt == LoadAttempt.AGAIN) {
          // What an earlier attempt made is not worth the locks of one transaction.
          preparation.dropOwn(dropped.stream().filter(guard.own()).toList(), journal);
        }
        rows.require(connection, dropped, mode);
        preparation.create(
            dropped,
            defined,
            !settings.get(FullLoadSettings.CREATE_PK_AFTER_FULL_LOAD),
            journal,
            analyses);
        return;
      }
      new TargetFit(plan, mappings, connection).requireColumns();
      rows.require(connection, targets, mode);
      // A table that is emptied again keeps its indexes, and what is known of them. One that the
      // task made may lack them, whatever the mode is now: a kill may have come between its
      // creation and their plan, or their steps still wait.
      Set<Kind> kinds =
          attempt == LoadAttempt.RELOAD && makesTables() && own.isEmpty()
              ? EnumSet.of(Kind.ANALYZE)
              : EnumSet.allOf(Kind.class);
      journal.plan(targets, kinds, Stream.concat(own.stream(), analyses.stream()).toList(), fence);
      preparation.empty(rows.emptied(connection, targets, mode));
    }
  }

  private static void refuse(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** Called before anything is recorded or changed. */
  void requireConsent(LoadPlan plan) {
    if (makesTables() && !definitions.runsCode() && !makesAtOnce()) {
      refuse(route.source().codeThatNeedsConsent(plan.names()));
    }
  }

  /** Called before anything is recorded or changed. */
  void requireOwnRows(LoadPlan plan, RowGuard guard) {
    Optional<MadeTables> making = makesTables() ? MadeTables.on(target, guard) : Optional.empty();
    if (making.isPresent()) {
      refuse(TablesMadeAtOnce.of(plan, route, making.get()).problems(targetsOf(plan)));
      return;
    }
    refuse(MarkedTables.anothers(target, guard, targetsOf(plan)));
    try (TargetConnection connection = target.borrow()) {
      PrepMode mode = settings.get(FullLoadSettings.TARGET_TABLE_PREP_MODE);
      refuse(guard.problem(connection, targetsOf(plan), mode).stream().toList());
      refuse(
          PreparationLocks.problem(connection, targetsOf(plan), mode, guard.own()).stream()
              .toList());
    }
  }

  /** The target tables whose rows {@link #prepare} would delete. */
  List<TableId> targetsOf(LoadPlan plan) {
    return targetsWithLeaves(plan, List.of());
  }

  private boolean makesTables() {
    return settings.get(FullLoadSettings.TARGET_TABLE_PREP_MODE) == PrepMode.DROP_AND_CREATE;
  }

  /** Whether the target drops and creates each table at once, and has no partitions of its own. */
  private boolean makesAtOnce() {
    return MadeTables.areOf(target.dialect());
  }

  /** Includes partitions, since one may exist on the target as a table of its own. */
  private List<TableId> targetsWithLeaves(LoadPlan plan, Collection<TableId> others) {
    boolean leaves = !makesTables() || !makesAtOnce();
    Stream<TableId> planned =
        plan.recorded().stream()
            .flatMap(
                table ->
                    Stream.concat(
                        Stream.of(table.table()),
                        table.leaves().stream().filter(leaf -> leaves).map(RecordedLeaf::leaf)));
    return Stream.concat(planned, others.stream()).map(mappings::targetOf).distinct().toList();
  }
}
