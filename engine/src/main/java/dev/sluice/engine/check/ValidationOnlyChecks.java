package dev.sluice.engine.check;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TableDifference;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.target.TargetChecks;
import java.util.List;
import java.util.Optional;

/**
 * Checks source and target before a task that only compares runs. It needs no slot, no right to
 * write tables, and no Kafka. Changes nothing. Used by one thread.
 */
public final class ValidationOnlyChecks {
  private final TaskContext context;
  private final CheckReport found = new CheckReport();

  public ValidationOnlyChecks(TaskContext context) {
    this.context = context;
  }

  /** Runs all checks. */
  public TaskChecks.Findings findings() {
    TaskConfig config = context.config();
    found.notes(config.taskSettings().notes());
    found.notes(config.tableMappings().notes());
    context
        .notComparable()
        .or(() -> TargetLimits.ofSnapshotAge(context.target().dialect(), config.taskSettings()))
        .map(List::of)
        .ifPresent(found::problems);
    // Its notes are for tasks that keep the source's log.
    CheckReport ofSource = new CheckReport();
    List<CatalogTable> carried =
        new TaskSourceChecks(
                context,
                FollowedTables.of(List.of()),
                TableDifference.IS_A_PROBLEM,
                false,
                false,
                ofSource)
            .run()
            .tables();
    List<TableId> tables = carried.stream().map(CatalogTable::table).toList();
    found.problems(ofSource.build("").problems());
    found.problems(TaskLimitChecks.problems(config, context.target().dialect(), carried));
    found.problems(
        TargetChecks.ofControlSchema(
            context.target(),
            context.controlSchema(),
            "a schema in which the task lists the rows that differ"));
    if (!found.hasProblems()) {
      checkBoth(tables);
    }
    return found.build(
        "compares %s of %s with %s once, and writes none of them"
            .formatted(
                Counted.of(tables.size(), "table"), config.source().endpoint(), config.target()));
  }

  private void checkBoth(List<TableId> tables) {
    try {
      replicates(context).map(List::of).ifPresent(found::problems);
      found.problems(
          TargetChecks.ofNames(
              context.target(),
              tables.stream().map(context.config().tableMappings()::targetOf).toList()));
      SelfTarget.check(found, context, tables);
    } catch (SluiceException e) {
      found.failure("source and target", e);
    }
  }

  /**
   * The problem that a task of this name replicates, or once did: its control rows are not those of
   * a task that only compares.
   *
   * @throws SluiceException if the target does not answer
   */
  public static Optional<Problem> replicates(TaskContext context) {
    boolean known =
        context.checkpoints().read(context.task()).isPresent()
            || context.ownership().read().isPresent();
    return known
        ? Optional.of(
            new Problem(
                "task " + context.task(),
                "a task of this name replicates, or did: schema "
                    + context.controlSchema()
                    + " of the target has its progress",
                "another name for a task with ValidationOnly",
                "Choose another name: task. To compare what that task replicates, run sluice"
                    + " validate with its task file, which is exact also while changes are"
                    + " applied"))
        : Optional.empty();
  }
}
