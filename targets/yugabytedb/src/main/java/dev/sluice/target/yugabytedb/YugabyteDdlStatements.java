package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.postgres.catalog.PostgresDdlStatements;
import java.util.List;

/**
 * DDL as PostgreSQL's. YugabyteDB makes it part of a transaction only where a flag of its servers
 * says so, so none runs in a window. No way back begins here, so nothing is noted for one.
 * Stateless, threadsafe.
 */
final class YugabyteDdlStatements extends PostgresDdlStatements {

  @Override
  public boolean isTransactional() {
    return false;
  }

  /** In a transaction an index would be made without regard to writers. */
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
