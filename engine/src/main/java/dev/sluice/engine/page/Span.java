package dev.sluice.engine.page;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A length of time that the plots can show, and how finely it is kept. */
enum Span {
  QUARTER("15m", Duration.ofMinutes(15), Duration.ofSeconds(2)),
  HOUR("1h", Duration.ofHours(1), Duration.ofSeconds(10)),
  SIX_HOURS("6h", Duration.ofHours(6), Duration.ofMinutes(1)),
  DAY("24h", Duration.ofHours(24), Duration.ofMinutes(4));

  private final String text;
  private final Duration length;
  private final Duration step;

  Span(String text, Duration length, Duration step) {
    this.text = text;
    this.length = length;
    this.step = step;
  }

  String text() {
    return text;
  }

  Duration length() {
    return length;
  }

  /** Samples that are less apart become one. */
  Duration step() {
    return step;
  }

  /** How many samples it has at most. */
  int capacity() {
    return Math.toIntExact(length.dividedBy(step)) + 1;
  }

  /**
   * @throws IllegalArgumentException if there is no such span
   */
  static Span parse(String text) {
    return Arrays.stream(values())
        .filter(span -> span.text.equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "found span=%s; expected one of %s"
                        .formatted(
                            text,
                            Arrays.stream(values())
                                .map(Span::text)
                                .collect(Collectors.joining(", ")))));
  }
}
