package dev.sluice.connector.postgres.capture;

/**
 * Extends the log's transaction ids of 32 bits by their epoch, as {@code pg_current_snapshot()} has
 * them. Two ids that are in use at the same time are less than 2³¹ apart ("Preventing Transaction
 * ID Wraparound Failures" in PostgreSQL's manual), and a slot keeps the transactions that it may
 * still send from being frozen. So of all ids with the same 32 bits, the right one is the nearest
 * to any other id of that time. Owned by the decoder's thread.
 */
final class TransactionIds {
  private long newest;

  /**
   * @param newest the extended id that the server assigns next, or any other of the last hours
   */
  TransactionIds(long newest) {
    this.newest = newest;
  }

  /**
   * The extended id.
   *
   * @param id as the log has it
   */
  long extend(int id) {
    // The difference wraps around as the ids do: it is negative for an older id.
    long extended = newest + (id - (int) newest);
    newest = Math.max(newest, extended);
    return extended;
  }
}
