package dev.sluice.engine.capture;

import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.util.function.Supplier;

/**
 * Limits the journal's disk space. The capture is to pause if the embedded journal exceeds its
 * limit, or if the broker's disk has less free space than the reserve; the source then keeps its
 * log instead. It is to continue below 80% of the limit. Immutable; reads the size each time.
 */
public final class JournalGuard {
  private static final double ROOM = 0.8;

  private final DataSize limit;
  private final DataSize reserve;
  private final Supplier<Extent> journal;

  /**
   * @param limit of the journal's size; 0 is none
   * @param reserve free space to keep on the broker's disk; 0 is none
   * @param journal the last measured size
   */
  public JournalGuard(DataSize limit, DataSize reserve, Supplier<Extent> journal) {
    this.limit = limit;
    this.reserve = reserve;
    this.journal = journal;
  }

  public boolean isFull() {
    Extent now = journal.get();
    return limit.bytes() > 0 && now.bytes() > limit.bytes() || free(now) < reserve.bytes();
  }

  public boolean hasRoom() {
    Extent now = journal.get();
    return (limit.bytes() == 0 || now.bytes() < limit.bytes() * ROOM)
        && free(now) >= reserve.bytes() / ROOM;
  }

  /** The state with its figures. */
  @Override
  public String toString() {
    Extent now = journal.get();
    return free(now) < reserve.bytes()
        ? "JOURNAL_FULL: free space on the disk of the journal's broker is %s, JournalReserve is %s"
            .formatted(DataSize.ofBytes(free(now)), reserve)
        : "JOURNAL_FULL: the journal's size is %s, JournalLimit is %s"
            .formatted(DataSize.ofBytes(now.bytes()), limit);
  }

  /** A broker that does not report its free space counts as having room. */
  private static long free(Extent journal) {
    return journal.usableBytes().orElse(Long.MAX_VALUE);
  }
}
