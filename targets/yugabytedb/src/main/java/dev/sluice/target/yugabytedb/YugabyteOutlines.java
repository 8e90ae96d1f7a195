package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import java.util.List;
import java.util.Optional;

/** Converts tables from the source's DDL to the form in which a load describes tables. Pure. */
final class YugabyteOutlines {
  private YugabyteOutlines() {}

  static TableOutline of(TableDefinition definition, TableId table) {
    return new TableOutline(
        definition.table(),
        table,
        definition.columns().stream().map(YugabyteOutlines::of).toList(),
        definition.keyNames(),
        true,
        List.of(),
        List.of(),
        definition.partitionedBy() == null
            ? List.of()
            : List.of(new OtherObject("partitions", table.name(), definition.partitionedBy())));
  }

  static OutlinedColumn of(ColumnDefinition column) {
    boolean counted =
        column.filling().identity()
            || column.sequence() != null && column.sequence().plain() && column.sequence().owned();
    return new OutlinedColumn(
        column.name(),
        column.type(),
        column.notNull(),
        column.filling().generated(),
        counted,
        counted || column.filling().generated()
            ? Optional.empty()
            : Optional.ofNullable(column.defaultValue()));
  }
}
