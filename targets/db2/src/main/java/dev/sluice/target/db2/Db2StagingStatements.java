package dev.sluice.target.db2;

import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.db2.value.ValueBinding;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Declared global temporary tables of Db2. They are empty after each commit, each rollback, and
 * each rollback to a savepoint. Stateless.
 */
final class Db2StagingStatements implements StagingStatements {
  /** Longer than the maximum number of columns of a table. */
  private static final String MASK = "VARCHAR(2000)";

  @Override
  public String table(String name) {
    return "SESSION." + name;
  }

  @Override
  public String create(String name, String columns) {
    return "DECLARE GLOBAL TEMPORARY TABLE %s (%s) ON COMMIT DELETE ROWS NOT LOGGED"
        .formatted(table(name), columns);
  }

  /** A table that a rollback to a savepoint removes again would be missing without an error. */
  @Override
  public boolean createdApart() {
    return true;
  }

  @Override
  public String drop(String table) {
    return "DROP TABLE " + table;
  }

  /**
   * Does nothing: each table is declared in its own transaction, so Sluice knows which ones exist.
   */
  @Override
  public List<String> dropIfExists(String table) {
    return List.of();
  }

  @Override
  public boolean emptiedAtCommit() {
    return true;
  }

  @Override
  public List<String> clear(String table, String columns) {
    return List.of("DELETE FROM " + table);
  }

  @Override
  public String columns(List<StagedColumn> columns) {
    return columns.stream()
        .map(
            column ->
                column.name()
                    + " "
                    + switch (column.kind()) {
                      case NUMBER -> "BIGINT";
                      case BITS -> MASK;
                      case VALUE, KEY -> ValueBinding.stagedType(column.column());
                    })
        .collect(Collectors.joining(", "));
  }

  @Override
  public String keptColumns(List<TargetColumn> columns) {
    StringBuilder definition = new StringBuilder("n BIGINT");
    for (TargetColumn column : columns) {
      definition
          .append(", ")
          .append(column.keptName())
          .append(' ')
          .append(ValueBinding.stagedType(column));
    }
    return definition.toString();
  }
}
