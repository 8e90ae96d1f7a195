package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.load.target.BrokenForeignKey;
import dev.sluice.load.target.ForeignKeys;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Compares foreign keys by what PostgreSQL's catalog says of them. Stateless, threadsafe. */
final class PostgresForeignKeys implements ForeignKeys {

  /**
   * Selects the compared keys. A key that a partition inherits from its parent is compared for the
   * partition, as rows may have been inserted into it directly. A key that only stands for a
   * partition of the referenced table is not.
   */
  private static final String COMPARED =
      """
      WHERE f.contype = 'f' AND f.convalidated
        AND NOT EXISTS (SELECT FROM pg_constraint above
                        WHERE above.oid = f.conparentid AND above.conrelid = f.conrelid)
        AND n.nspname = ? AND t.relname = ?
      """;

  private static final String KEYS =
      """
      SELECT f.conname, rn.nspname, r.relname,
             string_agg(format('c.%I IS NOT NULL', a.attname), ' AND ' ORDER BY k.place),
             string_agg(format('c.%I IS NULL', a.attname), ' OR ' ORDER BY k.place),
             string_agg(format('p.%I%s OPERATOR(%I.%s) c.%I', pa.attname,
                               (SELECT format(' COLLATE %I.%I', pcn.nspname, pc.collname)
                                FROM pg_collation pc JOIN pg_namespace pcn ON pcn.oid = pc.collnamespace
                                WHERE pc.oid = pa.attcollation),
                               opn.nspname, o.oprname, a.attname), ' AND ' ORDER BY k.place),
             f.confmatchtype = 'f', t.relkind = 'p', r.relkind = 'p'
      FROM pg_constraint f
      JOIN pg_class t ON t.oid = f.conrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace
      JOIN pg_class r ON r.oid = f.confrelid
      JOIN pg_namespace rn ON rn.oid = r.relnamespace
      CROSS JOIN LATERAL unnest(f.conkey, f.confkey, f.conpfeqop)
        WITH ORDINALITY k (own, other, operator, place)
      JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.own
      JOIN pg_attribute pa ON pa.attrelid = f.confrelid AND pa.attnum = k.other
      JOIN pg_operator o ON o.oid = k.operator
      JOIN pg_namespace opn ON opn.oid = o.oprnamespace
      """
          + COMPARED
          + """
          GROUP BY f.oid, f.conname, rn.nspname, r.relname, f.confmatchtype, t.relkind, r.relkind
          ORDER BY f.conname
          """;

  private static final String UNREADABLE =
      """
      SELECT DISTINCT rn.nspname, r.relname
      FROM pg_constraint f
      JOIN pg_class t ON t.oid = f.conrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace
      JOIN pg_class r ON r.oid IN (f.conrelid, f.confrelid)
      JOIN pg_namespace rn ON rn.oid = r.relnamespace
      """
          + COMPARED
          + """
          AND NOT has_table_privilege(r.oid, 'SELECT')
          ORDER BY rn.nspname, r.relname
          """;

  @Override
  public List<TableId> unreadable(TargetConnection connection, TableId table) throws SQLException {
    List<TableId> unreadable = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(UNREADABLE)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          unreadable.add(new TableId(found.getString(1), found.getString(2)));
        }
      }
    }
    return unreadable;
  }

  @Override
  public List<BrokenForeignKey> broken(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    // Complete tables are compared, in no order of a key, so a hash join is best.
    connection.execute("SET LOCAL enable_hashjoin = on");
    List<BrokenForeignKey> broken = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      broken.addAll(broken(connection, table));
    }
    return broken;
  }

  private static List<BrokenForeignKey> broken(TargetConnection connection, TableId table)
      throws SQLException {
    List<BrokenForeignKey> broken = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(KEYS)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet key = statement.executeQuery()) {
        while (key.next()) {
          TableId other = new TableId(key.getString(2), key.getString(3));
          // The key covers rows of partitions, but not of inheriting tables.
          String own = key.getBoolean(8) ? "" : "ONLY ";
          String theirs = key.getBoolean(9) ? "" : "ONLY ";
          String nothing =
              "(%s) AND NOT EXISTS (SELECT FROM %s%s p WHERE %s)"
                  .formatted(key.getString(4), theirs, other.quoted(), key.getString(6));
          // MATCH FULL: either all columns are NULL or none is.
          String half =
              " OR ((%s) AND NOT (%s))"
                  .formatted(
                      key.getString(5), key.getString(4).replace(" IS NOT NULL", " IS NULL"));
          String sql =
              "SELECT count(*) FROM %s%s c WHERE %s%s"
                  .formatted(own, table.quoted(), nothing, key.getBoolean(7) ? half : "");
          long rows = count(connection, sql);
          if (rows > 0) {
            broken.add(new BrokenForeignKey(key.getString(1), table, other, rows));
          }
        }
      }
    }
    return broken;
  }

  private static long count(TargetConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
