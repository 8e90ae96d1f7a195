package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.function.Supplier;

/**
 * Makes rounds of changes in source order: a round ends before a truncate that follows changes, and
 * before a change whose table has got another row schema, or that cannot follow those before it
 * (the target decides about it); DDL is a round of its own. Owned by the thread that fills it.
 */
public final class RoundCutter {
  private final WindowTuning tuning;
  private final Supplier<TableShares> shares;
  private TableShares opened;
  private RoundBuilder round;

  /** Each round may keep of a table what the table's own limit allows. */
  public RoundCutter(WindowTuning tuning) {
    this(tuning, () -> new TableShares(tuning));
  }

  /**
   * @param shares gives the shares that a new round is charged to: its own, or the window's
   */
  public RoundCutter(WindowTuning tuning, Supplier<TableShares> shares) {
    this.tuning = tuning;
    this.shares = shares;
    this.round = open();
  }

  /**
   * Takes the next event.
   *
   * @return the round that ended before it, mostly null
   */
  public Round add(ChangeEvent event) {
    Round ended = null;
    if (event instanceof RowChange change) {
      if (!round.accepts(change)) {
        ended = finish();
      }
      try {
        round.add(change);
      } catch (DoesNotFollow e) {
        ended = finish();
        round.add(change);
      }
    } else if (event instanceof Truncate truncate) {
      if (!round.acceptsTruncate()) {
        ended = finish();
      }
      round.add(truncate);
    } else if (event instanceof Definition definition) {
      ended = finish();
      round = new DefinitionRoundBuilder(definition.changes());
    }
    return ended;
  }

  /** Ends the round that is being filled; null where it is empty. */
  public Round finish() {
    Round ended = round.isEmpty() ? null : round.build();
    round = open();
    return ended;
  }

  /** Net changes of the round that is being filled. */
  public long netChanges() {
    return round.netChanges();
  }

  /** Heap bytes of the round that is being filled. */
  public long retainedBytes() {
    return round.retainedBytes();
  }

  /** Whether a table keeps as much as its own limit allows. */
  public boolean isTableFull() {
    return opened.isReached();
  }

  private RoundBuilder open() {
    opened = shares.get();
    return tuning.compact() ? new NetRoundBuilder(tuning, opened) : new OrderedRoundBuilder(opened);
  }
}
