package dev.sluice.engine.cutover;

import dev.sluice.config.TableId;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.load.UsedTables;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The tables of the target that a cutover writes to, and that nobody else may use then. Read while
 * writers go on: they need not wait for it. Used by the cutover's thread.
 */
final class NeededTables {
  private final TaskContext context;
  private final CutoverProgress progress;
  private final Clock intervals;
  private final List<TableId> standIns;

  /**
   * @param standIns the target's tables that stand for sequences
   * @param intervals for elapsed time
   */
  NeededTables(
      TaskContext context, CutoverProgress progress, List<TableId> standIns, Clock intervals) {
    this.context = context;
    this.progress = progress;
    this.intervals = intervals;
    this.standIns = List.copyOf(standIns);
  }

  /**
   * Waits until nobody uses them.
   *
   * @return whether that has held up the task's windows
   */
  boolean awaitUnused() throws InterruptedException {
    OwnWork ownWork = new OwnWork(intervals, this::sleep);
    requireUnused(ownWork);
    return ownWork.isHeldUp();
  }

  private void sleep(Duration pause) throws InterruptedException {
    progress.step("waiting until nobody uses the target's tables");
    Thread.sleep(pause.toMillis());
  }

  /**
   * Requires that nobody uses them now.
   *
   * @throws dev.sluice.config.document.SluiceException if somebody does
   */
  void requireUnused() throws InterruptedException {
    requireUnused(UsedTables.Again.NEVER);
  }

  private void requireUnused(UsedTables.Again again) throws InterruptedException {
    Set<TableId> needed = new TreeSet<>(standIns);
    context.replicated().stream()
        .map(context.config().tableMappings()::targetOf)
        .forEach(needed::add);
    UsedTables.refuse(context.target(), needed, again);
  }
}
