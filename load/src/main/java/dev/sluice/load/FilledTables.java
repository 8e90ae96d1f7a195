package dev.sluice.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.sink.target.LoadStatements;
import dev.sluice.sink.target.LoadStatements.Existing;
import dev.sluice.sink.target.LoadStatements.Limit;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
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

  /**
   * A table that has rows, or may have.
   *
   * @param rows the number of rows, for messages
   */
  record Filled(TableId table, String rows) {
    @Override
    public String toString() {
      return table + " (" + rows + ")";
    }
  }

  private final TargetConnection connection;
  private final LoadStatements statements;

  FilledTables(TargetConnection connection) {
    this.connection = connection;
    this.statements = connection.dialect().load();
  }

  /** The given tables that exist on the target. */
  List<Existing> existing(Collection<TableId> tables) throws SQLException {
    return statements.existing(connection.jdbc(), tables);
  }

  /** The given tables that have rows. */
  List<Filled> among(Collection<Existing> tables) throws SQLException {
    List<Filled> filled = new ArrayList<>();
    Limit limit = statements.limitStatements(connection.jdbc(), LONGEST_CHECK);
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
    limit.end();
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
            connection.jdbc().prepareStatement(statements.countUpTo(table, limit));
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
}
