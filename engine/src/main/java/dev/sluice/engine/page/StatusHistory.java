package dev.sluice.engine.page;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The figures of the last 24 hours, in a bounded number of samples for each span. Threadsafe. */
final class StatusHistory {
  private final Map<Span, SampleRing> rings = new EnumMap<>(Span.class);

  StatusHistory() {
    for (Span span : Span.values()) {
      rings.put(span, new SampleRing(span));
    }
  }

  synchronized void add(Sample sample) {
    rings.values().forEach(ring -> ring.add(sample));
  }

  synchronized Series series(Span span) {
    return Series.of(span, rings.get(span).samples());
  }

  /** Everything, to be stored. */
  synchronized List<Series> all() {
    return rings.keySet().stream().map(this::series).toList();
  }

  /**
   * Restores the history that an earlier daemon has stored.
   *
   * @param now later samples are dropped: they come from a clock that was set back since
   * @throws IllegalArgumentException if it is damaged
   */
  static StatusHistory of(List<Series> stored, Instant now) {
    StatusHistory history = new StatusHistory();
    for (Series series : stored) {
      SampleRing ring = history.rings.get(Span.parse(series.span()));
      series.samples().stream().filter(sample -> !sample.at().isAfter(now)).forEach(ring::add);
    }
    return history;
  }
}
