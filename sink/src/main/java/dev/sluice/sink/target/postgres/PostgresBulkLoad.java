package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Bulk load by COPY, in its binary format if all columns have types with a {@link BinaryForm}, else
 * as text; small sets as array parameters. Stateless.
 */
public final class PostgresBulkLoad implements BulkLoad {
  PostgresBulkLoad() {}

  /** Starts a COPY FROM STDIN on the session. */
  public static CopyIn copyIn(TargetConnection connection, String sql) throws SQLException {
    return connection.jdbc().unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
  }

  @Override
  public Stream stage(TargetConnection connection, String table, List<StagedColumn> columns)
      throws SQLException {
    return writer(connection, table, columns.stream().map(PostgresBulkLoad::formOf).toList());
  }

  @Override
  public Stream insert(TargetConnection connection, MappedTable table) throws SQLException {
    String into =
        "%s (%s)"
            .formatted(
                table.table().id().quoted(), PostgresKeyedStatements.names(table, table.written()));
    return writer(
        connection,
        into,
        Arrays.stream(table.written())
            .mapToObj(source -> BinaryForm.of(table.column(source).bareType()))
            .toList());
  }

  private static Optional<BinaryForm> formOf(StagedColumn column) {
    // The set's own columns have a form of their own.
    return column.kind() == StagedColumn.Kind.VALUE
        ? BinaryForm.of(column.column().bareType())
        : Optional.of(BinaryForm.INT8);
  }

  private static Stream writer(
      TargetConnection connection, String into, List<Optional<BinaryForm>> forms)
      throws SQLException {
    String sql = "COPY " + into + " FROM STDIN";
    return forms.stream().allMatch(Optional::isPresent)
        ? new BinaryCopyWriter(
            copyIn(connection, sql + " (FORMAT binary)"),
            forms.stream().map(Optional::orElseThrow).toList())
        : new CopyRowWriter(copyIn(connection, sql));
  }

  @Override
  public Parameters parameters(List<StagedColumn> columns) {
    return new ArrayParameters(columns);
  }
}
