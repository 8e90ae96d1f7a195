package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.util.List;

/**
 * The source's log: its end, the sessions that write to it, and the task's own messages in it. Each
 * call is from one thread.
 */
public interface SourceLog {

  /** The position up to which the source has written. */
  Position current();

  /**
   * Writes and commits a fence. The sink reports it after all changes committed before this call.
   *
   * @return its position in the log, by which the sink reports it; valid in this process only
   */
  Position emitFence();

  /** The present time of the source's clock. */
  Instant clock();

  /** The sessions of the source's database, most recently active first. */
  List<SourceSession> sessions();

  /** The open transactions of the database that have written something, oldest first. */
  List<OpenTransaction> openTransactions();

  /** How many messages and reports in the log were forged or could not be read. */
  long ignoredMessages();
}
