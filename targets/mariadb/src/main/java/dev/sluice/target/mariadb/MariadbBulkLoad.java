package dev.sluice.target.mariadb;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.util.List;

/**
 * Bulk load by LOAD DATA LOCAL, of small sets as well: complete rows straight into their table,
 * others into temporary tables. A duplicate in one with a key is a warning, and a row that is
 * missing in the count. Stateless.
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
