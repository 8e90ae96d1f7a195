package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The filter is part of the publication, so the source's server evaluates it, with the same operators, types
 * and collations as in the load's query. It tests old and new row, both complete under REPLICA IDENTITY
 * FULL. A row that leaves the filter is sent as a DELETE, one that enters as an INSERT with all values.
 */
/** The row filters of a publication's tables. Used by one thread, over its owner's connection. */
public final class PublishedFilters {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedFilters.class);

  public static final int FIRST_WITH_FILTERS = 15;

  private static final String FILTERS =
      """
      SELECT n.nspname, c.relname, pg_catalog.pg_get_expr(r.prqual, r.prrelid)
      FROM pg_catalog.pg_publication p
      JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
      JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE p.pubname = ?
      """;

  private final Connection connection;
  private final String publication;

  PublishedFilters(Connection connection, String publication) {
    this.connection = connection;
    this.publication = publication;
  }

  /** A table as an entry of a publication's list, in SQL. */
  static String named(TableId table, Optional<RowFilter> filter) {
    return "ONLY " + table.quoted() + filter.map(rows -> " WHERE " + rows.condition()).orElse("");
  }

  /**
   * Requires complete old rows of filtered tables: else PostgreSQL may refuse the application's own
   * UPDATE of a published table.
   *
   * @throws SluiceException.Fatal naming each table without them
   */
  void requireWholeRows(List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    for (TableId table : tables) {
      if (filterOf.apply(table).isPresent() && !hasWholeRows(table)) {
        problems.add(
            new Problem(
                "table " + table,
                "a rule filters it, and its log does not have complete old rows",
                "REPLICA IDENTITY FULL",
                "Run: ALTER TABLE %s REPLICA IDENTITY FULL;".formatted(table.quoted())));
      }
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** True also for a dropped table: publishing it reports that. */
  private boolean hasWholeRows(TableId table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT relreplident = 'f' FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass(?)")) {
      statement.setString(1, table.quoted());
      try (ResultSet row = statement.executeQuery()) {
        return !row.next() || row.getBoolean(1);
      }
    }
  }

  /**
   * Sets the filters of tables that the publication already has.
   *
   * @param follows whether the slot exists: then the log was read with the present filters
   * @throws SluiceException.Fatal naming each table whose filter would change while the slot exists
   */
  void require(
      List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf, boolean follows)
      throws SQLException {
    if (connection.getMetaData().getDatabaseMajorVersion() < FIRST_WITH_FILTERS) {
      return;
    }
    Map<TableId, String> before = read();
    List<TableId> filtered =
        tables.stream()
            .filter(before::containsKey)
            .filter(table -> before.get(table) != null || filterOf.apply(table).isPresent())
            .toList();
    if (filtered.isEmpty()) {
      return;
    }
    List<Problem> changed = new ArrayList<>();
    connection.setAutoCommit(false);
    try {
      for (TableId table : filtered) {
        replace(table, filterOf.apply(table));
      }
      // Only the server can compare conditions: it prints them in its own form.
      Map<TableId, String> after = read();
      List<TableId> others =
          filtered.stream()
              .filter(table -> !Objects.equals(before.get(table), after.get(table)))
              .toList();
      if (follows) {
        others.forEach(table -> changed.add(changed(table, before.get(table), after.get(table))));
      } else if (!others.isEmpty()) {
        connection.commit();
        others.forEach(
            table ->
                LOG.info(
                    "publication {}: rows of {} where {}", publication, table, after.get(table)));
      }
    } catch (SQLException | RuntimeException e) {
      endAfter(e);
      throw e;
    }
    connection.rollback();
    connection.setAutoCommit(true);
    if (!changed.isEmpty()) {
      throw new SluiceException.Fatal(changed);
    }
  }

  /** Ends the transaction; a failure of that does not hide the first one. */
  private void endAfter(Exception failure) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private void replace(TableId table, Optional<RowFilter> filter) throws SQLException {
    String alter = "ALTER PUBLICATION " + TableId.quote(publication);
    try (Statement statement = connection.createStatement()) {
      statement.execute(alter + " DROP TABLE ONLY " + table.quoted());
      statement.execute(alter + " ADD TABLE " + named(table, filter));
    }
  }

  private Map<TableId, String> read() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FILTERS)) {
      statement.setString(1, publication);
      Map<TableId, String> filters = new HashMap<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          filters.put(new TableId(rows.getString(1), rows.getString(2)), rows.getString(3));
        }
      }
      return filters;
    }
  }

  private Problem changed(TableId table, String before, String after) {
    return new Problem(
        "table " + table,
        "the rules now select %s of its rows, and publication %s has sent %s so far"
            .formatted(shown(after), publication, shown(before)),
        "the filter with which the task began: the target has its rows",
        "Bring the filter back. To use another one, request sluice resync first: the next run then"
            + " compares all rows with the new filter. With --delete-extra it also deletes rows that"
            + " the new filter does not select");
  }

  private static String shown(String condition) {
    return condition == null ? "all" : "those where " + condition;
  }
}
