package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.load.MadeTables;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/*
 * Such a table is suspended, and so it is among the followed ones. Its rows on the target are not
 * the task's own all the same.
 */
/**
 * Tables that the source got while the task ran, and in whose place on the target is one that the
 * task neither made nor loaded. Known only where a table carries the mark of the task that made it.
 * Stateless.
 */
public final class UntakenTables {
  private UntakenTables() {}

  public static List<TableId> among(TaskContext context, Collection<TableId> tables) {
    return among(context, context.steps().all(context.task()), tables);
  }

  /**
   * The same with what is read already.
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
