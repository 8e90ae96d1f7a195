package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.load.RowGuard;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The target tables with rows of an interrupted load, from the task's steps on the target. After a
 * complete load there are none, since others may have written to them. Immutable.
 */
public final class PreparedTables {
  private final Set<TableId> tables;

  private PreparedTables(Set<TableId> tables) {
    this.tables = Set.copyOf(tables);
  }

  public static PreparedTables of(List<TaskStep> steps) {
    return new PreparedTables(
        StartPlan.isLoaded(steps)
            ? Set.of()
            : steps.stream()
                .filter(step -> step.step().equals(TaskStepNames.PREPARED))
                .findFirst()
                .map(step -> FollowedTables.parse(step.detail()))
                .orElse(Set.of()));
  }

  /** These tables and others. */
  public PreparedTables and(Collection<TableId> others) {
    Set<TableId> all = new TreeSet<>(tables);
    all.addAll(others);
    return new PreparedTables(all);
  }

  /** These tables as the detail of a step. */
  public String detail() {
    return FollowedTables.detail(new TreeSet<>(tables));
  }

  /** The guard that protects rows in all other tables. */
  public RowGuard guard(TaskContext context) {
    return context.rowGuard(tables::contains);
  }
}
