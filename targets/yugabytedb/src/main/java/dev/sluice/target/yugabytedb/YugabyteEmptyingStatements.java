package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.EmptyingStatements;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetTable;
import java.util.List;

/** Empties tables by DELETE, since YugabyteDB does not roll back a TRUNCATE. Stateless. */
final class YugabyteEmptyingStatements implements EmptyingStatements {
  private final EmptyingStatements postgres;

  YugabyteEmptyingStatements(EmptyingStatements postgres) {
    this.postgres = postgres;
  }

  @Override
  public boolean truncatesInTransaction() {
    return false;
  }

  @Override
  public String truncate(List<TargetTable> tables) {
    throw Refusal.of(TargetLimit.TRUNCATION);
  }

  @Override
  public String delete(TargetTable table, String condition) {
    return postgres.delete(table, condition);
  }
}
