package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.postgres.catalog.PostgresDdlStatements;

/**
 * DDL as PostgreSQL's, for messages: YugabyteDB makes it part of a transaction only where a flag of
 * its servers says so, so none runs in a window. Stateless, threadsafe.
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
}
