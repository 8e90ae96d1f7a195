package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import java.util.Map;

/**
 * What the application of a window did. Immutable.
 *
 * @param netChanges net changes applied
 * @param statements statements sent to the target for them
 * @param tables applied changes by source table
 */
public record AppliedWindow(long netChanges, long statements, Map<TableId, TableCounters> tables) {
  public AppliedWindow {
    tables = Map.copyOf(tables);
  }
}
