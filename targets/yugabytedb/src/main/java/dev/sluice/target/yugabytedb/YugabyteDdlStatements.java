package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.postgres.catalog.PostgresDdlStatements;
import java.util.List;

/**
 * DDL like PostgreSQL's. It is part of a transaction only if a flag of the YB servers is set, so
 * none runs in a window. There is no way back from YugabyteDB, so nothing is recorded for one.
 * Stateless, threadsafe.
 */
final class YugabyteDdlStatements extends PostgresDdlStatements {

  @Override
  public boolean isTransactional() {
    return false;
  }

  /** In a transaction an index would be created without regard to concurrent writers. */
  @Override
  public boolean runsAlone() {
    return true;
  }

  @Override
  public List<String> closeAsMoved(TableId table) {
    return List.of();
  }

  @Override
  public List<String> noteRenamedIfMoved(TableId was, TableId now) {
    return List.of();
  }

  @Override
  public List<String> noteDroppedIfMoved(List<TableId> tables) {
    return List.of();
  }
}
