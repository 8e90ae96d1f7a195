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
 * The target tables whose rows are those of a load that was broken off, as the target remembers
 * them. After a load that came to its end there are none: others may have written since. Immutable.
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

  /** These and others. */
  public PreparedTables and(Collection<TableId> others) {
    Set<TableId> all = new TreeSet<>(tables);
    all.addAll(others);
    return new PreparedTables(all);
  }

  /** The detail of the step that remembers these tables. */
  public String detail() {
    return FollowedTables.detail(new TreeSet<>(tables));
  }

  /** What keeps the rows of others. */
  public RowGuard guard(TaskContext parts) {
    return parts.rowGuard(tables::contains);
  }
}
