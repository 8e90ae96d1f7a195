package dev.sluice.target.mariadb;

import dev.sluice.sink.target.EmptyingStatements;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.List;

/** Empties tables by DELETE, since TRUNCATE commits. Stateless. */
final class MariadbEmptyingStatements implements EmptyingStatements {

  private final ServerKind server;

  MariadbEmptyingStatements(ServerKind server) {
    this.server = server;
  }

  @Override
  public boolean truncatesInTransaction() {
    return false;
  }

  @Override
  public String truncate(List<TargetTable> tables) {
    throw TargetLimit.TRUNCATION.refusal(server.type(), server.label());
  }

  @Override
  public String delete(TargetTable table, String condition) {
    return "DELETE FROM "
        + table.id().quoted()
        + (condition == null ? "" : " WHERE (" + condition + ")");
  }
}
