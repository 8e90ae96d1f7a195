package dev.sluice.engine.status;

import java.util.Objects;

/**
 * The progress of a full load, of one table or of all. Rates are those of the last 15 seconds.
 * Immutable.
 *
 * @param state {@code waiting}, {@code running}, {@code done}, {@code cancelled} or {@code failed}
 * @param percent that is done; for all tables, weighted by their size on the source's disk
 * @param expectedRows the source planner's estimate; null if unknown
 * @param secondsLeft at the present rate; null if unknown
 */
public record LoadStatus(
    String name,
    String state,
    double percent,
    long rows,
    Long expectedRows,
    long bytes,
    double rowsPerSecond,
    double bytesPerSecond,
    Double secondsLeft) {
  public LoadStatus {
    name = Objects.requireNonNullElse(name, "");
    state = Objects.requireNonNullElse(state, "");
  }
}
