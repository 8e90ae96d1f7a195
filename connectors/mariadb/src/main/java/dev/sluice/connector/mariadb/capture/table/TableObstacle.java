package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import java.util.List;
import java.util.Map;

/**
 * Makes the events that report that tables cannot be followed from here on; TableErrorPolicy
 * decides what happens. Stateless.
 */
final class TableObstacle {
  private TableObstacle() {}

  /**
   * @param what the statement or other cause
   * @param tables as they were last known
   */
  static ChangeEvent of(String what, List<TableDefinition> tables, String reason) {
    return new Definition(
        new DefinitionChanges(
            what,
            true,
            Map.of(),
            List.of(),
            tables.stream()
                .map(table -> new DefinitionChange(table, table, false, false, reason))
                .toList()));
  }
}
