package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connector.api.Position;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The transactions that were already returned or are on the target: their events are repetitions.
 * Owned by the task's thread.
 */
final class HandledTransactions {
  private static final int XIDS_KEPT = 1_000;

  /** For events that do not have the commit before them. */
  private final Set<String> xids = new LinkedHashSet<>();

  private Position last;

  /**
   * @param last the commit position of the last one
   */
  HandledTransactions(Position last) {
    this.last = last;
  }

  void add(String xid, Position position) {
    last = position;
    xids.remove(xid);
    xids.add(xid);
    if (xids.size() > XIDS_KEPT) {
      xids.remove(xids.iterator().next());
    }
  }

  /** The commit position of the last one. */
  Position last() {
    return last;
  }

  /**
   * True if an event belongs to one of them.
   *
   * @param ends the ends that wait
   */
  boolean has(ReadEvent event, TransactionEnds ends) {
    Membership membership = event.membership();
    if (!membership.previous().equals(Position.ZERO)) {
      return last.isAfter(membership.previous());
    }
    // The source's first transaction: its events are before its own commit.
    return xids.contains(membership.xid())
        || !ends.isWaiting(membership.xid()) && !new Position(event.lsn()).isAfter(last);
  }
}
