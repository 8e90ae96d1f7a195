package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * The source's log: its end, the sessions that write to it, and the task's own messages in it. Used
 * by one thread at a time.
 */
public interface SourceLog {

  /** The position up to which the source has written. */
  Position current();

  /**
   * The position of the last transaction in the log. A comparison whose snapshot begins after this
   * call has at least this position, also on an idle source: {@link #current} may be above it if
   * fences have positions after that transaction.
   */
  default Position lastTransaction() {
    return current();
  }

  /**
   * Writes and commits a fence. The sink reports it after all changes committed before this call.
   *
   * @return its position in the log, with which the sink reports it; valid in this process only
   */
  Position emitFence();

  /**
   * Takes a transaction id on the source. All transactions that already have an id have a lower
   * one, including one whose commit is in the log but that no snapshot shows yet. A snapshot cannot
   * give such an id: its next id may have been taken long ago.
   *
   * @return empty if the source's transactions have no ids
   */
  OptionalLong takeTransactionId();

  /**
   * Where the transactions end that a {@link SourceFactory#stopPosition stop} names, or what is
   * committed at its moment if the source {@link Source#findsStopAtMoment finds} that.
   */
  default StopReading stop() {
    throw new IllegalStateException("BUG: this source names no transactions");
  }

  /**
   * Writes and commits a fence that nobody waits for: it closes the windows that are open. Waits
   * for no standby.
   */
  void endWindows();

  /** The current time of the source's clock. */
  Instant clock();

  /** The sessions of the source's database, most recently active first. */
  List<SourceSession> sessions();

  /** The open transactions of the database that have written something, oldest first. */
  List<OpenTransaction> openTransactions();

  /** How many messages and reports in the log were forged or could not be read. */
  long ignoredMessages();
}
