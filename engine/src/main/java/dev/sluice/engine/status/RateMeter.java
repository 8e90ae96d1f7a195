package dev.sluice.engine.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;

/**
 * Measures the rate of a counter over the last seconds. Pure: the time is passed in. Not
 * threadsafe.
 */
public final class RateMeter {
  private final Duration window;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  public RateMeter(Duration window) {
    this.window = window;
  }

  /** Adds the counter's value; a value below the last one resets the meter, as after a restart. */
  public void sample(Instant now, long count) {
    if (!samples.isEmpty() && count < samples.peekLast().count()) {
      samples.clear();
    }
    samples.addLast(new Sample(now, count));
    // One sample outside the window is kept: the rate is measured from it.
    while (samples.size() > 2 && isOutside(second(), now)) {
      samples.removeFirst();
    }
  }

  /** The rate per second; 0 before the second sample. */
  public double perSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    Sample first = samples.peekFirst();
    Sample last = samples.peekLast();
    double seconds = Duration.between(first.at(), last.at()).toNanos() / 1e9;
    return seconds <= 0 ? 0 : (last.count() - first.count()) / seconds;
  }

  private Sample second() {
    var iterator = samples.iterator();
    iterator.next();
    return iterator.next();
  }

  private boolean isOutside(Sample sample, Instant now) {
    return Duration.between(sample.at(), now).compareTo(window) > 0;
  }

  private record Sample(Instant at, long count) {}
}
