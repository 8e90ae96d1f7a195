package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.postgres.load.RecordedTable;
import java.util.List;

/**
 * A column of the target that has what another one was before the row's last update; a load leaves
 * it NULL. Immutable.
 *
 * @param type that of the other column there
 */
record BeforeColumn(String name, String type) {

  /** Those that the rules add to a table, in the order of the columns that they are for. */
  static List<BeforeColumn> of(RecordedTable source, TableMappings mappings) {
    TableId table = source.table();
    return source.key().isEmpty()
        ? List.of()
        : source.columns().stream()
            .filter(column -> !column.generated())
            .flatMap(
                column ->
                    mappings
                        .columns()
                        .beforeOf(
                            table,
                            column.name(),
                            column.type(),
                            source.key().contains(column.name()))
                        .map(name -> new BeforeColumn(name, typeOf(table, column, mappings)))
                        .stream())
            .toList();
  }

  private static String typeOf(TableId table, TableColumn column, TableMappings mappings) {
    return mappings.columns().typeOf(table, column.name()).orElse(column.type());
  }
}
