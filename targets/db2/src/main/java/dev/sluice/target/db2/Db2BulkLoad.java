package dev.sluice.target.db2;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;

/**
 * Bulk load by batches of a prepared INSERT. Complete rows go straight into their table, others
 * into declared temporary tables. Stateless.
 */
final class Db2BulkLoad implements BulkLoad {

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException {
    return new BatchStream(connection.jdbc(), table, columns);
  }

  @Override
  public Stream insert(TargetConnection connection, MappedTable table) throws SQLException {
    return BatchStream.into(connection.jdbc(), table.table().id(), table.writtenColumns());
  }
}
