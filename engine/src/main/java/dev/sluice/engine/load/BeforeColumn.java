package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedTable;
import java.util.List;

/**
 * A column of the target that holds another column's value before the row's last update. A load
 * leaves it NULL. Immutable.
 *
 * @param type the target's type of the other column
 */
record BeforeColumn(String name, String type) {

  /** The before columns that the rules add to a table, in the order of its columns. */
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
