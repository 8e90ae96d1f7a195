package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.Objects;

/**
 * Where a source sequence stands. Immutable.
 *
 * @param sequence its name on the source
 * @param table the table whose column owns it or takes its default from it
 * @param column that column
 * @param owned whether the column owns it, as identity and serial columns do
 * @param lastValue the value given out last, or the first to be given out
 * @param called whether {@code lastValue} has been given out
 */
public record SequenceState(
    TableId sequence, TableId table, String column, boolean owned, long lastValue, boolean called) {
  public SequenceState {
    Objects.requireNonNull(sequence, "sequence");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(column, "column");
  }
}
