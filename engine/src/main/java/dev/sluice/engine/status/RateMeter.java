package dev.sluice.engine.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;

/**
 * The rate of a counter over the last seconds. Pure: the time is passed in. Not threadsafe; owned
 * by the status thread.
 */
public final class RateMeter {
  private final Duration window;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  public RateMeter(Duration window) {
    this.window = window;
  }

  /** Takes the counter's value; one that is below the last begins anew, as after a restart. */
  public void sample(Instant now, long count) {
    if (!samples.isEmpty() && count < samples.peekLast().count()) {
      samples.clear();
    }
    samples.addLast(new Sample(now, count));
    // The newest sample outside the window is the one to compare with.
    while (samples.size() > 2 && isOutside(second(), now)) {
      samples.removeFirst();
    }
  }

  /** Counts in a second; 0 before the second sample. */
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
