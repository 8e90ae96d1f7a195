package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Bulk load by COPY, small sets as array parameters. Stateless. */
public final class PostgresBulkLoad implements BulkLoad, BulkLoad.Unstaged {
  PostgresBulkLoad() {}

  /** Starts a COPY FROM STDIN on the session. */
  public static CopyIn copyIn(TargetConnection connection, String sql) throws SQLException {
    return connection.jdbc().unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
  }

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException {
    return new CopyRowWriter(copyIn(connection, "COPY " + table + " FROM STDIN"));
  }

  @Override
  public Optional<Unstaged> unstaged() {
    return Optional.of(this);
  }

  @Override
  public Stream insert(TargetConnection connection, MappedTable table) throws SQLException {
    String sql =
        "COPY %s (%s) FROM STDIN"
            .formatted(
                table.table().id().quoted(), PostgresKeyedStatements.names(table, table.written()));
    return new CopyRowWriter(copyIn(connection, sql));
  }

  @Override
  public Parameters parameters(List<StagedColumn> columns) {
    return new ArrayParameters(columns);
  }
}
