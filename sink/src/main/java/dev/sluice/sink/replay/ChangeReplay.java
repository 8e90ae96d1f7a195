package dev.sluice.sink.replay;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;

/** Gives changes of the journal again that were read before, uncompacted, in source order. */
public interface ChangeReplay {

  /**
   * Opens the changes of a range.
   *
   * @param after the end of the transaction before the first one
   * @param upTo the position of the last transaction, which the journal has
   * @param filter which changes are given out
   * @throws dev.sluice.config.document.SluiceException.Retryable where the journal cannot be read
   */
  Changes open(JournalOffset after, Position upTo, TableFilter filter);

  /** Goes through a range once, in memory that its length does not matter to. */
  interface Changes extends AutoCloseable {

    /**
     * The next change, or null after the last.
     *
     * @throws dev.sluice.config.document.SluiceException.Retryable where the journal cannot be read
     */
    PositionedChange next();

    @Override
    void close();
  }
}
