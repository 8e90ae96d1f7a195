package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.load.MadeTables;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/*
 * Such a table is suspended, so it counts as followed. Nevertheless its rows on the target are not
 * the task's own.
 */
/**
 * Tables that were created on the source while the task ran, and whose name on the target is that
 * of a table which the task neither created nor loaded. Known only on targets where a table carries
 * the mark of the task that created it. Stateless.
 */
public final class UntakenTables {
  private UntakenTables() {}

  public static List<TableId> among(TaskContext context, Collection<TableId> tables) {
    return among(context, context.steps().all(context.task()), tables);
  }

  /**
   * The same with steps that were already read.
   *
   * @param steps all of the task
   */
  public static List<TableId> among(
      TaskContext context, List<TaskStep> steps, Collection<TableId> tables) {
    Optional<MadeTables> made = MadeTables.again(context.target(), context.rowGuard(table -> true));
    if (made.isEmpty()) {
      return List.of();
    }
    return FollowedTables.of(steps).newAmong(tables).stream()
        .filter(table -> !isTaken(steps, table))
        .filter(table -> !made.get().mayMakeAgain(context.config().tableMappings().targetOf(table)))
        .toList();
  }

  private static boolean isTaken(List<TaskStep> steps, TableId table) {
    return steps.stream().anyMatch(step -> step.step().equals(TaskStepNames.FIRST_LOAD + table));
  }
}
