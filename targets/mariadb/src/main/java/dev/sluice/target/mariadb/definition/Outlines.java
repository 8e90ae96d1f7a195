package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Converts tables from the source's DDL to the form in which a load describes tables. Pure. */
final class Outlines {
  /** The type that a source of MariaDB or MySQL has for its TIME, beside PostgreSQL's interval. */
  private static final Pattern TIME = Pattern.compile("time\\([0-6]\\) without time zone");

  private Outlines() {}

  static TableOutline of(TableDefinition definition, TableId table) {
    return new TableOutline(
        definition.table(),
        table,
        definition.columns().stream().map(Outlines::of).toList(),
        definition.keyNames(),
        true,
        List.of(),
        List.of(),
        List.of());
  }

  static OutlinedColumn of(ColumnDefinition column) {
    boolean counted =
        column.filling().identity()
            || column.sequence() != null && column.sequence().plain() && column.sequence().owned();
    return new OutlinedColumn(
        column.name(),
        TIME.matcher(column.typeIdentity()).matches() ? column.typeIdentity() : column.type(),
        column.notNull(),
        column.filling().generated(),
        counted,
        counted || column.filling().generated()
            ? Optional.empty()
            : Optional.ofNullable(column.defaultValue()));
  }
}
