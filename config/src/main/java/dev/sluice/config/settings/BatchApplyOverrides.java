package dev.sluice.config.settings;

import dev.sluice.config.TableId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The tables that have their own apply settings. Immutable. */
public record BatchApplyOverrides(Map<TableId, BatchApplyOverride> byTable) {

  public static final BatchApplyOverrides NONE = new BatchApplyOverrides(Map.of());

  public BatchApplyOverrides {
    byTable = Map.copyOf(byTable);
  }

  public boolean isEmpty() {
    return byTable.isEmpty();
  }

  /**
   * The apply settings of a table; empty if it has none of its own.
   *
   * @param source the table's name on the source
   */
  public Optional<BatchApplyOverride> of(TableId source) {
    return byTable.isEmpty() ? Optional.empty() : Optional.ofNullable(byTable.get(source));
  }

  /** Tables with a least time of their own and no longest time get this one. */
  public BatchApplyOverrides completedBy(Duration longest) {
    Map<TableId, BatchApplyOverride> completed = new HashMap<>();
    byTable.forEach((table, override) -> completed.put(table, override.completedBy(longest)));
    return new BatchApplyOverrides(completed);
  }

  /** The differences to other overrides, table by table. */
  public List<SettingChange> changesTo(BatchApplyOverrides others) {
    TreeSet<TableId> tables = new TreeSet<>(byTable.keySet());
    tables.addAll(others.byTable.keySet());
    List<SettingChange> changes = new ArrayList<>();
    for (TableId table : tables) {
      Optional<BatchApplyOverride> before = of(table);
      Optional<BatchApplyOverride> after = others.of(table);
      if (!before.equals(after)) {
        changes.add(
            new SettingChange(
                BatchApplyOverride.KEY + " of " + table, shown(before), shown(after)));
      }
    }
    return changes;
  }

  /** The overrides by table, for the status page. */
  public Map<String, String> shown() {
    Map<String, String> shown = new TreeMap<>();
    byTable.forEach((table, override) -> shown.put(table.toString(), override.toString()));
    return shown;
  }

  private static String shown(Optional<BatchApplyOverride> override) {
    return override.map(BatchApplyOverride::toString).orElse("as the task");
  }
}
