package dev.sluice.engine.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The samples of a span as JSON has them: a list of times, and a list of as many values for each
 * figure. Immutable.
 *
 * @param span such as {@code 15m}
 * @param at in milliseconds since 1970, ascending
 * @param figures by name; a value that is not known is null
 */
record Series(
    String span,
    long spanSeconds,
    long stepSeconds,
    List<Long> at,
    Map<String, List<Double>> figures) {

  static Series of(Span span, List<Sample> samples) {
    Map<String, List<Double>> figures = new LinkedHashMap<>();
    for (Figure figure : Figure.values()) {
      List<Double> values = new ArrayList<>(samples.size());
      samples.forEach(sample -> values.add(rounded(sample.figures().get(figure))));
      figures.put(figure.text(), values);
    }
    return new Series(
        span.text(),
        span.length().toSeconds(),
        span.step().toSeconds(),
        samples.stream().map(sample -> sample.at().toEpochMilli()).toList(),
        figures);
  }

  /**
   * The samples again.
   *
   * @throws IllegalArgumentException if the lists do not fit together
   */
  List<Sample> samples() {
    if (at == null || figures == null) {
      throw new IllegalArgumentException("a list is missing");
    }
    if (at.size() > Span.parse(span).capacity()) {
      throw new IllegalArgumentException(at.size() + " samples of " + span);
    }
    List<Sample> samples = new ArrayList<>(at.size());
    for (int i = 0; i < at.size(); i++) {
      if (at.get(i) == null || i > 0 && at.get(i) <= at.get(i - 1)) {
        throw new IllegalArgumentException("the times do not ascend");
      }
      samples.add(new Sample(Instant.ofEpochMilli(at.get(i)), valuesAt(i)));
    }
    return samples;
  }

  private Map<Figure, Double> valuesAt(int index) {
    Map<Figure, Double> values = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      List<Double> all = figures.get(figure.text());
      if (all == null || all.size() != at.size()) {
        throw new IllegalArgumentException("not as many values as times: " + figure.text());
      }
      if (all.get(index) != null) {
        values.put(figure, all.get(index));
      }
    }
    return values;
  }

  private static Double rounded(Double value) {
    return value == null ? null : Math.round(value * 1000) / 1000.0;
  }
}
