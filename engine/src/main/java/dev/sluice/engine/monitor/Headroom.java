package dev.sluice.engine.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;

/**
 * Estimates when a disk will be full, from the rate of the last minutes. Pure: the time is passed
 * in. Not threadsafe.
 */
final class Headroom {
  /*
   * Sizes change in steps: the source's log by files of 16 MB, the journal by whole segments. A
   * least-squares line through all samples is changed less by one step than a line from the first
   * to the last sample.
   */
  private final Duration window;
  private final Duration least;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  /**
   * @param window over which the rate is measured
   * @param least the shortest part of the window that gives a rate
   */
  Headroom(Duration window, Duration least) {
    this.window = window;
    this.least = least;
  }

  /**
   * Adds a measurement.
   *
   * @param used bytes that are held
   * @param room bytes that may still be added; empty without a limit
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

  /** Bytes by which the room shrinks each second; negative if it grows, empty while unknown. */
  OptionalDouble bytesPerSecond() {
    if (samples.isEmpty() || span().compareTo(least) < 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(
        samples.peekLast().room().isPresent()
            ? -slope(sample -> sample.room().getAsLong())
            : slope(Sample::used));
  }

  /** Whether the room shrinks, and less than half of that is what is held. */
  boolean isFilledByOthers() {
    double rate = bytesPerSecond().orElse(0);
    return rate >= 1 && slope(Sample::used) < rate / 2;
  }

  /** Time until no room is left at that rate; empty without a limit, or if it does not shrink. */
  Optional<Duration> left() {
    double rate = bytesPerSecond().orElse(0);
    if (samples.isEmpty() || samples.peekLast().room().isEmpty() || rate < 1) {
      return Optional.empty();
    }
    double seconds = samples.peekLast().room().getAsLong() / rate;
    return Optional.of(Duration.ofSeconds((long) Math.max(0, seconds)));
  }

  private Duration span() {
    return Duration.between(samples.peekFirst().at(), samples.peekLast().at());
  }

  /** The slope of the least-squares line. */
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
