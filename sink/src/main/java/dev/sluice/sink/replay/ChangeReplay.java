package dev.sluice.sink.replay;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;

/** Reads changes of the journal a second time, uncompacted and in source order. */
public interface ChangeReplay {

  /**
   * Opens the changes of a range.
   *
   * @param after the end of the transaction before the first one
   * @param upTo the position of the last transaction, which must be in the journal
   * @param filter selects the changes
   * @throws dev.sluice.config.document.SluiceException.Retryable if the journal cannot be read
   */
  Changes open(JournalOffset after, Position upTo, TableFilter filter);

  /** Iterates over a range once. Its memory does not grow with the range. */
  interface Changes extends AutoCloseable {

    /**
     * The next change; null after the last.
     *
     * @throws dev.sluice.config.document.SluiceException.Retryable if the journal cannot be read
     */
    PositionedChange next();

    @Override
    void close();
  }
}
