package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads and checks what a publication sends: operations, columns and rows. Stateless. */
public final class PublicationShape {
  private static final String LOST =
      " Changes that were not sent are lost: if the task ran meanwhile, make its tables equal again"
          + " by difference with sluice stop, sluice resync and sluice run, or copy them again with"
          + " sluice reload";

  private static final String SHAPE =
      """
      SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate, pubviaroot
      FROM pg_catalog.pg_publication WHERE pubname = ?
      """;

  /** The entry of each table; for a partition with the name of its root. */
  private static final String ENTRIES =
      """
      SELECT n.nspname, c.relname, rn.nspname, r.relname,
        pg_catalog.pg_get_expr(e.prqual, e.prrelid), e.prattrs IS NOT NULL
      FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel e ON e.prpubid = p.oid
      JOIN pg_catalog.pg_class c ON c.oid = e.prrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_class r
        ON r.oid = CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid) ELSE c.oid END
      JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
      WHERE p.pubname = ? ORDER BY 1, 2
      """;

  private PublicationShape() {}

  /**
   * A table as the publication names it.
   *
   * @param filter null where all rows are sent
   */
  public record Entry(TableId table, TableId root, String filter, boolean hasColumnList) {}

  /** The tables listed by name. Before PostgreSQL 15 they have no filter and no column list. */
  public static List<Entry> entries(Connection connection, String name) throws SQLException {
    if (connection.getMetaData().getDatabaseMajorVersion() < PublishedFilters.FIRST_WITH_FILTERS) {
      return List.of();
    }
    try (PreparedStatement statement = connection.prepareStatement(ENTRIES)) {
      statement.setString(1, name);
      List<Entry> entries = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          entries.add(
              new Entry(
                  new TableId(rows.getString(1), rows.getString(2)),
                  new TableId(rows.getString(3), rows.getString(4)),
                  rows.getString(5),
                  rows.getBoolean(6)));
        }
      }
      return entries;
    }
  }

  /** The problem of a column list. */
  public static Problem columnList(String name, Entry entry) {
    return new Problem(
        "publication " + name,
        "it has a column list for table %s: its other columns are not sent"
            .formatted(entry.table()),
        "all columns of a table",
        "Run: ALTER PUBLICATION %1$s DROP TABLE ONLY %2$s; ALTER PUBLICATION %1$s ADD TABLE ONLY %2$s;%3$s"
            .formatted(TableId.quote(name), entry.table().quoted(), LOST));
  }

  /** The problem of a row filter that differs from the rules. */
  static Problem filter(String name, Entry entry, String wanted) {
    return new Problem(
        "publication " + name,
        "it sends %s of table %s".formatted(rows(entry.filter()), entry.table()),
        rows(wanted) + ", as when the task began to read it",
        "Restore the table's entry: ALTER PUBLICATION %1$s DROP TABLE ONLY %2$s; ALTER PUBLICATION %1$s ADD TABLE ONLY %2$s%3$s;%4$s"
            .formatted(
                TableId.quote(name),
                entry.table().quoted(),
                wanted == null ? "" : " WHERE (" + wanted + ")",
                LOST));
  }

  private static String rows(String filter) {
    return filter == null ? "all rows" : "only the rows where " + filter;
  }

  /** The problem by which changes would be missing; empty if there is none, or no publication. */
  public static Optional<Problem> problem(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SHAPE)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next() || rows.getBoolean(1) && !rows.getBoolean(2)) {
          return Optional.empty();
        }
        return Optional.of(
            new Problem(
                "publication " + name,
                rows.getBoolean(2)
                    ? "it publishes partitions as their root"
                    : "it leaves operations out",
                "insert, update, delete, truncate, each partition under its own name",
                "Run: ALTER PUBLICATION %s SET (publish = 'insert, update, delete, truncate', publish_via_partition_root = false);"
                        .formatted(TableId.quote(name))
                    + LOST));
      }
    }
  }
}
