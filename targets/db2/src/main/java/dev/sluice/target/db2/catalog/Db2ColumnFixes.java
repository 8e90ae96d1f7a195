package dev.sluice.target.db2.catalog;

import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFixes;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;

/**
 * Statements in messages for operators on Db2. The table may need a REORG after them. Stateless.
 */
public final class Db2ColumnFixes implements ColumnFixes {

  @Override
  public String add(TargetTable table, Column column) {
    return alter(table, "ADD COLUMN", column.name(), Db2ColumnFit.proposed(column.type()));
  }

  @Override
  public String makePlain(TargetTable table, String column) {
    return alter(table, "ALTER COLUMN", column, "DROP EXPRESSION");
  }

  @Override
  public String makeGenerated(TargetTable table, String column) {
    return alter(table, "ALTER COLUMN", column, "SET EXPRESSION AS (the source's expression)");
  }

  @Override
  public String makeOptional(TargetTable table, String column) {
    return alter(table, "ALTER COLUMN", column, "DROP NOT NULL");
  }

  @Override
  public String acceptNull(TargetTable table, String column) {
    return makeOptional(table, column);
  }

  @Override
  public String makeBeforeImage(TargetTable table, TargetColumn found, Column wanted) {
    return alter(
        table,
        "ALTER COLUMN",
        found.name(),
        "SET DATA TYPE " + Db2ColumnFit.proposed(wanted.type()));
  }

  private static String alter(TargetTable table, String action, String column, String what) {
    return "ALTER TABLE %s %s \"%s\" %s"
        .formatted(table.id().quoted(), action, column.replace("\"", "\"\""), what);
  }
}
