package dev.sluice.sink.window;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;

/**
 * Makes rounds of changes in source order: a round ends before a truncate that follows changes, and
 * before a change whose table has got another row schema. Owned by the thread that fills it.
 */
final class RoundCutter {
  private final boolean compact;
  private RoundBuilder round;

  /**
   * @param compact to net changes; else the changes are kept in order
   */
  RoundCutter(boolean compact) {
    this.compact = compact;
    this.round = open();
  }

  /**
   * Takes the next event.
   *
   * @return the round that ended before it, mostly null
   */
  Round add(ChangeEvent event) {
    Round ended = null;
    if (event instanceof RowChange change) {
      if (!round.accepts(change)) {
        ended = finish();
      }
      round.add(change);
    } else if (event instanceof Truncate truncate) {
      if (!round.acceptsTruncate()) {
        ended = finish();
      }
      round.add(truncate);
    }
    return ended;
  }

  /** Ends the round that is being filled; null where it is empty. */
  Round finish() {
    Round ended = round.isEmpty() ? null : round.build();
    round = open();
    return ended;
  }

  /** Net changes of the round that is being filled. */
  long netChanges() {
    return round.netChanges();
  }

  /** Heap bytes of the round that is being filled. */
  long retainedBytes() {
    return round.retainedBytes();
  }

  private RoundBuilder open() {
    return compact ? new NetRoundBuilder() : new OrderedRoundBuilder();
  }
}
