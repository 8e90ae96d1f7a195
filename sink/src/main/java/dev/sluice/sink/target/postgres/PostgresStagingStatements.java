package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import java.util.List;
import java.util.stream.Collectors;

/** Temporary tables that PostgreSQL empties at each commit. Stateless. */
final class PostgresStagingStatements implements StagingStatements {

  @Override
  public String table(String name) {
    return "pg_temp." + name;
  }

  @Override
  public String create(String name, String columns) {
    return "CREATE TEMPORARY TABLE " + name + " (" + columns + ") ON COMMIT DELETE ROWS";
  }

  @Override
  public String drop(String table) {
    return "DROP TABLE " + table;
  }

  @Override
  public List<String> dropIfExists(String table) {
    return List.of("DROP TABLE IF EXISTS " + table);
  }

  @Override
  public boolean emptiedAtCommit() {
    return true;
  }

  @Override
  public List<String> clear(String table, String columns) {
    return List.of("TRUNCATE " + table);
  }

  @Override
  public String columns(List<StagedColumn> columns) {
    return columns.stream()
        .map(column -> column.name() + " " + storedType(column))
        .collect(Collectors.joining(", "));
  }

  @Override
  public String keptColumns(List<TargetColumn> columns) {
    StringBuilder definition = new StringBuilder("n bigint");
    for (TargetColumn column : columns) {
      definition.append(", ").append(column.keptName()).append(' ').append(column.storedType());
    }
    return definition.toString();
  }

  private static String storedType(StagedColumn column) {
    return switch (column.kind()) {
      case NUMBER -> "bigint";
      case BITS -> "bit varying";
      case VALUE, KEY -> column.column().storedType();
    };
  }
}
