package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a source sequence stands. Immutable.
 *
 * @param sequence its name on the source
 * @param use the column that owns it or takes its default from it; empty where only applications
 *     ask for its values
 * @param lastValue the value given out last, or the first to be given out
 * @param called whether {@code lastValue} has been given out
 */
public record SequenceState(TableId sequence, Optional<Use> use, long lastValue, boolean called) {

  /**
   * A column that a sequence is for.
   *
   * @param owned whether the column owns it, as identity and serial columns do
   */
  public record Use(TableId table, String column, boolean owned) {
    public Use {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(column, "column");
    }
  }

  public SequenceState {
    Objects.requireNonNull(sequence, "sequence");
    Objects.requireNonNull(use, "use");
  }
}
