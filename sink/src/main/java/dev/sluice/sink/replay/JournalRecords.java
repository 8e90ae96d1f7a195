package dev.sluice.sink.replay;

import dev.sluice.sink.intake.JournalEntry;

/** Opens the journal at an offset for a second reading. */
public interface JournalRecords {

  /**
   * @throws dev.sluice.config.document.SluiceException.Retryable if the journal cannot be read
   */
  Reading open(long offset);

  /** Iterates over the journal's records from an offset on. Owned by the thread that opened it. */
  interface Reading extends AutoCloseable {

    /**
     * The next record. Must be called only if the journal has one or will have one.
     *
     * @throws dev.sluice.config.document.SluiceException.Retryable if it does not come
     */
    JournalEntry next();

    @Override
    void close();
  }
}
