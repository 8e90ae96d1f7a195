package dev.sluice.engine.replication;

import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a resync whose tables are proven equal. Owned by the daemon's main thread. */
final class ResyncEnd {
  private static final Logger LOG = LoggerFactory.getLogger(ResyncEnd.class);

  private final TaskContext context;

  ResyncEnd(TaskContext context) {
    this.context = context;
  }

  /**
   * Records that the resync is done, and deletes the rejected changes, which the repair has made up
   * for. Called when all lanes are drained. If a change was rejected since the proof began, the
   * resync goes on: the row of that change may differ.
   *
   * @param newestRejected the number of the newest rejected change before the proof began
   */
  void record(Checkpoint claimed, long newestRejected) {
    RejectedChanges rejected = new RejectedChanges(context.controlSchema(), context.task());
    AtomicBoolean done = new AtomicBoolean();
    context
        .checkpoints()
        .change(
            claimed,
            "end the resync",
            connection -> {
              done.set(rejected.forgetAll(connection, newestRejected));
              if (done.get()) {
                context
                    .steps()
                    .record(connection, claimed, TaskStepNames.RESYNC, TaskStepNames.RESYNC_DONE);
              }
            });
    if (done.get()) {
      LOG.info("the resync is done: every row of every table is proven equal");
    } else {
      LOG.info("the resync goes on: a change was rejected while the tables were compared");
    }
  }
}
