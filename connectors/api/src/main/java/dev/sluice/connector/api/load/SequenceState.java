package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.Objects;
import java.util.Optional;

/**
 * The current state of a source sequence. Immutable.
 *
 * @param sequence its name on the source
 * @param use the column that owns it or has a default from it; empty if only applications use it
 * @param lastValue the last value returned, or the first to return
 * @param called whether {@code lastValue} was returned already
 * @param form how it goes on
 */
public record SequenceState(
    TableId sequence, Optional<Use> use, long lastValue, boolean called, Form form) {

  /**
   * How a sequence goes on. Immutable.
   *
   * @param cache how many values a session takes at once
   * @param cycles whether it begins again after its last value
   */
  public record Form(long increment, long min, long max, long cache, boolean cycles) {
    /** As a definition has it. */
    @Override
    public String toString() {
      return "INCREMENT %d MINVALUE %d MAXVALUE %d CACHE %d%s"
          .formatted(increment, min, max, cache, cycles ? " CYCLE" : " NO CYCLE");
    }
  }

  /**
   * The column that uses a sequence.
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
    Objects.requireNonNull(form, "form");
  }
}
