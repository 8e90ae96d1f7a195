package dev.sluice.sink.target.postgres;

import dev.sluice.config.TableId;
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
public final class PostgresBulkLoad implements BulkLoad {
  private static final String FROM_CLIENT = " FROM STDIN";
  private static final String BINARY = " (FORMAT binary)";

  PostgresBulkLoad() {}

  /** Starts a COPY FROM STDIN on the session. */
  public static CopyIn copyIn(TargetConnection connection, String sql) throws SQLException {
    return connection.jdbc().unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
  }

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException {
    return new CopyRowWriter(copyIn(connection, "COPY " + table + FROM_CLIENT));
  }

  @Override
  public Optional<Stream> stageBinary(
      TargetConnection connection, String table, List<StagedColumn> columns) throws SQLException {
    // Its schema is the session's own: nobody renames it.
    return binary(
        connection, "COPY " + table, ColumnForms.ofStaged(connection, table, columns), () -> {});
  }

  @Override
  public Stream insert(TargetConnection connection, MappedTable table) throws SQLException {
    return new CopyRowWriter(copyIn(connection, copyInto(table) + FROM_CLIENT));
  }

  @Override
  public Optional<Stream> insertBinary(TargetConnection connection, MappedTable table)
      throws SQLException {
    TableId id = table.table().id();
    PresentTable present = PresentTable.lock(connection, id);
    present.require(id, table.table().oid());
    return binary(
        connection,
        copyInto(table),
        ColumnForms.ofWritten(table, present),
        () -> present.requireUnchanged(connection, id));
  }

  private static String copyInto(MappedTable table) {
    return "COPY %s (%s)"
        .formatted(
            table.table().id().quoted(), PostgresKeyedStatements.names(table, table.written()));
  }

  private static Optional<Stream> binary(
      TargetConnection connection,
      String copy,
      Optional<List<BinaryForm>> forms,
      BinaryCopyWriter.Ended ended)
      throws SQLException {
    return forms.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new BinaryCopyWriter(
                copyIn(connection, copy + FROM_CLIENT + BINARY), forms.orElseThrow(), ended));
  }

  @Override
  public Optional<Parameters> parameters(List<StagedColumn> columns) {
    return Optional.of(new ArrayParameters(columns));
  }
}
