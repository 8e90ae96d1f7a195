package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedView;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Records the present definition of tables from PostgreSQL's catalog. Owned by the thread that uses
 * its connection. The connection must not be in a transaction with a snapshot, which would show the
 * snapshot's catalog instead of the present one.
 */
public final class TableRecorder {

  private static final String COLUMNS =
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attgenerated <> ''
      FROM pg_attribute a
      WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """;

  private static final String KEY =
      """
      SELECT array(SELECT a.attname::text
                   FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, place)
                   JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                   WHERE k.place <= i.indnkeyatts ORDER BY k.place)
      FROM pg_index i
      WHERE i.indrelid = ?::int8::oid AND (i.indisprimary OR i.indisreplident)
      ORDER BY i.indisprimary DESC LIMIT 1
      """;

  /*
   * The leaves of a partitioned table, or the table itself. Only the size takes a lock on a table, so
   * pg_partition_tree is not used. The caller holds a lock in another session: a third session that
   * waits for that lock could make both wait for ever.
   */
  private static final String LEAVES =
      """
      WITH RECURSIVE tree AS (
        SELECT ?::int8::oid AS oid
        UNION ALL
        SELECT i.inhrelid FROM tree
        JOIN pg_class p ON p.oid = tree.oid AND p.relkind = 'p'
        JOIN pg_inherits i ON i.inhparent = tree.oid AND NOT i.inhdetachpending)
      SELECT n.nspname, c.relname, c.oid::int8, coalesce(pg_relation_filenode(c.oid), 0)::int8,
             CASE WHEN ?::bool AND c.relkind <> 'v' THEN pg_table_size(c.oid) ELSE 0 END,
             CASE WHEN ?::bool AND c.relkind <> 'v' THEN pg_relation_size(c.oid) ELSE 0 END
               / current_setting('block_size')::int8,
             c.relkind = 'r'
               AND (SELECT a.amname = 'heap' FROM pg_am a WHERE a.oid = c.relam) IS TRUE,
             array(SELECT format('%s %s %s %s%s%s', a.attnum,
                            CASE WHEN a.attisdropped THEN 'dropped' ELSE quote_ident(a.attname) END,
                            format_type(a.atttypid, a.atttypmod), a.attgenerated,
                            (SELECT format('COLLATE %I.%I ', o.nspname, l.collname)
                             FROM pg_collation l JOIN pg_namespace o ON o.oid = l.collnamespace
                             WHERE l.oid = a.attcollation AND l.collname <> 'default'),
                            CASE WHEN a.attnotnull THEN 'NOT NULL' END)
                   FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                   ORDER BY a.attnum)
      FROM tree JOIN pg_class c USING (oid) JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'v', 'm')
      ORDER BY c.oid
      """;

  /*
   * No lock here either: pg_get_viewdef would lock each table under the view. Rows of a materialized
   * view come from its own file, whatever its query reads.
   */
  private static final String VIEW =
      """
      WITH RECURSIVE below AS (
        SELECT ?::int8::oid AS oid
        UNION
        SELECT further.oid
        FROM below JOIN pg_class c ON c.oid = below.oid
        CROSS JOIN LATERAL (
          SELECT d.refobjid
          FROM pg_rewrite r
          JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
            AND d.refclassid = 'pg_class'::regclass
          WHERE c.relkind = 'v' AND r.ev_class = c.oid AND r.ev_type = '1'
          UNION ALL
          SELECT i.inhrelid FROM pg_inherits i
          WHERE c.relkind IN ('r', 'p') AND i.inhparent = c.oid) further (oid))
      SELECT array(SELECT md5(r.ev_action::text)
                   FROM below JOIN pg_rewrite r ON r.ev_class = below.oid AND r.ev_type = '1'
                   ORDER BY r.oid),
             array(SELECT format('%s %s', c.oid, coalesce(pg_relation_filenode(c.oid), 0))
                   FROM below JOIN pg_class c USING (oid)
                   WHERE c.relkind IN ('r', 'm') ORDER BY c.oid)
      """;

  /** The first major version that reads a range of pages without reading the whole table. */
  private static final int FIRST_WITH_PAGE_RANGES = 14;

  private final Connection connection;

  public TableRecorder(Connection connection) {
    this.connection = connection;
  }

  /**
   * Records the tables, in the given order.
   *
   * @throws SluiceException.Overtaken naming every table that was dropped or renamed since it was
   *     selected
   */
  public List<RecordedTable> record(List<TableId> tables) {
    List<RecordedTable> recorded = new ArrayList<>();
    List<TableId> missing = new ArrayList<>();
    for (TableId table : tables) {
      Optional<RecordedTable> found = find(table, true);
      found.ifPresentOrElse(recorded::add, () -> missing.add(table));
    }
    if (!missing.isEmpty()) {
      throw new SluiceException.Overtaken(
          "dropped or renamed on the source since its tables were listed: " + missing, null);
    }
    return recorded;
  }

  /** The table as it is now, without its size and without a lock; empty if it was dropped. */
  Optional<RecordedTable> find(TableId table) {
    return find(table, false);
  }

  private Optional<RecordedTable> find(TableId table, boolean sized) {
    String sql =
        "SELECT c.oid::int8, c.relkind FROM pg_class c JOIN pg_namespace n"
            + " ON n.oid = c.relnamespace WHERE n.nspname = ?::text AND c.relname = ?::text"
            + " AND c.relkind IN ('r', 'p', 'v', 'm')";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return Optional.empty();
        }
        long oid = rows.getLong(1);
        String kind = rows.getString(2);
        return Optional.of(
            new RecordedTable(
                table,
                oid,
                columns(oid),
                key(oid),
                kind.equals("p"),
                leaves(oid, sized),
                kind.equals("v") || kind.equals("m") ? Optional.of(view(oid)) : Optional.empty()));
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read the catalog entry of " + table, e);
    }
  }

  private List<TableColumn> columns(long oid) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setLong(1, oid);
      try (ResultSet rows = statement.executeQuery()) {
        List<TableColumn> columns = new ArrayList<>();
        while (rows.next()) {
          columns.add(new TableColumn(rows.getString(1), rows.getString(2), rows.getBoolean(3)));
        }
        return columns;
      }
    }
  }

  private List<String> key(long oid) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(KEY)) {
      statement.setLong(1, oid);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? texts(rows.getArray(1)) : List.of();
      }
    }
  }

  private List<RecordedLeaf> leaves(long oid, boolean sized) throws SQLException {
    boolean pageRanges =
        connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_PAGE_RANGES;
    try (PreparedStatement statement = connection.prepareStatement(LEAVES)) {
      statement.setLong(1, oid);
      statement.setBoolean(2, sized);
      statement.setBoolean(3, sized);
      try (ResultSet rows = statement.executeQuery()) {
        List<RecordedLeaf> leaves = new ArrayList<>();
        while (rows.next()) {
          leaves.add(
              new RecordedLeaf(
                  new TableId(rows.getString(1), rows.getString(2)),
                  rows.getLong(3),
                  rows.getLong(4),
                  texts(rows.getArray(8)),
                  rows.getLong(5),
                  rows.getLong(6),
                  pageRanges && rows.getBoolean(7)));
        }
        return leaves;
      }
    }
  }

  private RecordedView view(long oid) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(VIEW)) {
      statement.setLong(1, oid);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new RecordedView(texts(row.getArray(1)), texts(row.getArray(2)));
      }
    }
  }

  private static List<String> texts(Array array) throws SQLException {
    return Arrays.asList((String[]) array.getArray());
  }
}
