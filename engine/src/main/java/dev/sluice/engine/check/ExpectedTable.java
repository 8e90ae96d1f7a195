package dev.sluice.engine.check;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.sink.intake.MappedSchema;
import dev.sluice.sink.target.TargetChecks;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What a task requires of a table on the target. Stateless. */
public final class ExpectedTable {
  private ExpectedTable() {}

  /**
   * The table that stands for one of the source.
   *
   * @param creates whether the load creates the table
   */
  public static TargetChecks.Expected of(
      CatalogTable table, TableMappings mappings, boolean creates) {
    MappedSchema rows =
        MappedSchema.of(new RowSchema(table.table(), table.rowColumns()), mappings.columns());
    return new TargetChecks.Expected(
        mappings.targetOf(table.table()),
        table.table(),
        rows.schema().columns(),
        onTarget(table, CatalogColumn::generated, mappings.columns()),
        rows.beforeImages(),
        onTarget(table, CatalogColumn::getsNulls, mappings.columns()),
        onTarget(table, column -> column.computed() && !column.key(), mappings.columns()),
        creates);
  }

  /** By their names on the target. */
  private static Set<String> onTarget(
      CatalogTable table, Predicate<CatalogColumn> which, ColumnNames names) {
    return table.columns().stream()
        .filter(which)
        .flatMap(column -> names.of(table.table(), column.name()).stream())
        .collect(Collectors.toSet());
  }
}
