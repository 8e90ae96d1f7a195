package dev.sluice.engine.load;

import dev.sluice.connector.postgres.load.TableChanged;
import java.time.Duration;

/** How a load ended, where it did not fail. */
public sealed interface LoadOutcome {

  /** Every table is on the target as the snapshot showed it. */
  record Loaded(int tables, long rows, long bytes, Duration took) implements LoadOutcome {}

  /**
   * A table was truncated, rewritten or altered after it was recorded, the first of perhaps
   * several. The load is to begin again: with a new plan, a new slot and its snapshot, as {@link
   * LoadAttempt#AGAIN}; with marks, of what is not whole.
   */
  record SourceChanged(TableChanged change) implements LoadOutcome {}

  /** {@link FullLoad#stop} was called. To go on, begin again as {@link LoadAttempt#AGAIN}. */
  record Stopped() implements LoadOutcome {}
}
