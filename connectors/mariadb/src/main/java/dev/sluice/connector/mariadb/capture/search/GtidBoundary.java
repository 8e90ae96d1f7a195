package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.connector.mariadb.capture.LoggedTransactions;
import java.util.Optional;

/**
 * Looks for the place in a log where the transactions of {@link NamedGtids} end and others begin.
 * Owned by the thread that reads the log.
 */
interface GtidBoundary extends LoggedTransactions {
  /** Whether all of them were read, or are before the file. */
  boolean isComplete();

  /** Whether a transaction behind all of them has begun. */
  boolean isPassed();

  /**
   * One that is not among them, and was read while {@link #missing} were to come; or the first one
   * behind them, if nothing says whether it is among them.
   */
  Optional<String> foreign();

  /** Those that were not read yet. */
  String missing();

  /** Of what is only looked through nobody asks for more. */
  @Override
  default String bookmark() {
    return "";
  }
}
