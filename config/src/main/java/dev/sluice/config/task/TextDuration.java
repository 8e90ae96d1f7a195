package dev.sluice.config.task;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as the task file has them, such as {@code 500ms}, {@code 5s}, {@code 2m}. */
final class TextDuration {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m)");

  private TextDuration() {}

  /** The duration; empty if the text is none. */
  static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        });
  }
}
