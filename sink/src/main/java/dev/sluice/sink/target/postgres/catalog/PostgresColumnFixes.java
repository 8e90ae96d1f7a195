package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFixes;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Statements of PostgreSQL that alter a column. Stateless, threadsafe. */
public final class PostgresColumnFixes implements ColumnFixes {

  @Override
  public String add(TargetTable table, Column column) {
    return altering(table, "ADD COLUMN", column.name(), column.type());
  }

  @Override
  public String makePlain(TargetTable table, String column) {
    return altering(table, "ALTER COLUMN", column, "DROP EXPRESSION");
  }

  @Override
  public String makeGenerated(TargetTable table, String column) {
    return altering(table, "DROP COLUMN", column, "").strip() + ", and add it as on the source";
  }

  @Override
  public String makeOptional(TargetTable table, String column) {
    return altering(table, "ALTER COLUMN", column, "SET DEFAULT …, or DROP NOT NULL");
  }

  @Override
  public String acceptNull(TargetTable table, String column) {
    return altering(table, "ALTER COLUMN", column, "DROP NOT NULL");
  }

  @Override
  public String makeBeforeImage(TargetTable table, TargetColumn found, Column wanted) {
    List<String> actions = new ArrayList<>();
    if (!found.type().equals(wanted.type())) {
      actions.add("TYPE " + wanted.type());
    }
    if (found.notNull()) {
      actions.add("DROP NOT NULL");
    }
    if (found.hasDefault() && !found.domain()) {
      actions.add("DROP DEFAULT");
    }
    String column = "ALTER COLUMN " + TableId.quote(wanted.name()) + " ";
    return actions.stream()
        .map(column::concat)
        .collect(Collectors.joining(", ", "ALTER TABLE " + table.id().quoted() + " ", ""));
  }

  private static String altering(TargetTable table, String action, String column, String rest) {
    return "ALTER TABLE %s %s %s %s"
        .formatted(table.id().quoted(), action, TableId.quote(column), rest);
  }
}
