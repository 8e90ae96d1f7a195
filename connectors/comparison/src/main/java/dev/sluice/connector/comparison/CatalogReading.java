package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.SideColumn;
import dev.sluice.connector.api.comparison.SideTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads a table from the catalog in a session's open transaction. Owned by one thread. */
final class CatalogReading {
  private static final int DEFAULT_COLLATION = 100;

  private final SideServer server;
  private final SideSession session;

  CatalogReading(SideServer server, SideSession session) {
    this.server = server;
    this.session = session;
  }

  /** The table; empty if there is none of that name. */
  Optional<SnapshotTable> read(TableId table) throws SQLException {
    List<String> name = List.of(table.schema(), table.name());
    Optional<String> state = session.query(CatalogQueries.STATE, name, CatalogReading::text);
    if (state.isEmpty()) {
      return Optional.empty();
    }
    Database database = database();
    List<KnownColumn> columns =
        session.query(CatalogQueries.COLUMNS, name, rows -> columns(rows, database));
    List<List<String>> indexes =
        session.query(CatalogQueries.UNIQUE_INDEXES, name, CatalogReading::lists);
    return session.query(
        CatalogQueries.TABLE,
        name,
        rows -> {
          if (!rows.next()) {
            return Optional.empty();
          }
          rows.getBoolean(4);
          if (rows.wasNull()) {
            throw new NotReadable(
                Reason.CHANGED,
                "table %s of the %s was dropped after the snapshot".formatted(table, server),
                null);
          }
          return Optional.of(
              new SnapshotTable(
                  new SideTable(
                      rows.getBoolean(1),
                      columns.stream().map(KnownColumn::column).toList(),
                      indexes,
                      rows.getLong(2),
                      refusals(table, rows),
                      stale(table, columns)),
                  columns,
                  state.get(),
                  rows.getBoolean(3)));
        });
  }

  private List<String> refusals(TableId table, ResultSet rows) throws SQLException {
    List<String> refusals = new ArrayList<>();
    String user = rows.getString(6);
    if (!rows.getBoolean(4)) {
      refusals.add(
          "table %s of the %s: user %s may not read it. GRANT SELECT ON %s TO %s"
              .formatted(table, server, user, table.quoted(), TableId.quote(user)));
    }
    if (rows.getBoolean(5)) {
      refusals.add(
          ("table %s of the %s: row security hides rows from user %s, so that what is compared would"
                  + " not be the table. ALTER ROLE %s BYPASSRLS")
              .formatted(table, server, user, TableId.quote(user)));
    }
    if (rows.getBoolean(7)) {
      refusals.add(
          "table %s of the %s: a partition is a foreign table, whose rows no snapshot of this server shows"
              .formatted(table, server));
    }
    return refusals;
  }

  private List<String> stale(TableId table, List<KnownColumn> columns) {
    List<String> messages = new ArrayList<>();
    for (KnownColumn column : columns) {
      column
          .collation()
          .filter(Collation::isStale)
          .ifPresent(
              collation ->
                  messages.add(
                      collation.staleMessage(
                          "table %s of the %s".formatted(table, server), column.column().name())));
    }
    return messages;
  }

  private static List<KnownColumn> columns(ResultSet rows, Database database) throws SQLException {
    List<KnownColumn> columns = new ArrayList<>();
    while (rows.next()) {
      Optional<Collation> collation = collation(rows, database);
      String typeName = rows.getString(5);
      columns.add(
          new KnownColumn(
              new SideColumn(
                  rows.getString(1),
                  rows.getString(2),
                  rows.getString(3),
                  rows.getBoolean(6),
                  KnownColumn.EXACT.contains(typeName),
                  rows.getBoolean(8),
                  KnownColumn.order(typeName, collation, database.encoding())),
              rows.getString(4),
              typeName,
              rows.getBoolean(7),
              rows.getBoolean(17),
              collation));
    }
    return columns;
  }

  private static Optional<Collation> collation(ResultSet rows, Database database)
      throws SQLException {
    int oid = rows.getInt(9);
    if (oid == 0) {
      return Optional.empty();
    }
    return Optional.of(
        oid == DEFAULT_COLLATION
            ? database.collation()
            : new Collation(
                rows.getString(10),
                rows.getString(11),
                rows.getString(12),
                rows.getString(13),
                rows.getBoolean(14),
                rows.getString(15),
                rows.getString(16)));
  }

  /**
   * The session's database. Immutable.
   *
   * @param singleByte whether each character is one byte
   * @param collation of its columns by default
   */
  record Database(String encoding, boolean singleByte, Collation collation) {}

  Database database() throws SQLException {
    return session.query(
        CatalogQueries.DATABASE,
        List.of(),
        rows -> {
          rows.next();
          String version =
              rows.getBoolean(8)
                  ? session
                      .query(
                          CatalogQueries.DATABASE_VERSION,
                          List.of(rows.getString(7)),
                          CatalogReading::text)
                      .orElse(null)
                  : null;
          return new Database(
              rows.getString(1),
              rows.getBoolean(2),
              new Collation(
                  "of the database",
                  rows.getString(3),
                  rows.getString(4),
                  rows.getString(5),
                  true,
                  rows.getString(6),
                  version));
        });
  }

  static Optional<String> text(ResultSet rows) throws SQLException {
    return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
  }

  static Set<String> texts(ResultSet rows) throws SQLException {
    Set<String> texts = new HashSet<>();
    while (rows.next()) {
      texts.add(rows.getString(1));
    }
    return texts;
  }

  private static List<List<String>> lists(ResultSet rows) throws SQLException {
    List<List<String>> lists = new ArrayList<>();
    while (rows.next()) {
      lists.add(List.of((String[]) rows.getArray(1).getArray()));
    }
    return lists;
  }
}
