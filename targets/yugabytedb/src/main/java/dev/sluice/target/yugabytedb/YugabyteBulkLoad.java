package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/*
 * For binary rows the types of the columns must be proven, which needs a table lock and a system
 * column. YugabyteDB has neither.
 */
/** PostgreSQL's bulk load, with all rows as text. Stateless. */
final class YugabyteBulkLoad implements BulkLoad {
  private final BulkLoad postgres;

  YugabyteBulkLoad(BulkLoad postgres) {
    this.postgres = postgres;
  }

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException {
    return postgres.stage(connection, table, columns);
  }

  @Override
  public Stream insert(TargetConnection connection, MappedTable table) throws SQLException {
    return postgres.insert(connection, table);
  }

  @Override
  public Optional<Parameters> parameters(List<StagedColumn> columns) {
    return postgres.parameters(columns);
  }
}
