package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.connector.mariadb.capture.LoggedTransactions;
import java.util.Optional;

/**
 * Looks for the place in a log where the transactions of {@link NamedGtids} end and others begin.
 * Owned by the thread that reads the log.
 */
abstract class GtidBoundary implements LoggedTransactions {
  private boolean passed;
  private String foreign;

  /** Whether all of them were read, or are before the file. */
  abstract boolean isComplete();

  /** Those that were not read yet. */
  abstract String missing();

  /** A transaction after all of them has begun. */
  final void pass() {
    passed = true;
  }

  /** Whether a transaction after all of them has begun. */
  final boolean isPassed() {
    return passed;
  }

  /** See {@link #foreign()}. */
  final void found(String other) {
    foreign = other;
  }

  /**
   * One that is not among them, and was read while {@link #missing} were to come; or the first one
   * after them, if nothing says whether it is among them.
   */
  final Optional<String> foreign() {
    return Optional.ofNullable(foreign);
  }

  /** Nobody asks for more of a log that is only searched. */
  @Override
  public final String bookmark() {
    return "";
  }
}
