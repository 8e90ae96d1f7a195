package dev.sluice.engine.capture;

import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.util.function.Supplier;

/**
 * Bounds the journal's disk space: above the limit of an embedded journal, and where its broker's
 * disk has less free than is to stay, the capture is to pause, and the source keeps its log
 * instead; well below it, to go on. Immutable; the size is asked for each time.
 */
public final class JournalGuard {
  private static final double ROOM = 0.8;

  private final DataSize limit;
  private final DataSize reserve;
  private final Supplier<Extent> journal;

  /**
   * @param limit 0 is none
   * @param reserve what stays free on the broker's disk; 0 is none
   * @param journal as it was measured last
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
        ? "JOURNAL_FULL: the disk of the journal's broker has %s free, JournalReserve is %s"
            .formatted(DataSize.ofBytes(free(now)), reserve)
        : "JOURNAL_FULL: the journal has %s, JournalLimit is %s"
            .formatted(DataSize.ofBytes(now.bytes()), limit);
  }

  /** A broker that does not tell has room. */
  private static long free(Extent journal) {
    return journal.usableBytes().orElse(Long.MAX_VALUE);
  }
}
