package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The expected definition of a source table on the target. Immutable.
 *
 * @param table its name there
 * @param columns the mapped columns of the source, in its order, then those that rules add
 * @param computed those of the columns that the target may compute like the source
 */
record TargetShape(TableId table, List<TableColumn> columns, Set<String> computed) {
  TargetShape {
    computed = Set.copyOf(computed);
    columns = List.copyOf(columns);
  }

  static TargetShape of(RecordedTable source, TableMappings mappings) {
    TableId name = source.table();
    List<TableColumn> columns = new ArrayList<>();
    for (TableColumn column : source.columns()) {
      mappings
          .columns()
          .of(name, column.name())
          .ifPresent(
              target ->
                  columns.add(
                      new TableColumn(
                          target,
                          mappings.columns().typeOf(name, column.name()).orElse(column.type()),
                          column.generated())));
    }
    for (BeforeColumn before : BeforeColumn.of(source, mappings)) {
      columns.add(new TableColumn(before.name(), before.type(), false));
    }
    mappings
        .consolidation(name)
        .ifPresent(
            constant -> columns.add(new TableColumn(constant.column(), constant.type(), false)));
    for (AddedColumn added : mappings.addedColumns(name)) {
      columns.add(new TableColumn(added.name(), added.type(), true));
    }
    return new TargetShape(
        mappings.targetOf(name),
        columns,
        source.computed().stream()
            .flatMap(column -> mappings.columns().of(name, column).stream())
            .collect(Collectors.toSet()));
  }
}
