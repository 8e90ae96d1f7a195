package dev.sluice.engine.replication;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every few seconds whether the publication still sends what it sent when the task began to
 * read it: what somebody takes out of it is missing in the log, and nothing else tells. Threadsafe.
 */
final class PublicationWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PublicationWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final TaskContext parts;
  private final PeriodicTask lookout;
  private volatile SluiceException failure;

  private PublicationWatch(TaskContext parts) {
    this.parts = parts;
    this.lookout =
        new PeriodicTask(
            "sluice-publication-watch",
            INTERVAL,
            this::look,
            // A source that is away is told of by who reads it.
            e -> LOG.debug("the publication is not watched at present: {}", e.getMessage()));
  }

  /** Begins to look. */
  static PublicationWatch start(TaskContext parts) {
    PublicationWatch watch = new PublicationWatch(parts);
    watch.lookout.start();
    return watch;
  }

  /** Why the task cannot go on: changes are missing. */
  Optional<SluiceException> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public void close() {
    lookout.close();
  }

  private void look() {
    List<Problem> problems =
        parts.source().publication().leavingOut(parts.config().tableMappings());
    if (!problems.isEmpty()) {
      failure = new SluiceException.Fatal(problems);
    }
  }
}
