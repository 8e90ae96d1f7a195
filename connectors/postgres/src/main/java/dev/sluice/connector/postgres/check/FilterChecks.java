package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.postgres.catalog.FullIdentity;
import dev.sluice.connector.postgres.publication.PublishedFilters;
import dev.sluice.connector.postgres.server.MovingTime;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks that the source can evaluate the rules' row filters. Used by one thread. */
final class FilterChecks {

  private static final String COLUMN =
      """
      SELECT pg_catalog.format_type(a.atttypid, a.atttypmod),
             a.atttypid < 16384 AND a.attcollation < 16384, t.typcategory = 'D'
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = ?::pg_catalog.regclass AND a.attname = ? AND NOT a.attisdropped
      """;

  private static final String WHOLE_PUBLICATION =
      """
      SELECT CASE WHEN p.puballtables THEN 'FOR ALL TABLES'
                  ELSE 'FOR TABLES IN SCHEMA ' || pg_catalog.quote_ident(?) END
      FROM pg_catalog.pg_publication p
      WHERE p.pubname = ? AND (p.puballtables OR EXISTS (
        SELECT FROM pg_catalog.pg_publication_namespace s
        JOIN pg_catalog.pg_namespace n ON n.oid = s.pnnspid
        WHERE s.pnpubid = p.oid AND n.nspname = ?))
      """;

  private final Connection connection;
  private final PostgresConfig config;
  private final boolean capture;
  private final int version;

  /**
   * @param capture whether changes are replicated; else the tables are only loaded
   */
  FilterChecks(Connection connection, PostgresConfig config, boolean capture) throws SQLException {
    this.connection = connection;
    this.config = config;
    this.capture = capture;
    this.version = connection.getMetaData().getDatabaseMajorVersion();
  }

  List<Problem> problems(CatalogTable table, RowFilter filter) throws SQLException {
    List<Problem> problems = new ArrayList<>();
    evaluated(table.table(), filter).ifPresent(problems::add);
    for (ColumnFilter column : filter.columns()) {
      problems.addAll(ofColumn(table.table(), filter, column));
    }
    if (!capture || !problems.isEmpty()) {
      return problems;
    }
    if (version < PublishedFilters.FIRST_WITH_FILTERS) {
      problems.add(
          problem(
              table.table(),
              filter,
              "PostgreSQL " + version + " has no filters in publications",
              "PostgreSQL 15 or newer: the source's server filters the changes",
              "Carry the whole table, or let the task only load (migration-type full-load)"));
      return problems;
    }
    if (table.kind() == Kind.PARTITIONED) {
      problems.add(
          problem(
              table.table(),
              filter,
              "it is partitioned, and its changes are published under the names of its partitions",
              "a table without partitions: PostgreSQL would publish new partitions unfiltered",
              "Carry the whole table, or let the task only load (migration-type full-load)"));
    }
    identity(table, filter).ifPresent(problems::add);
    wholePublication(table.table(), filter).ifPresent(problems::add);
    return problems;
  }

  private Optional<Problem> identity(CatalogTable table, RowFilter filter) {
    if (table.kind() != Kind.ORDINARY) {
      return Optional.empty();
    }
    if (FullIdentity.isRefused(table, version)) {
      return Optional.of(
          problem(
              table.table(),
              filter,
              "its log must have complete old rows, and it has generated columns: with REPLICA IDENTITY FULL "
                  + FullIdentity.WRITERS_REFUSED,
              "a table without generated columns",
              "Carry the whole table, or let the task only load (migration-type full-load)"));
    }
    return table.oldRow() == OldRow.ALL_COLUMNS || config.replicaIdentityFull()
        ? Optional.empty()
        : Optional.of(
            problem(
                table.table(),
                filter,
                "its log does not have complete old rows: a row that enters the filter could lack"
                    + " values, and PostgreSQL might refuse the application's own UPDATE",
                "REPLICA IDENTITY FULL",
                "Run: ALTER TABLE %s REPLICA IDENTITY FULL; or let Sluice do it by source.replica-identity-full: true in the task file"
                    .formatted(table.table().quoted())));
  }

  /** Checks that the columns exist and the constants are values of their types. */
  private Optional<Problem> evaluated(TableId table, RowFilter filter) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "EXPLAIN SELECT FROM ONLY " + table.quoted() + " WHERE " + filter.condition());
      return Optional.empty();
    } catch (SQLException e) {
      if (e.getSQLState() == null
          || !e.getSQLState().startsWith("42") && !e.getSQLState().startsWith("22")) {
        throw e;
      }
      return Optional.of(
          problem(
              table,
              filter,
              e.getMessage().replaceAll("\\s*\\n\\s*", "; "),
              "columns of the table as the catalog spells them, and values of their types",
              "Correct the filter"));
    }
  }

  private List<Problem> ofColumn(TableId table, RowFilter filter, ColumnFilter column)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMN)) {
      statement.setString(1, table.quoted());
      statement.setString(2, column.column());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return List.of();
        }
        if (capture && !row.getBoolean(2)) {
          problems.add(
              problem(
                  table,
                  filter,
                  "column %s is of type %s; publications accept filters only on built-in types and collations"
                      .formatted(column.column(), row.getString(1)),
                  "a column of a built-in type and collation",
                  "Filter by another column, or let the task only load (migration-type full-load)"));
        }
        if (row.getBoolean(3)) {
          column.conditions().stream()
              .map(Condition::values)
              .flatMap(List::stream)
              .filter(MovingTime::isOne)
              .forEach(
                  value ->
                      problems.add(
                          problem(
                              table,
                              filter,
                              "the value \"" + value + "\" is another one each day",
                              "a constant, so that load and changes select the same rows",
                              "Write a date or time")));
        }
      }
    }
    return problems;
  }

  private Optional<Problem> wholePublication(TableId table, RowFilter filter) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(WHOLE_PUBLICATION)) {
      statement.setString(1, table.schema());
      statement.setString(2, config.publicationName());
      statement.setString(3, table.schema());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(
                problem(
                    table,
                    filter,
                    "publication %s is %s, so it sends every row"
                        .formatted(config.publicationName(), row.getString(1)),
                    "a publication that names its tables",
                    "Set source.publication-name in the task file to another one, or drop it"))
            : Optional.empty();
      }
    }
  }

  private static Problem problem(
      TableId table, RowFilter filter, String found, String expected, String fix) {
    return new Problem(
        "table " + table, "rule %s filters it: %s".formatted(filter.rule(), found), expected, fix);
  }
}
