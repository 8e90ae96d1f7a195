package dev.sluice.engine.daemon;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.check.OwnershipChecks;
import dev.sluice.engine.check.UnknownCutovers;
import dev.sluice.engine.context.DataDirectoryVersion;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.DaemonPresence;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/**
 * Requires that a task may use its source, target and Kafka from here, and marks on them what is
 * its own. Repeatable. Owned by the daemon's main thread.
 */
final class ServerClaim {
  private final TaskContext context;
  private final Journal journal;
  private final DaemonPresence presence;

  ServerClaim(TaskContext context, Journal journal, DaemonPresence presence) {
    this.context = context;
    this.journal = journal;
    this.presence = presence;
  }

  /**
   * Makes the servers the task's own.
   *
   * @param checkpoint as stored on the target; empty if the task never started
   * @throws SluiceException.Fatal if they are another's; nothing is changed then
   */
  void make(StartPlan plan, Optional<Checkpoint> checkpoint) {
    boolean captures = context.config().migrationType().captures();
    new OwnershipChecks(context).require();
    UnknownCutovers.require(context);
    requireOwnTopics();
    new DaemonLocation(context, () -> journal.topicId().map(Uuid::toString))
        .require(plan, checkpoint, presence);
    if (captures) {
      journal.create();
    }
    context.checkpoints().create();
    // What the task remembers is of this version now. An earlier Sluice refuses it then.
    DataDirectoryVersion.write(context.config().dataDir());
    context.ownership().begin(context.source());
    if (captures && context.config().kafka().isPresent()) {
      journal.own(context.ownership().mark().id().toString(), context.ownership().mark().text());
    }
  }

  /** On a cluster that others use as well, refuses topics of another task. */
  private void requireOwnTopics() {
    if (context.config().kafka().isPresent()) {
      journal
          .anothers(context.ownership().mark().id().toString())
          .ifPresent(
              problem -> {
                throw new SluiceException.Fatal(problem);
              });
    }
  }
}
