package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;

/**
 * What the source did in a window, counted change by change. Immutable.
 *
 * @param changes row changes
 * @param tables row changes and DDL by table
 * @param fences places in the source's log of the fences, in order
 */
public record CapturedChanges(
    long changes, Map<TableId, TableCounters> tables, List<String> fences) {
  public static final CapturedChanges NONE = new CapturedChanges(0, Map.of(), List.of());

  public CapturedChanges {
    tables = Map.copyOf(tables);
    fences = List.copyOf(fences);
  }
}
