package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.load.target.FoundTable;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads from YugabyteDB's catalog what has the name of a table. Stateless, threadsafe. */
final class YugabyteFoundTables {
  private static final String ORDINARY = "BASE TABLE";

  private static final String FIND =
      """
      SELECT CASE c.relkind WHEN 'r' THEN 'BASE TABLE' WHEN 'p' THEN 'partitioned table'
               WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
               WHEN 'S' THEN 'sequence' WHEN 'i' THEN 'index' ELSE 'relation ' || c.relkind::text END,
             coalesce(pg_catalog.obj_description(c.oid, 'pg_class'), ''),
             ARRAY(SELECT t.tgname::text FROM pg_catalog.pg_trigger t
                   WHERE t.tgrelid = c.oid AND NOT t.tgisinternal ORDER BY 1)
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ? AND c.relname = ?
      """;

  private static final String COMMENTED =
      """
      SELECT n.nspname, c.relname, d.description
      FROM pg_catalog.pg_description d
      JOIN pg_catalog.pg_class c ON c.oid = d.objoid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0 AND c.relkind = 'r'
      ORDER BY 1, 2
      """;

  private static final String REFERENCING =
      """
      SELECT rn.nspname, r.relname, n.nspname, t.relname
      FROM pg_catalog.pg_constraint k
      JOIN pg_catalog.pg_class t ON t.oid = k.conrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      JOIN pg_catalog.pg_class r ON r.oid = k.confrelid
      JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
      WHERE k.contype = 'f'
      """;

  private YugabyteFoundTables() {}

  /** What has that name; empty if nothing has. */
  static Optional<FoundTable> find(TargetConnection connection, TableId table) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(FIND)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(
                new FoundTable(
                    table,
                    row.getString(1),
                    row.getString(1).equals(ORDINARY),
                    row.getString(2),
                    List.of((String[]) row.getArray(3).getArray())))
            : Optional.empty();
      }
    }
  }

  /** Whether a table has rows. */
  static boolean isFilled(TargetConnection connection, TableId table) throws SQLException {
    return connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1");
  }

  /**
   * The tables with foreign keys that reference one of these tables, by the referenced one. Ends
   * the open transaction.
   */
  static Map<TableId, Set<TableId>> references(
      TargetConnection connection, Collection<TableId> tables) throws SQLException {
    Map<TableId, Set<TableId>> references;
    try (PreparedStatement statement = connection.jdbc().prepareStatement(REFERENCING)) {
      references = FoundTable.references(statement, tables);
    }
    connection.rollback();
    return references;
  }

  /** The tables with a comment. Ends the open transaction. */
  static List<FoundTable> commented(TargetConnection connection) throws SQLException {
    return FoundTable.commented(connection, COMMENTED, ORDINARY);
  }
}
