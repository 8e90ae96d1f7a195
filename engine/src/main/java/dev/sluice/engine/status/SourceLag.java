package dev.sluice.engine.status;

import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * How far a follower is behind the end of the source's log, in time: since when the source has been
 * ahead of the position that the follower has reached. Pure: the time is passed in. Not threadsafe;
 * owned by the status thread.
 */
public final class SourceLag {
  private static final int SAMPLES = 4096;

  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  /** The end of the source's log as it was just read. */
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
   * The time since the source's log went beyond a position; zero where it is not beyond it.
   *
   * @param lastCommit the commit time of the last transaction up to the position; what is told
   *     where the source was beyond the position before the first sample
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
