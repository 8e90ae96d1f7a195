package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connector.api.Position;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The transactions that were given out, or are on the target anyway: what comes of them is a
 * repetition. Owned by the task's thread.
 */
final class HandledTransactions {
  private static final int XIDS_KEPT = 1_000;

  /** For events that do not tell the commit before them. */
  private final Set<String> xids = new LinkedHashSet<>();

  private Position last;

  /**
   * @param last the commit of the last one
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

  /** The commit of the last one. */
  Position last() {
    return last;
  }

  /**
   * Whether an event is of one of them.
   *
   * @param ends those that wait
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
