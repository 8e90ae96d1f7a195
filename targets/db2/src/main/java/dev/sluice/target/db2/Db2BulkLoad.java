package dev.sluice.target.db2;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Bulk load by batches of prepared rows into declared temporary tables. Stateless. */
final class Db2BulkLoad implements BulkLoad {

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException {
    return new BatchStream(connection.jdbc(), table, columns);
  }

  @Override
  public Optional<Unstaged> unstaged() {
    return Optional.empty();
  }
}
