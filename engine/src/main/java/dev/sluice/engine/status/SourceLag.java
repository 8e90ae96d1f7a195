package dev.sluice.engine.status;

import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Measures a lag behind the source's log, in time: how long ago the log's end passed the position
 * that was reached. Pure: the time is passed in. Not threadsafe; owned by the monitor thread.
 */
public final class SourceLag {
  private static final int SAMPLES = 4096;

  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  /** Adds the end of the source's log, as just read. */
  public void sample(Instant now, Position end) {
    if (!samples.isEmpty() && samples.peekLast().end().equals(end)) {
      return;
    }
    samples.addLast(new Sample(now, end));
    if (samples.size() > SAMPLES) {
      samples.removeFirst();
    }
  }

  /**
   * The time since the source's log passed a position; zero if it has not.
   *
   * @param lastCommit the commit time of the last transaction up to the position; the lag counts
   *     from it if the log had passed the position before the first sample
   */
  public Duration behind(Instant now, Position reached, Optional<Instant> lastCommit) {
    boolean first = true;
    for (Sample sample : samples) {
      if (sample.end().isAfter(reached)) {
        Instant since =
            first
                ? lastCommit.filter(at -> at.isBefore(sample.at())).orElse(sample.at())
                : sample.at();
        return since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
      }
      first = false;
    }
    return Duration.ZERO;
  }

  private record Sample(Instant at, Position end) {}
}
