package dev.sluice.engine.capture;

import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.util.Optional;
import java.util.OptionalLong;
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
  private final Supplier<Optional<Extent>> journal;

  /**
   * @param limit of the journal's size; 0 is none
   * @param reserve free space to keep on the broker's disk; 0 is none
   * @param journal the last measured size; empty before the first
   */
  public JournalGuard(DataSize limit, DataSize reserve, Supplier<Optional<Extent>> journal) {
    this.limit = limit;
    this.reserve = reserve;
    this.journal = journal;
  }

  public boolean isFull() {
    return limit.bytes() > 0 && size() > limit.bytes() || free() < reserve.bytes();
  }

  public boolean hasRoom() {
    return (limit.bytes() == 0 || size() < limit.bytes() * ROOM)
        && free() >= reserve.bytes() / ROOM;
  }

  /** The state with its figures. */
  @Override
  public String toString() {
    return free() < reserve.bytes()
        ? "JOURNAL_FULL: free space on the disk of the journal's broker is %s, JournalReserve is %s"
            .formatted(DataSize.ofBytes(free()), reserve)
        : "JOURNAL_FULL: the journal's size is %s, JournalLimit is %s"
            .formatted(DataSize.ofBytes(size()), limit);
  }

  /** A journal whose size is not known counts as small. */
  private long size() {
    return journal.get().map(Extent::bytes).orElse(OptionalLong.empty()).orElse(0);
  }

  /** A broker that does not report its free space counts as having room. */
  private long free() {
    return journal
        .get()
        .map(Extent::usableBytes)
        .orElse(OptionalLong.empty())
        .orElse(Long.MAX_VALUE);
  }
}
