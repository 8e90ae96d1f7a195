package dev.sluice.engine.capture;

import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.validation.ValidationStore;

/**
 * Deletes the progress that means nothing once changes are applied from a new position of the
 * source's log. Owned by the daemon's main thread.
 */
final class ResyncStart {
  private final TaskContext context;

  ResyncStart(TaskContext context) {
    this.context = context;
  }

  /**
   * Forgets which tables are suspended, up to where a load has copied each table, and what the
   * validation has read. All rows are compared, and a source that was set back has earlier
   * positions.
   */
  void forgetProgress(Checkpoint claimed) {
    SuspendedTables suspended = new SuspendedTables(context.controlSchema(), context.task());
    ValidationStore validated =
        new ValidationStore(context.target(), context.controlSchema(), context.task());
    context
        .checkpoints()
        .change(
            claimed,
            "begin the resync",
            connection -> {
              suspended.forget(connection);
              validated.forgetPasses(connection);
              context.loadMarks().startAnywhere(connection);
            });
  }
}
