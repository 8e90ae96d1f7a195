package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.source.ReloadSnapshots;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.generic.config.NotBuilt;
import java.time.Duration;

/**
 * The snapshot of a load that goes on: the same as before, whose rows are in the journal or come
 * into it. Used by one thread.
 */
public record BeginningAgain(CaptureState state) implements ReloadSnapshots {

  /** At the attempt's beginning: with a later position, what was journaled would be skipped. */
  @Override
  public SourceSnapshot open(Duration timeout) {
    return new DebeziumSnapshot(
        state
            .position()
            .map(AttemptPosition::beginningOf)
            .orElseThrow(
                () -> NotBuilt.refused("a single table cannot be loaded again", "all tables")));
  }

  @Override
  public void cancel() {
    // Nothing waits.
  }
}
