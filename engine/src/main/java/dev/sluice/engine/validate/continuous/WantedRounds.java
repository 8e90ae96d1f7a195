package dev.sluice.engine.validate.continuous;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * The rounds of touched rows that somebody wants; none unless a cutover is near. Threadsafe: opened
 * and closed by any thread, run by that of the validation.
 */
final class WantedRounds {
  private final Supplier<ValidationProgress> progress;
  private volatile Optional<TouchedRounds> open = Optional.empty();

  /**
   * @param progress of the validation
   */
  WantedRounds(Supplier<ValidationProgress> progress) {
    this.progress = progress;
  }

  /** From now on only touched rows are compared, until these rounds are closed. */
  synchronized TouchedRounds begin() {
    TouchedRounds rounds = new TouchedRounds(progress, this::closed);
    open = Optional.of(rounds);
    return rounds;
  }

  private synchronized void closed(TouchedRounds rounds) {
    if (open.filter(wanted -> wanted == rounds).isPresent()) {
      open = Optional.empty();
    }
  }

  boolean areWanted() {
    return open.isPresent();
  }

  /** Those that are wanted now. */
  Optional<TouchedRounds> open() {
    return open;
  }
}
