package dev.sluice.engine.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The samples of one span, a bounded number: those within one step are merged, and those that are
 * older than the span are forgotten. Pure: each sample brings its time. Not threadsafe.
 */
final class SampleRing {
  private final Span span;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  /** How many values each figure of the last sample is merged from. */
  private final Map<Figure, Integer> counts = new EnumMap<>(Figure.class);

  SampleRing(Span span) {
    this.span = span;
  }

  void add(Sample sample) {
    Instant step = stepOf(sample.at());
    // Samples of a later time come from a clock that was set back since.
    while (!samples.isEmpty() && samples.peekLast().at().isAfter(step)) {
      samples.removeLast();
      counts.clear();
    }
    if (!samples.isEmpty() && samples.peekLast().at().equals(step)) {
      samples.addLast(merged(samples.removeLast(), sample));
    } else {
      counts.clear();
      sample.figures().keySet().forEach(figure -> counts.put(figure, 1));
      samples.addLast(new Sample(step, sample.figures()));
    }
    Instant oldest = sample.at().minus(span.length());
    while (samples.size() > span.capacity() || samples.peekFirst().at().isBefore(oldest)) {
      samples.removeFirst();
    }
  }

  /** Oldest first. */
  List<Sample> samples() {
    return List.copyOf(samples);
  }

  private Sample merged(Sample last, Sample next) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.putAll(last.figures());
    next.figures()
        .forEach(
            (figure, value) -> {
              int count = counts.getOrDefault(figure, last.figures().containsKey(figure) ? 1 : 0);
              figures.merge(figure, value, (merged, added) -> figure.merge(merged, count, added));
              counts.put(figure, count + 1);
            });
    return new Sample(last.at(), figures);
  }

  private Instant stepOf(Instant at) {
    long step = span.step().toMillis();
    return Instant.EPOCH.plus(Duration.ofMillis(Math.floorDiv(at.toEpochMilli(), step) * step));
  }
}
