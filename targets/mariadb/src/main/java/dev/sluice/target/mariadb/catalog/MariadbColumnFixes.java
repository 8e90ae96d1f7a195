package dev.sluice.target.mariadb.catalog;

import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFixes;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;

/** Statements for messages on MariaDB. Stateless, threadsafe. */
public final class MariadbColumnFixes implements ColumnFixes {

  private final ServerKind server;

  public MariadbColumnFixes(ServerKind server) {
    this.server = server;
  }

  @Override
  public String add(TargetTable table, Column column) {
    return alter(
        table, "ADD COLUMN", column.name(), MariadbTypes.of(server, column.type()) + " NULL");
  }

  @Override
  public String makePlain(TargetTable table, String column) {
    return alter(table, "MODIFY", column, typeOf(table, column) + " NULL");
  }

  @Override
  public String makeGenerated(TargetTable table, String column) {
    return alter(
        table,
        "MODIFY",
        column,
        typeOf(table, column) + " GENERATED ALWAYS AS (the source's expression) STORED");
  }

  @Override
  public String makeOptional(TargetTable table, String column) {
    return alter(table, "MODIFY", column, typeOf(table, column) + " NULL");
  }

  @Override
  public String acceptNull(TargetTable table, String column) {
    return makeOptional(table, column);
  }

  @Override
  public String makeBeforeImage(TargetTable table, TargetColumn found, Column wanted) {
    return alter(table, "MODIFY", found.name(), MariadbTypes.of(server, wanted.type()) + " NULL");
  }

  private static String typeOf(TargetTable table, String column) {
    return table.column(column).map(TargetColumn::storedType).orElse("longtext");
  }

  private static String alter(TargetTable table, String action, String column, String type) {
    return "ALTER TABLE %s %s %s %s"
        .formatted(Shown.table(table.id()), action, Shown.name(column), type);
  }
}
