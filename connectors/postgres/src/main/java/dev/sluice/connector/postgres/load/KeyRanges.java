package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.postgres.server.MovingTime;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/*
 * A row is in the first range whose boundary it is below. "Below" is the server's row comparison, with
 * each column's type and collation. It is unknown for a row with a deciding NULL. So a range has
 * everything below its boundary and not below the previous one, where "not below" includes "unknown".
 * The last range has everything that is not below the last boundary. The boundaries rise, so a row
 * below one is below all that follow, also with NULLs: each row is in exactly one range. If no column
 * can be NULL, "not below" is ">=", which can use an index.
 */
/**
 * Turns the ranges of a parallel-load rule into SQL conditions, and checks that its boundaries are
 * rising values of the columns' types. Owned by the thread that owns the connection, which must not
 * be in a transaction.
 */
final class KeyRanges {
  private static final String COLUMN =
      """
      SELECT format_type(a.atttypid, -1),
             a.attnotnull AND NOT EXISTS (
               SELECT FROM pg_constraint k
               WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated
                 AND a.attnum = ANY (k.conkey)),
             c.collname, n.nspname, t.typcategory = 'D'
      FROM pg_attribute a
      JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_collation c ON c.oid = a.attcollation
      LEFT JOIN pg_namespace n ON n.oid = c.collnamespace
      WHERE a.attrelid = ?::text::regclass AND a.attname = ?::text
        AND a.attnum > 0 AND NOT a.attisdropped
      """;

  private final Connection connection;
  private final TableId table;
  private final ParallelLoad.Ranges rule;
  private final List<Problem> problems = new ArrayList<>();
  private final List<Column> columns = new ArrayList<>();

  /**
   * @param notNull whether no row has NULL there. Since PostgreSQL 18 a column may be NOT NULL
   *     although older rows have NULL: then false
   * @param time whether its values are dates or times
   */
  private record Column(
      String name, String type, boolean notNull, String collation, boolean time) {}

  KeyRanges(Connection connection, TableId table, ParallelLoad.Ranges rule) {
    this.connection = connection;
    this.table = table;
    this.rule = rule;
  }

  /** The problems that make the rule unusable; each names the rule. */
  List<Problem> problems() throws SQLException {
    readColumns();
    if (problems.isEmpty()) {
      checkValues();
    }
    if (problems.isEmpty()) {
      checkOrder();
    }
    return List.copyOf(problems);
  }

  /** The ranges, which together have each row of the table once. Only valid without problems. */
  List<SegmentRange> ranges() {
    List<SegmentRange> ranges = new ArrayList<>();
    boolean notNull = columns.stream().allMatch(Column::notNull);
    String row = row(columns.stream().map(column -> TableId.quote(column.name())).toList());
    for (int i = 0; i <= rule.boundaries().size(); i++) {
      List<String> conditions = new ArrayList<>();
      List<String> names = new ArrayList<>();
      if (i > 0) {
        String before = values(i - 1);
        conditions.add(
            notNull ? row + " >= " + before : "(" + row + " < " + before + ") IS NOT TRUE");
        names.add("from " + rule.boundaries().get(i - 1));
      }
      if (i < rule.boundaries().size()) {
        conditions.add(row + " < " + values(i));
        names.add("below " + rule.boundaries().get(i));
      }
      ranges.add(
          new SqlRange.Keys(
              String.join(" AND ", conditions), rule.columns() + " " + String.join(" ", names)));
    }
    return ranges;
  }

  private void readColumns() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COLUMN)) {
      for (String name : rule.columns()) {
        statement.setString(1, table.quoted());
        statement.setString(2, name);
        try (ResultSet row = statement.executeQuery()) {
          if (!row.next()) {
            problem("there is no column " + name, "a column of the table", "Correct the name");
            continue;
          }
          String collation =
              row.getString(3) == null
                  ? ""
                  : " COLLATE " + new TableId(row.getString(4), row.getString(3)).quoted();
          columns.add(
              new Column(name, row.getString(1), row.getBoolean(2), collation, row.getBoolean(5)));
        }
      }
    }
  }

  private void checkValues() {
    for (List<String> boundary : rule.boundaries()) {
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        if (column.time() && MovingTime.isOne(boundary.get(i))) {
          problem(
              "the boundary %s has '%s' for the column %s, whose value changes with time"
                  .formatted(boundary, boundary.get(i), column.name()),
              "a constant, so that all ranges use the same boundary",
              "Write a date or time");
          continue;
        }
        try (Statement statement = connection.createStatement()) {
          statement.executeQuery("SELECT " + literal(column, boundary.get(i))).close();
        } catch (SQLException e) {
          problem(
              "the boundary %s has '%s' for the column %s: %s"
                  .formatted(boundary, boundary.get(i), column.name(), firstLine(e)),
              "a value of type " + column.type(),
              "Correct the boundary");
        }
      }
    }
  }

  private void checkOrder() {
    for (int i = 0; i < rule.boundaries().size(); i++) {
      // The first boundary is compared with itself: it shows whether the types can be compared.
      String sql = "SELECT " + values(Math.max(0, i - 1)) + " < " + values(i);
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(sql)) {
        row.next();
        if (i > 0 && !row.getBoolean(1)) {
          problem(
              "the boundary %s follows %s, but is not above it in the order of the columns' types"
                  .formatted(rule.boundaries().get(i), rule.boundaries().get(i - 1)),
              "boundaries that rise",
              "Sort the boundaries");
        }
      } catch (SQLException e) {
        problem(
            "the columns " + rule.columns() + " have no order: " + firstLine(e),
            "columns of types that can be compared",
            "Choose other columns");
        return;
      }
    }
  }

  private String values(int boundary) {
    List<String> literals = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      literals.add(literal(columns.get(i), rule.boundaries().get(boundary).get(i)));
    }
    return row(literals);
  }

  private static String row(List<String> parts) {
    return parts.stream().collect(Collectors.joining(", ", "ROW(", ")"));
  }

  private static String literal(Column column, String value) {
    return "CAST(" + SqlLiteral.of(value) + " AS " + column.type() + ")" + column.collation();
  }

  private void problem(String found, String expected, String fix) {
    problems.add(
        new Problem(
            "table-mappings, rule " + rule.rule() + ", parallel-load of " + table,
            found,
            expected,
            fix));
  }

  private static String firstLine(SQLException error) {
    return error.getMessage().lines().findFirst().orElse("").replaceFirst("^ERROR: ", "");
  }
}
