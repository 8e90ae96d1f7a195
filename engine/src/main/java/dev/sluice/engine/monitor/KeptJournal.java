package dev.sluice.engine.monitor;

import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.journal.JournalUpkeep.Extent;

/**
 * How much of the applied journal may be kept for the next start of the validation: as much as
 * never makes the capture pause. Immutable.
 *
 * @param limit of the journal's size; 0 is none
 * @param reserve free space to keep on the broker's disk
 */
record KeptJournal(DataSize limit, DataSize reserve) {
  private static final long MOST = DataSize.ofMebibytes(1024).bytes();

  /** This part of the journal's limit, and free space of this many reserves. */
  private static final int SHARE = 4;

  /**
   * Whether there is room. Without the right to measure the journal there is none.
   *
   * @param from the offset from which it is to be kept
   * @param applied the offset from which it is needed anyway
   */
  boolean hasRoom(Extent journal, long from, long applied) {
    if (from >= applied) {
      return true;
    }
    if (journal.bytes().isEmpty()
        || journal.usableBytes().orElse(Long.MAX_VALUE) < SHARE * reserve.bytes()) {
      return false;
    }
    long records = Math.max(1, journal.endOffset() - journal.startOffset());
    double kept = Math.min(1, (double) (applied - Math.max(from, journal.startOffset())) / records);
    return journal.bytes().getAsLong() * kept <= most();
  }

  private long most() {
    return limit.bytes() == 0 ? MOST : Math.min(MOST, limit.bytes() / SHARE);
  }
}
