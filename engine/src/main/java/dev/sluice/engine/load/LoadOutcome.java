package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.source.load.TableChanged;
import java.time.Duration;
import java.util.Locale;

/** The result of a load that did not fail. */
public sealed interface LoadOutcome {

  /** Every table is on the target as the snapshot showed it. */
  record Loaded(int tables, long rows, long bytes, Duration took) implements LoadOutcome {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s, %s, %s in %.1f s",
          Counted.of(tables, "table"),
          Counted.of(rows, "row"),
          DataSize.ofBytes(bytes),
          took.toMillis() / 1000.0);
    }
  }

  /**
   * A table was truncated, rewritten or altered after the plan; only the first is named. The load
   * must start again as {@link LoadAttempt#AGAIN}, with a new plan, slot and snapshot. With marks,
   * complete tables are kept.
   */
  record SourceChanged(TableChanged change) implements LoadOutcome {
    @Override
    public String toString() {
      return "ends, since the source changed: " + change;
    }
  }

  /** {@link FullLoad#stop} was called. To continue, load as {@link LoadAttempt#AGAIN}. */
  record Stopped() implements LoadOutcome {
    @Override
    public String toString() {
      return "stopped";
    }
  }
}
