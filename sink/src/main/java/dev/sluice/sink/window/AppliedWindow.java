package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.Optional;

/**
 * The result of applying a window. Immutable.
 *
 * @param netChanges net changes applied
 * @param statements statements that were sent to the target for them
 * @param tables applied changes by source table
 * @param errors changes that were not applied as they are, by source table; usually empty
 * @param captured the source's changes in it; empty if an earlier attempt had applied it
 */
public record AppliedWindow(
    long netChanges,
    long statements,
    Map<TableId, TableCounters> tables,
    Map<TableId, TableErrors> errors,
    Optional<CapturedChanges> captured) {
  public AppliedWindow {
    tables = Map.copyOf(tables);
    errors = Map.copyOf(errors);
  }
}
