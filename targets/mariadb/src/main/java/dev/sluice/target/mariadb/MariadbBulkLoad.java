package dev.sluice.target.mariadb;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.util.List;

/**
 * Bulk load by LOAD DATA LOCAL, also of small sets. Complete rows go straight into their table,
 * others into temporary tables. If such a table has a key, the server skips a duplicate row: it
 * gives a warning and does not count the row. Stateless.
 */
final class MariadbBulkLoad implements BulkLoad {

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns) {
    return new LoadDataStream(connection.jdbc(), table, columns);
  }

  @Override
  public Stream insert(TargetConnection connection, MappedTable table) {
    return LoadDataStream.into(connection.jdbc(), table.table().id(), table.writtenColumns());
  }
}
