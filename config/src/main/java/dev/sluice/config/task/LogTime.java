package dev.sluice.config.task;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/** Times by which a place of the source's log is named. Stateless. */
final class LogTime {
  private LogTime() {}

  /**
   * Reads a time in the form of ISO 8601. Without an offset it is in UTC, as in DMS.
   *
   * @return empty if it is none
   */
  static Optional<Instant> parse(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException notWithOffset) {
      try {
        return Optional.of(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC));
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }
  }
}
