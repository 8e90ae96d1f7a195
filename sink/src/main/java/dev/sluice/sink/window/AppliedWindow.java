package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.Optional;

/**
 * What the application of a window did. Immutable.
 *
 * @param netChanges net changes applied
 * @param statements statements sent to the target for them
 * @param tables applied changes by source table
 * @param errors by source table, the changes that were not applied as they are; mostly empty
 * @param captured what the source did in it; empty where another attempt applied it
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
