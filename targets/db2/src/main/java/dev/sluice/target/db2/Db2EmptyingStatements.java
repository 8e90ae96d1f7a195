package dev.sluice.target.db2;

import dev.sluice.sink.target.EmptyingStatements;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.catalog.Db2Refusal;
import java.util.List;

/** Empties tables by DELETE: TRUNCATE IMMEDIATE must be the first of its transaction. Stateless. */
final class Db2EmptyingStatements implements EmptyingStatements {

  @Override
  public boolean truncatesInTransaction() {
    return false;
  }

  @Override
  public String truncate(List<TargetTable> tables) {
    throw Db2Refusal.of(TargetLimit.TRUNCATION);
  }

  @Override
  public String delete(TargetTable table, String condition) {
    return "DELETE FROM "
        + table.id().quoted()
        + (condition == null ? "" : " WHERE (" + condition + ")");
  }
}
