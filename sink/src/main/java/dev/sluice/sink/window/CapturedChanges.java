package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;

/**
 * Counts of the source's changes in a window. Immutable.
 *
 * @param changes row changes
 * @param tables row changes and DDL by table
 * @param fences positions of the fences in the source's log, in order
 */
public record CapturedChanges(
    long changes, Map<TableId, TableCounters> tables, List<String> fences) {
  public static final CapturedChanges NONE = new CapturedChanges(0, Map.of(), List.of());

  public CapturedChanges {
    tables = Map.copyOf(tables);
    fences = List.copyOf(fences);
  }
}
