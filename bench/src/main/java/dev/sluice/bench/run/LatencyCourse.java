package dev.sluice.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Latencies and counters as they were about once a second, and what they say of a stretch of time.
 * Owned by one thread.
 */
public final class LatencyCourse {
  /** Rates are taken over at least this long: windows come in one piece. */
  private static final double RATE_SECONDS = 10;

  private final List<Sample> samples = new ArrayList<>();

  /**
   * @param at seconds since any one moment
   * @param source how far the journal is behind the source, in seconds
   * @param target how far the target is behind the source, in seconds
   * @param captured changes up to now
   * @param applied changes up to now
   */
  public record Sample(double at, double source, double target, long captured, long applied) {}

  public void add(Sample sample) {
    samples.add(sample);
  }

  /** Only what was sampled between two moments. */
  public LatencyCourse between(double from, double to) {
    LatencyCourse part = new LatencyCourse();
    samples.stream()
        .filter(sample -> sample.at() >= from && sample.at() <= to)
        .forEach(part.samples::add);
    return part;
  }

  public double maxSource() {
    return samples.stream().mapToDouble(Sample::source).max().orElse(0);
  }

  public double maxTarget() {
    return samples.stream().mapToDouble(Sample::target).max().orElse(0);
  }

  /**
   * The latency of the target that a part of the samples did not exceed.
   *
   * @param part such as 0.5 for the median
   */
  public double target(double part) {
    double[] sorted = samples.stream().mapToDouble(Sample::target).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, part * sorted.length)];
  }

  /** The last one; zero where there is none. */
  public double lastTarget() {
    return samples.isEmpty() ? 0 : samples.get(samples.size() - 1).target();
  }

  /** Changes captured from the first sample to the last. */
  public long captured() {
    return samples.isEmpty()
        ? 0
        : samples.get(samples.size() - 1).captured() - samples.get(0).captured();
  }

  /** The highest rate at which changes were captured, over at least ten seconds. */
  public double maxCaptured() {
    double highest = 0;
    for (int from = 0; from < samples.size(); from++) {
      highest = Math.max(highest, rateFrom(from, true));
    }
    return highest;
  }

  /** The highest rate at which changes were applied, over at least ten seconds. */
  public double maxApplied() {
    double highest = 0;
    for (int from = 0; from < samples.size(); from++) {
      highest = Math.max(highest, rateFrom(from, false));
    }
    return highest;
  }

  /**
   * By how many seconds the target falls further behind in each second of the later half; empty
   * where there are too few samples to tell.
   */
  public OptionalDouble growth() {
    List<Sample> half = samples.subList(samples.size() / 2, samples.size());
    if (half.size() < 5) {
      return OptionalDouble.empty();
    }
    double at = half.stream().mapToDouble(Sample::at).average().orElseThrow();
    double target = half.stream().mapToDouble(Sample::target).average().orElseThrow();
    double together = 0;
    double alone = 0;
    for (Sample sample : half) {
      together += (sample.at() - at) * (sample.target() - target);
      alone += (sample.at() - at) * (sample.at() - at);
    }
    return OptionalDouble.of(together / alone);
  }

  private double rateFrom(int from, boolean captured) {
    Sample first = samples.get(from);
    for (Sample next : samples.subList(from + 1, samples.size())) {
      double seconds = next.at() - first.at();
      if (seconds >= RATE_SECONDS || (from == 0 && next == samples.get(samples.size() - 1))) {
        long changes =
            captured ? next.captured() - first.captured() : next.applied() - first.applied();
        return changes / seconds;
      }
    }
    return 0;
  }
}
