package dev.sluice.sink.replay;

import dev.sluice.sink.intake.JournalEntry;

/** Opens the journal at an offset, to be read a second time. */
public interface JournalRecords {

  /**
   * @throws dev.sluice.config.document.SluiceException.Retryable where the journal cannot be read
   */
  Reading open(long offset);

  /** The journal's records from an offset on. Owned by the thread that opened it. */
  interface Reading extends AutoCloseable {

    /**
     * The next record. Only asked for where there is one.
     *
     * @throws dev.sluice.config.document.SluiceException.Retryable where it does not come
     */
    JournalEntry next();

    @Override
    void close();
  }
}
