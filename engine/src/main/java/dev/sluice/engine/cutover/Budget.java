package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** The time for which writers may be stopped, from one moment on. Used by one thread. */
final class Budget {
  private final Duration whole;
  private final Instant begun;
  private final Clock clock;

  /**
   * @param begun by the same clock
   * @param clock that never goes back
   */
  Budget(Duration whole, Instant begun, Clock clock) {
    this.whole = whole;
    this.begun = begun;
    this.clock = clock;
  }

  Duration used() {
    return Duration.between(begun, clock.instant());
  }

  /** Never negative. */
  Duration left() {
    Duration left = whole.minus(used());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /**
   * Ends the cutover if the time is over.
   *
   * @param before what was to come next
   */
  void require(String before) {
    if (left().isZero()) {
      throw over("the time was over before " + before);
    }
  }

  /** What ends a cutover that takes too long. */
  SluiceException over(String found) {
    return new SluiceException.Fatal(
        new Problem(
            "budget of the cutover",
            found + ", after %.2f s".formatted(used().toMillis() / 1000.0),
            "all of it within %.2f s".formatted(whole.toMillis() / 1000.0),
            "Nothing is changed, and the source releases its writers. Run it again when less is written, or with"
                + " a longer --budget; sluice rehearse shows how long each part takes"));
  }
}
