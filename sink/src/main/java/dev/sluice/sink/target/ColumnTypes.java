package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The column types of target tables, for values that come without a type. Caches what it has read.
 * A missing column is read once more at its first request, since it may have been added. Owned by
 * one thread.
 */
public final class ColumnTypes {
  private static final String TYPES =
      """
      WITH RECURSIVE under (attname, typid) AS (
        SELECT a.attname, a.atttypid FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')
          AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT u.attname, t.typbasetype FROM under u
        JOIN pg_type t ON t.oid = u.typid WHERE t.typtype = 'd')
      SELECT u.attname,
             CASE WHEN e.oid IS NOT NULL
                  THEN CASE WHEN e.typtype = 'e' THEN 'enum' ELSE e.typname END || '[]'
                  WHEN t.typtype = 'e' THEN 'enum' ELSE t.typname END
      FROM under u JOIN pg_type t ON t.oid = u.typid AND t.typtype <> 'd'
      LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
      """;

  private final TargetServer server;
  private final Map<TableId, Map<String, String>> known = new HashMap<>();
  private final Set<Missing> missing = new HashSet<>();

  private record Missing(TableId table, String column) {}

  public ColumnTypes(TargetServer server) {
    this.server = server;
  }

  /**
   * The name of a column's type in {@code pg_type}: {@code enum} for every enum, with {@code []}
   * for an array, a domain's base type for a domain. Null if the column does not exist.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if the target cannot be reached
   */
  public String of(TableId table, String column) {
    String type = known.computeIfAbsent(table, this::read).get(column);
    if (type == null && missing.add(new Missing(table, column))) {
      known.put(table, read(table));
      type = known.get(table).get(column);
    }
    return type;
  }

  private Map<String, String> read(TableId table) {
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(TYPES)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      Map<String, String> types = new HashMap<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          types.put(row.getString(1), row.getString(2));
        }
      }
      return types;
    } catch (SQLException e) {
      throw server.errors().classify("read the types of " + table, e);
    }
  }
}
