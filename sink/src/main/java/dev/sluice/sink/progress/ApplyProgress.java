package dev.sluice.sink.progress;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.sink.checkpoint.SuspendedTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the apply thread has done since the start. Immutable; made by that thread after each step.
 *
 * @param detail of the state: the error that is tried again, or that ended it
 * @param applied on the target
 * @param durable on the target, and outlives a crash of it
 * @param changes row changes of the windows applied, before compaction
 * @param netChanges what was applied of them
 * @param suspended the tables that are passed over
 * @param fences contents of the last fences that are durable, oldest first
 */
public record ApplyProgress(
    SinkState state,
    String detail,
    AppliedPoint applied,
    AppliedPoint durable,
    long windows,
    Optional<LastWindow> lastWindow,
    long changes,
    long netChanges,
    Map<TableId, TableProgress> tables,
    List<SuspendedTable> suspended,
    List<String> fences,
    Optional<SluiceException> failure) {
  public ApplyProgress {
    tables = Map.copyOf(tables);
    suspended = List.copyOf(suspended);
    fences = List.copyOf(fences);
  }

  /**
   * The lowest journal offset that is still needed: what comes after the durable checkpoint, and
   * what suspended tables lack.
   */
  public long neededOffset() {
    return suspended.stream()
        .mapToLong(table -> table.applied().nextOffset())
        .reduce(durable.nextOffset(), Math::min);
  }
}
