package dev.sluice.target.mariadb;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.util.List;
import java.util.Optional;

/**
 * Bulk load by LOAD DATA LOCAL into temporary tables without unique keys. Each set of rows goes
 * through one: LOCAL makes warnings of errors, and a table of the user would be changed before they
 * are read. Stateless.
 */
final class MariadbBulkLoad implements BulkLoad {

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns) {
    return new LoadDataStream(connection.jdbc(), table, columns);
  }

  @Override
  public Optional<Unstaged> unstaged() {
    return Optional.empty();
  }
}
