package dev.sluice.load.postgres;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * Finds the tables that have rows, and about how many, in limited time whatever their size. Used by
 * the thread that owns the connection, in its transaction.
 */
final class FilledTables {
  /** Tables with more rows are estimated, not counted. */
  private static final int COUNTED_UP_TO = 100_000;

  /** Limits the check of one table, which may be large but empty, or locked. */
  private static final Duration LONGEST_CHECK = Duration.ofSeconds(10);

  /** The rows of partitions belong to the root; the rows of inheriting tables do not. */
  private static final String EXISTING =
      """
      SELECT n.nspname, c.relname, c.relkind = 'p',
        coalesce((SELECT sum(greatest(l.reltuples, 0)) FROM pg_partition_tree(c.oid) t
                  JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf),
                 greatest(c.reltuples, 0))::bigint
      FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
      JOIN pg_namespace n ON n.nspname = wanted.schema_name
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
      WHERE c.relkind IN ('r', 'p', 'f')
      ORDER BY 1, 2
      """;

  /**
   * A table that has rows, or may have.
   *
   * @param rows the number of rows, for people
   */
  record Filled(TableId table, String rows) {
    @Override
    public String toString() {
      return table + " (" + rows + ")";
    }
  }

  /**
   * A table of the target.
   *
   * @param only its name in a query that excludes inheriting tables
   */
  record Existing(TableId table, String only, long estimatedRows) {}

  private final TargetConnection connection;

  FilledTables(TargetConnection connection) {
    this.connection = connection;
  }

  /** The given tables that exist on the target. */
  List<Existing> existing(Collection<TableId> tables) throws SQLException {
    Array schemas =
        connection.jdbc().createArrayOf("text", tables.stream().map(TableId::schema).toArray());
    Array names =
        connection.jdbc().createArrayOf("text", tables.stream().map(TableId::name).toArray());
    try (PreparedStatement statement = connection.jdbc().prepareStatement(EXISTING)) {
      statement.setArray(1, schemas);
      statement.setArray(2, names);
      List<Existing> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          TableId table = new TableId(rows.getString(1), rows.getString(2));
          found.add(
              new Existing(
                  table,
                  rows.getBoolean(3) ? table.quoted() : "ONLY " + table.quoted(),
                  rows.getLong(4)));
        }
      }
      return found;
    }
  }

  /** The given tables that have rows. */
  List<Filled> among(Collection<Existing> tables) throws SQLException {
    List<Filled> filled = new ArrayList<>();
    String before = setting("statement_timeout");
    connection.execute("SET LOCAL statement_timeout = " + LONGEST_CHECK.toMillis());
    for (Existing table : tables) {
      OptionalLong some = upTo(1, table);
      if (some.isEmpty()) {
        filled.add(
            new Filled(
                table.table(), "not known within " + LONGEST_CHECK.toSeconds() + " s whether any"));
      } else if (some.getAsLong() > 0) {
        filled.add(new Filled(table.table(), rowsOf(table)));
      }
    }
    connection.execute("SET LOCAL statement_timeout = '" + before + "'");
    return filled;
  }

  private String rowsOf(Existing table) throws SQLException {
    OptionalLong rows = upTo(COUNTED_UP_TO + 1, table);
    if (rows.isPresent() && rows.getAsLong() <= COUNTED_UP_TO) {
      return Counted.of(rows.getAsLong(), "row");
    }
    return table.estimatedRows() > COUNTED_UP_TO
        ? "about %,d rows".formatted(table.estimatedRows())
        : rows.isPresent() ? "more than %,d rows".formatted(COUNTED_UP_TO) : "not counted";
  }

  /** Counts rows up to a limit; empty if that takes too long. */
  private OptionalLong upTo(int limit, Existing table) throws SQLException {
    Savepoint before = connection.jdbc().setSavepoint();
    try (PreparedStatement statement =
            connection
                .jdbc()
                .prepareStatement(
                    "SELECT count(*) FROM (SELECT FROM %s LIMIT %d) AS counted"
                        .formatted(table.only(), limit));
        ResultSet row = statement.executeQuery()) {
      row.next();
      long rows = row.getLong(1);
      connection.jdbc().releaseSavepoint(before);
      return OptionalLong.of(rows);
    } catch (SQLException e) {
      if (connection.errors().faultOf(e) != TargetFault.CANCELLED) {
        throw e;
      }
      connection.jdbc().rollback(before);
      return OptionalLong.empty();
    }
  }

  private String setting(String name) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT current_setting(?)")) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
