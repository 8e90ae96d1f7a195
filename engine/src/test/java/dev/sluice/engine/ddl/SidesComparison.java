package dev.sluice.engine.ddl;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The followed tables of a source and those of a target: columns, key and rows, by the names of the
 * columns, since a column that is computed otherwise has another place. Owned by one thread.
 */
public final class SidesComparison {
  private static final String FOLLOWED =
      """
      SELECT format('%I.%I', n.nspname, c.relname), format('%s.%s', n.nspname, c.relname),
             format('%s.%s', rn.nspname, r.relname),
             EXISTS (SELECT FROM sluice_ddl.followed f WHERE f.relation = r.oid AND f.until IS NULL),
             c.relkind = 'p', c.relpersistence = 'u'
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_class r ON r.oid = CASE WHEN c.relispartition THEN pg_partition_root(c.oid) ELSE c.oid END
      JOIN pg_namespace rn ON rn.oid = r.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema|sluice)'
      ORDER BY 1
      """;

  /** The name of a type is not replicated where it changes. */
  private static final String DEFINITION =
      """
      SELECT coalesce(string_agg(format('%%s %%s%%s', quote_ident(a.attname),
               CASE WHEN a.atttypid >= 16384 THEN 'type ' || t.typtype::text
                 ELSE format_type(a.atttypid, a.atttypmod) END, CASE WHEN a.attnotnull THEN ' not null' END),
               ', ' ORDER BY a.attname), '')
             || coalesce((SELECT '; ' || pg_get_constraintdef(oid) FROM pg_constraint
                          WHERE conrelid = '%1$s'::regclass AND contype = 'p'), '')
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = '%1$s'::regclass AND a.attnum > 0 AND NOT a.attisdropped
      """;

  private static final String COLUMNS =
      """
      SELECT coalesce(string_agg(quote_ident(attname), ', ' ORDER BY attname), '')
      FROM pg_attribute
      WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped
      """;

  private final Connection source;
  private final Connection target;
  private final List<String> notFollowed = new ArrayList<>();

  public SidesComparison(Connection source, Connection target) {
    this.source = source;
    this.target = target;
  }

  /**
   * What differs.
   *
   * @param suspended names under which rows come
   */
  public List<String> differences(Set<String> suspended) throws SQLException {
    List<String> differences = new ArrayList<>();
    try (Statement statement = source.createStatement();
        ResultSet tables = statement.executeQuery(FOLLOWED)) {
      while (tables.next()) {
        String table = tables.getString(1);
        if (suspended.contains(tables.getString(3))) {
          continue;
        }
        if (!tables.getBoolean(4)) {
          if (tables.getString(2).equals(tables.getString(3))) {
            notFollowed.add(tables.getString(2));
          }
        } else {
          compare(table, tables.getBoolean(5), differences);
        }
      }
    }
    return differences;
  }

  /** Roots that the task does not follow. */
  public List<String> notFollowed() {
    return notFollowed;
  }

  private void compare(String table, boolean partitioned, List<String> differences)
      throws SQLException {
    String there = text(target, "SELECT to_regclass('%s')".formatted(table.replace("'", "''")));
    if (there == null) {
      differences.add(table + " is not on the target");
      return;
    }
    String literal = table.replace("'", "''");
    String columns = text(source, COLUMNS.formatted(literal));
    String rows =
        "SELECT coalesce(string_agg(r, E'\\n' ORDER BY r COLLATE \"C\"), '') FROM (SELECT ROW(%s)::text AS r FROM %s%s) t"
            .formatted(columns, partitioned ? "" : "ONLY ", table);
    for (String sql : List.of(DEFINITION.formatted(literal), rows)) {
      String here;
      String other;
      try {
        here = text(source, sql);
        other = text(target, sql);
      } catch (SQLException e) {
        differences.add(table + ": " + e.getMessage());
        continue;
      }
      if (!here.equals(other)) {
        differences.add("%s:%n source: %s%n target: %s".formatted(table, here, other));
      }
    }
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
