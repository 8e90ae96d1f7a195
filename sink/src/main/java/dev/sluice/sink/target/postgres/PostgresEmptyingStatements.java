package dev.sluice.sink.target.postgres;

import static dev.sluice.sink.target.postgres.PostgresNames.rows;

import dev.sluice.sink.target.EmptyingStatements;
import dev.sluice.sink.target.TargetTable;
import java.util.List;
import java.util.stream.Collectors;

/** Empties tables by TRUNCATE or DELETE. Stateless. */
final class PostgresEmptyingStatements implements EmptyingStatements {

  @Override
  public boolean truncatesInTransaction() {
    return true;
  }

  @Override
  public String truncate(List<TargetTable> tables) {
    return tables.stream()
        .map(PostgresNames::rows)
        .collect(Collectors.joining(", ", "TRUNCATE ", ""));
  }

  @Override
  public String delete(TargetTable table, String condition) {
    return "DELETE FROM " + rows(table) + (condition == null ? "" : " WHERE (" + condition + ")");
  }
}
