package dev.sluice.engine.capture;

import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskIdentity;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of the source on the target. One that an earlier version recorded may name any
 * server at an address. It is replaced by the present form once a capture has started: only that
 * start compares the server with the journal. Made before it; owned by the daemon's main thread.
 */
final class RecordedSource {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedSource.class);

  private final TaskContext context;
  private final SourceIdentity before;

  RecordedSource(TaskContext context) {
    this.context = context;
    this.before = context.source().identity();
  }

  /**
   * Records the present identity, after a capture has started.
   *
   * @param started the checkpoint under which it has
   * @return the checkpoint as it is recorded now
   */
  Checkpoint renew(Checkpoint started) {
    boolean renews = isFormer(started.source().map(Checkpoint.SourceServer::systemIdentifier));
    boolean renewsTask = isFormer(context.ownership().read().map(TaskIdentity::sourceSystem));
    // The address may lead to another server since the capture was started.
    if (!(renews || renewsTask) || !context.source().identity().equals(before)) {
      return started;
    }
    LOG.info("the source is {} from now on; it was recorded in a former way", before);
    if (renewsTask) {
      context.identities().sourceSystem(started, before.system());
    }
    if (!renews) {
      return started;
    }
    Checkpoint renewed = started.ofSource(ServerOfSource.of(before));
    context.checkpoints().write(renewed);
    return renewed;
  }

  private boolean isFormer(Optional<String> recorded) {
    return recorded
        .filter(system -> !system.equals(before.system()))
        .filter(system -> context.source().identityAs(system).system().equals(system))
        .isPresent();
  }
}
