package dev.sluice.engine.page;

import dev.sluice.engine.status.StatusFigures;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The figures at one time. Immutable.
 *
 * @param figures without those that are not known, or do not apply
 */
record Sample(Instant at, Map<Figure, Double> figures) {
  Sample {
    figures = Map.copyOf(figures);
  }

  static Sample of(Instant at, StatusFigures now) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figure.of(now).ifPresent(value -> figures.put(figure, value));
    }
    return new Sample(at, figures);
  }

  /** For JSON: the time in milliseconds since 1970, and each figure by its name, or null. */
  Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("at", at.toEpochMilli());
    for (Figure figure : Figure.values()) {
      shown.put(figure.text(), figures.get(figure));
    }
    return shown;
  }
}
