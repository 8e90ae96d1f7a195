package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties tables before a load. PostgreSQL does not truncate tables that a table outside the list
 * references; their rows are deleted with DELETE. Owned by the thread that owns the connection.
 */
final class TableEmptying {
  private static final Logger LOG = LoggerFactory.getLogger(TableEmptying.class);

  /**
   * Selects which table references which. The root of a partitioned table stands for its
   * partitions.
   */
  private static final String REFERENCES =
      """
      SELECT DISTINCT fn.nspname, f.relname, rn.nspname, r.relname
      FROM pg_constraint c
      JOIN pg_class f ON f.oid = coalesce(pg_partition_root(c.conrelid), c.conrelid)
      JOIN pg_namespace fn ON fn.oid = f.relnamespace
      JOIN pg_class r ON r.oid = coalesce(pg_partition_root(c.confrelid), c.confrelid)
      JOIN pg_namespace rn ON rn.oid = r.relnamespace
      WHERE c.contype = 'f'
      """;

  private static final String PARTITIONED =
      """
      SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind = 'p'
      """;

  private final TargetConnection connection;

  TableEmptying(TargetConnection connection) {
    this.connection = connection;
  }

  void empty(List<TableId> tables) throws SQLException {
    List<TableId> deleted = referencedFromOutside(tables);
    List<String> truncated = new ArrayList<>();
    for (TableId table : tables) {
      if (!deleted.contains(table)) {
        truncated.add(only(table));
      }
    }
    if (!truncated.isEmpty()) {
      connection.execute("TRUNCATE " + String.join(", ", truncated));
    }
    for (TableId table : deleted) {
      // Like TRUNCATE, waits for commits of an earlier attempt.
      connection.execute("LOCK TABLE " + only(table) + " IN SHARE ROW EXCLUSIVE MODE");
      long rows = connection.execute("DELETE FROM " + only(table));
      LOG.info(
          "{} deleted from, as a table outside of the task references it: {} rows", table, rows);
    }
  }

  private List<TableId> referencedFromOutside(List<TableId> tables) throws SQLException {
    Set<TableId> truncated = new LinkedHashSet<>(tables);
    List<TableId[]> references = references();
    boolean changed = true;
    while (changed) {
      // A table that is emptied with DELETE counts as outside for the tables that it references.
      Set<TableId> outside =
          references.stream()
              .filter(pair -> truncated.contains(pair[1]) && !truncated.contains(pair[0]))
              .map(pair -> pair[1])
              .collect(Collectors.toSet());
      changed = truncated.removeAll(outside);
    }
    return tables.stream().filter(table -> !truncated.contains(table)).toList();
  }

  private List<TableId[]> references() throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet rows = statement.executeQuery(REFERENCES)) {
      List<TableId[]> references = new ArrayList<>();
      while (rows.next()) {
        references.add(
            new TableId[] {
              new TableId(rows.getString(1), rows.getString(2)),
              new TableId(rows.getString(3), rows.getString(4))
            });
      }
      return references;
    }
  }

  /** The table's name in a statement that excludes inheriting tables but includes partitions. */
  private String only(TableId table) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(PARTITIONED)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? table.quoted() : "ONLY " + table.quoted();
      }
    }
  }
}
