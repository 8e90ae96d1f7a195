package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.function.Supplier;

/**
 * Divides changes in source order into rounds. A round ends before a truncate that follows changes,
 * before a change whose table has another row schema than in the round, and before a change that
 * cannot follow those before it. DDL is a round of its own. Owned by the thread that fills it.
 */
public final class RoundCutter {
  private final WindowTuning tuning;
  private final Supplier<TableShares> shares;
  private TableShares opened;
  private RoundBuilder round;

  /** Creates a cutter that applies a table's own memory limit to each round separately. */
  public RoundCutter(WindowTuning tuning) {
    this(tuning, () -> new TableShares(tuning));
  }

  /**
   * @param shares supplies what a new round is charged to: shares of its own, or the window's
   */
  public RoundCutter(WindowTuning tuning, Supplier<TableShares> shares) {
    this.tuning = tuning;
    this.shares = shares;
    this.round = open();
  }

  /**
   * Adds the next event.
   *
   * @return the round that ended before it; usually null
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

  /** Ends and returns the open round; null if it is empty. */
  public Round finish() {
    Round ended = round.isEmpty() ? null : round.build();
    round = open();
    return ended;
  }

  /** Net changes of the open round. */
  public long netChanges() {
    return round.netChanges();
  }

  /** Heap bytes of the open round. */
  public long retainedBytes() {
    return round.retainedBytes();
  }

  /** True if a table has reached its own memory limit. */
  public boolean isTableFull() {
    return opened.isReached();
  }

  private RoundBuilder open() {
    opened = shares.get();
    return tuning.compact() ? new NetRoundBuilder(tuning, opened) : new OrderedRoundBuilder(opened);
  }
}
