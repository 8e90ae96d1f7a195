package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import java.util.List;

/*
 * ON COMMIT fails on some releases. A transaction that creates a table cannot have a savepoint, so
 * the tables are created in separate transactions.
 */
/** Plain temporary tables, which DELETE empties. Stateless. */
final class YugabyteStagingStatements implements StagingStatements {
  /**
   * Each later statement on a table must skip the rows that were deleted from it, which VACUUM does
   * not remove.
   */
  static final long CLEARED_ROWS = 1_000_000;

  private final StagingStatements postgres;
  private final long clearedRows;

  YugabyteStagingStatements(StagingStatements postgres, long clearedRows) {
    this.postgres = postgres;
    this.clearedRows = clearedRows;
  }

  @Override
  public String table(String name) {
    return postgres.table(name);
  }

  @Override
  public String create(String name, String columns) {
    return "CREATE TEMPORARY TABLE " + name + " (" + columns + ")";
  }

  @Override
  public boolean createdApart() {
    return true;
  }

  @Override
  public String drop(String table) {
    return postgres.drop(table);
  }

  @Override
  public List<String> dropIfExists(String table) {
    return postgres.dropIfExists(table);
  }

  @Override
  public boolean emptiedAtCommit() {
    return false;
  }

  @Override
  public List<String> clear(String table, String columns) {
    return List.of("DELETE FROM " + table);
  }

  @Override
  public long clearedRowsOfSession() {
    return clearedRows;
  }

  @Override
  public String columns(List<StagedColumn> columns) {
    return postgres.columns(columns);
  }

  @Override
  public String keptColumns(List<TargetColumn> columns) {
    return postgres.keptColumns(columns);
  }
}
