package dev.sluice.engine.fallback;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.fallback.FallbackStateStore;
import java.time.Duration;
import java.util.UUID;

/*
 * It is a message and not a row: a row would need a table of ours in the publication. Whether the tables are
 * captured is checked for each of them.
 */
/**
 * Goes the way that a change would go: written into the log of the new side, seen as it comes out
 * of the kept log, noted on the old source by the role that applies the way back. Owned by the
 * daemon's main thread.
 */
final class WayBackCanary {
  private static final Polling POLLING = Polling.every(Duration.ofMillis(20));
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final TaskContext context;
  private final FallbackStateStore arrivals;

  WayBackCanary(TaskContext context) {
    this.context = context;
    this.arrivals =
        new FallbackStateStore(context.target(), context.controlSchema(), context.task());
  }

  /**
   * Sends one.
   *
   * @return how long it took
   * @throws SluiceException if it does not come through
   */
  Duration fly() throws InterruptedException {
    long begun = System.nanoTime();
    Position written = context.source().log().emitFence();
    if (!POLLING.until(LONGEST, () -> context.source().retainedChanges().shows(written))) {
      throw new SluiceException.Retryable(
          "the log of the new side does not show what was written into it %d s ago"
              .formatted(LONGEST.toSeconds()),
          null);
    }
    arrivals.arrived(UUID.randomUUID());
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
