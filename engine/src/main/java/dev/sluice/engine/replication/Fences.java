package dev.sluice.engine.replication;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Writes fences into the source's log and waits until they have passed the sink. This proves that
 * all that was committed before is durable on the target. Threadsafe.
 */
public final class Fences {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration SOURCE_RETRY = Duration.ofSeconds(1);

  private final SourceLog log;
  private final Supplier<Optional<Replication>> running;
  private final Supplier<Optional<String>> ended;
  private final Clock clock;

  /**
   * @param running the replication at present; empty while none runs
   * @param ended why no fence will pass any more; empty while the task runs
   */
  public Fences(
      SourceLog log,
      Supplier<Optional<Replication>> running,
      Supplier<Optional<String>> ended,
      Clock clock) {
    this.log = log;
    this.running = running;
    this.ended = ended;
    this.clock = new MonotonicClock(clock);
  }

  /**
   * The result of waiting for a fence.
   *
   * @param fence its position in the source's log; null if none was written
   * @param missing empty if it has passed; else what is still missing
   */
  public record Passage(Position fence, Optional<String> missing) {}

  /**
   * Writes a fence once a replication runs, and waits for it. If the replication is replaced
   * meanwhile, another fence is written: the new one has no record of the old fence.
   */
  public Passage pass(Duration timeout) throws InterruptedException {
    Fence fence = new Fence();
    return Polling.every(POLL_INTERVAL, clock)
        .until(timeout, fence::look, Optional::isPresent)
        .orElseGet(() -> new Passage(fence.position, Optional.of(missing() + fence.failure)));
  }

  /** A fence that is waited for; written again for each new replication. Used by one thread. */
  private final class Fence {
    private final Retries emission = new Retries(RetryPolicy.every(SOURCE_RETRY), clock);
    private Replication writtenFor;
    private Position position;
    private String failure = "";

    /** The result, if it is known by now. */
    Optional<Passage> look() {
      Optional<String> end = ended.get();
      if (end.isPresent()) {
        return Optional.of(new Passage(position, end));
      }
      Optional<Replication> now = running.get();
      if (now.isPresent() && now.get() != writtenFor && emission.isDue()) {
        try {
          position = log.emitFence();
          writtenFor = now.get();
          failure = "";
        } catch (SluiceException.Retryable e) {
          failure = "; " + e.getMessage();
          emission.failed();
        }
      }
      return writtenFor != null && writtenFor.sink().hasPassed(position)
          ? Optional.of(new Passage(position, Optional.empty()))
          : Optional.empty();
    }
  }

  private String missing() {
    Optional<Replication> now = running.get();
    if (now.isEmpty()) {
      return "no changes are being applied at present";
    }
    SinkProgress sink = now.get().sink();
    String state = sink.detail().isEmpty() ? "" : ", " + sink.state() + ": " + sink.detail();
    return "the target is at %s (durable %s), the journal at %s, %s in memory%s"
        .formatted(
            sink.apply().applied().position(),
            sink.apply().durable().position(),
            now.get().captured().acknowledged(),
            Counted.of(sink.intake().backlogChanges(), "change"),
            state);
  }
}
