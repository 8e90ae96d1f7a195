package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/*
 * YugabyteDB has no lock that keeps others out of a table, so single rows are locked. When a row is
 * locked, all earlier transactions that changed it have ended, and no other transaction can change
 * it until the correction ends. So a snapshot that is taken after the lock shows what the
 * correction overwrites. The server skips rows that others hold or have changed since the statement
 * began; these are not corrected now. A key without a row is not locked. The insert of its row
 * replaces nothing: it fails if another transaction has inserted the key.
 */
/** Locks the rows, each by its key. Stateless. */
final class YugabyteCorrectionLocks implements CorrectionLocks {
  /** Another session holds a lock for longer than the lock timeout. */
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final String BY_INDEX = "SET LOCAL enable_seqscan = off";
  private static final String BY_ANY_WAY = "RESET enable_seqscan";

  @Override
  public Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    if (key.isEmpty()) {
      throw new IllegalStateException("BUG: rows of a table without a key are corrected");
    }
    List<TargetColumn> columns = columns(connection, table, key);
    connection.execute(BY_INDEX);
    Set<RowKey> locked = new HashSet<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql(table, columns))) {
      for (int i = 0; i < columns.size(); i++) {
        int at = i;
        statement.setArray(
            i + 1,
            connection
                .jdbc()
                .createArrayOf(
                    "text", keys.stream().map(row -> row.values().get(at)).toArray(String[]::new)));
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          locked.add(keys.get(row.getInt(1) - 1));
        }
      }
    }
    connection.execute(BY_ANY_WAY);
    return locked;
  }

  private static List<TargetColumn> columns(
      TargetConnection connection, TableId table, List<String> key) throws SQLException {
    List<TargetColumn> all =
        new TargetCatalog()
            .table(connection, table)
            .map(TargetTable::columns)
            .orElseThrow(() -> new SQLException("table " + table + " is gone", "42P01"));
    return key.stream()
        .map(
            name ->
                all.stream()
                    .filter(column -> column.name().equals(name))
                    .findFirst()
                    .orElseThrow(
                        () ->
                            new IllegalStateException(
                                "BUG: table %s has no column %s".formatted(table, name))))
        .toList();
  }

  private static String sql(TableId table, List<TargetColumn> columns) {
    return "SELECT s.n FROM unnest(%s) WITH ORDINALITY AS s (%s, n) JOIN %s AS t ON %s FOR UPDATE OF t SKIP LOCKED"
        .formatted(
            columns.stream().map(any -> "CAST(? AS text[])").collect(Collectors.joining(", ")),
            IntStream.range(0, columns.size())
                .mapToObj(i -> "k" + i)
                .collect(Collectors.joining(", ")),
            table.quoted(),
            IntStream.range(0, columns.size())
                .mapToObj(i -> isSame(columns.get(i), "s.k" + i))
                .collect(Collectors.joining(" AND ")));
  }

  private static String isSame(TargetColumn column, String text) {
    return "t.%s %s CAST(%s AS %s)"
        .formatted(column.quoted(), column.equality(), text, column.bareType());
  }

  @Override
  public boolean isOfHeldRow(SQLException error) {
    return LOCK_NOT_AVAILABLE.equals(error.getSQLState());
  }
}
