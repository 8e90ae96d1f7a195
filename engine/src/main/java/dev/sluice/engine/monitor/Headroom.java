package dev.sluice.engine.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;

/**
 * Estimates for how long the room on a disk will do, from how fast it became less over the last
 * minutes. Pure: the time is passed in. Not threadsafe.
 */
final class Headroom {
  /*
   * What is kept comes and goes in steps: the source's log by files of 16 MB, the journal by whole
   * segments. The straight line through all samples of the window is moved less by one such step
   * than the line from its first to its last sample.
   */
  private final Duration window;
  private final Duration least;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  /**
   * @param window over which the rate is taken
   * @param least without that much of it there is no rate yet
   */
  Headroom(Duration window, Duration least) {
    this.window = window;
    this.least = least;
  }

  /**
   * Takes what was measured.
   *
   * @param used bytes that are held
   * @param room bytes that may still come; empty where nothing limits them
   */
  void sample(Instant now, long used, OptionalLong room) {
    if (!samples.isEmpty() && samples.peekLast().room().isPresent() != room.isPresent()) {
      samples.clear();
    }
    samples.addLast(new Sample(now, used, room));
    while (Duration.between(samples.peekFirst().at(), now).compareTo(window) > 0) {
      samples.removeFirst();
    }
  }

  /** How many bytes of room go in a second; negative where it grows, 0 while unknown. */
  double bytesPerSecond() {
    if (samples.isEmpty() || span().compareTo(least) < 0) {
      return 0;
    }
    return samples.peekLast().room().isPresent()
        ? -slope(sample -> sample.room().getAsLong())
        : slope(Sample::used);
  }

  /** Until no room is left at that rate; empty where nothing limits it, or none goes. */
  Optional<Duration> left() {
    double rate = bytesPerSecond();
    if (samples.isEmpty() || samples.peekLast().room().isEmpty() || rate < 1) {
      return Optional.empty();
    }
    double seconds = samples.peekLast().room().getAsLong() / rate;
    return Optional.of(Duration.ofSeconds((long) Math.max(0, seconds)));
  }

  private Duration span() {
    return Duration.between(samples.peekFirst().at(), samples.peekLast().at());
  }

  /** Of the straight line with the least squares. */
  private double slope(ToDoubleFunction<Sample> value) {
    Instant origin = samples.peekFirst().at();
    double meanSeconds = samples.stream().mapToDouble(s -> seconds(origin, s)).average().orElse(0);
    double mean = samples.stream().mapToDouble(value).average().orElse(0);
    double product = 0;
    double square = 0;
    for (Sample sample : samples) {
      double seconds = seconds(origin, sample) - meanSeconds;
      product += seconds * (value.applyAsDouble(sample) - mean);
      square += seconds * seconds;
    }
    return square == 0 ? 0 : product / square;
  }

  private static double seconds(Instant origin, Sample sample) {
    return Duration.between(origin, sample.at()).toMillis() / 1000.0;
  }

  private record Sample(Instant at, long used, OptionalLong room) {}
}
