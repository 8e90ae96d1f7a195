package dev.sluice.engine.status;

import java.time.Instant;
import java.util.List;

/**
 * The source after the cutover, on a status page. Immutable.
 *
 * @param changes committed there since, which the target does not have
 * @param sequences that returned values since, as text
 * @param unwatched why the last poll of the source failed; null if it did not
 */
public record SourceWatchStatus(
    Instant lookedAt,
    long changes,
    List<Written> tables,
    List<String> sequences,
    String unwatched) {
  public SourceWatchStatus {
    tables = TaskStatus.listOf(tables);
    sequences = TaskStatus.listOf(sequences);
  }

  /**
   * A table of the source that was written to.
   *
   * @param changes number of row changes; a TRUNCATE counts as one
   */
  public record Written(String schema, String table, long changes) {}
}
