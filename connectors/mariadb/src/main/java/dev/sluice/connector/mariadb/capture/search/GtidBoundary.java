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

  /** The transactions that were not read yet, for messages. */
  abstract String missing();

  /** Notes that a transaction after all of them has begun. */
  final void pass() {
    passed = true;
  }

  /** Whether a transaction after all of them has begun. */
  final boolean isPassed() {
    return passed;
  }

  /** Notes a transaction for {@link #foreign()}. */
  final void found(String other) {
    foreign = other;
  }

  /**
   * A transaction that is not among them, and was read before the {@link #missing} ones; or the
   * first one after them, if it is not known whether it is among them.
   */
  final Optional<String> foreign() {
    return Optional.ofNullable(foreign);
  }

  /** Empty: a log that is only searched needs no bookmark. */
  @Override
  public final String bookmark() {
    return "";
  }
}
