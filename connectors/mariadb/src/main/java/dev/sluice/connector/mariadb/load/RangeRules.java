package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/*
 * A row belongs to the first range whose boundary it is below. "Below" is the server's row
 * comparison, whose result is unknown if a NULL decides. So a range has everything that is below
 * its boundary and not below the previous one, where "not below" includes "unknown". The boundaries
 * rise, so a row below one is below all later ones: each row is in exactly one range.
 */
/**
 * Turns the ranges of a parallel-load rule into conditions, and checks that its boundaries are
 * rising values of the columns' types. Owned by the thread that owns the connection.
 */
final class RangeRules {
  private final Connection connection;
  private final MariadbTable table;
  private final ParallelLoad.Ranges rule;
  private final List<Problem> problems = new ArrayList<>();
  private final List<MariadbColumn> columns = new ArrayList<>();
  private final List<String> boundaries = new ArrayList<>();

  RangeRules(Connection connection, MariadbTable table, ParallelLoad.Ranges rule) {
    this.connection = connection;
    this.table = table;
    this.rule = rule;
  }

  /** The problems that make the rule unusable; each names the rule. */
  List<Problem> problems() throws SQLException {
    for (String name : rule.columns()) {
      Optional<MariadbColumn> column = table.column(name);
      if (column.isEmpty()) {
        problem("there is no column " + name, "a column of the table", "Correct the name");
      }
      column.filter(found -> !MariadbLiteral.hasOrder(found)).ifPresent(this::withoutOrder);
      column.ifPresent(columns::add);
    }
    if (problems.isEmpty()) {
      for (List<String> values : rule.boundaries()) {
        boundary(values);
      }
    }
    if (problems.isEmpty()) {
      checkOrder();
    }
    return List.copyOf(problems);
  }

  /** The ranges, which together have each row of the table once. Only valid without problems. */
  List<SegmentRange> ranges() {
    String row = row(columns.stream().map(column -> TableId.quote(column.name())).toList());
    boolean notNull = columns.stream().noneMatch(MariadbColumn::nullable);
    List<SegmentRange> ranges = new ArrayList<>();
    for (int i = 0; i <= boundaries.size(); i++) {
      List<String> conditions = new ArrayList<>();
      List<String> names = new ArrayList<>();
      if (i > 0) {
        String before = boundaries.get(i - 1);
        conditions.add(
            notNull ? row + " >= " + before : "(" + row + " < " + before + ") IS NOT TRUE");
        names.add("from " + rule.boundaries().get(i - 1));
      }
      if (i < boundaries.size()) {
        conditions.add(row + " < " + boundaries.get(i));
        names.add("below " + rule.boundaries().get(i));
      }
      ranges.add(
          new MariadbRange(
              String.join(" AND ", conditions), rule.columns() + " " + String.join(" ", names)));
    }
    return ranges;
  }

  private void withoutOrder(MariadbColumn column) {
    problem(
        "it divides by the column %s of type %s".formatted(column.name(), column.columnType()),
        "columns of numbers, times, texts or bytes",
        "Name another column, or remove the rule");
  }

  private void boundary(List<String> values) throws SQLException {
    List<String> literals = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      MariadbColumn column = columns.get(i);
      Optional<String> literal = MariadbLiteral.ofUser(column, values.get(i));
      if (literal.isEmpty() || !isKept(column, values.get(i))) {
        problem(
            "the boundary %s has '%s' for the column %s"
                .formatted(values, values.get(i), column.name()),
            "a value of type %s%s"
                .formatted(
                    column.columnType(),
                    column.characterSet().map(set -> " of the character set " + set).orElse("")),
            "Correct the boundary");
      }
      literal.ifPresent(literals::add);
    }
    boundaries.add(row(literals));
  }

  private boolean isKept(MariadbColumn column, String text) throws SQLException {
    Optional<String> query = MariadbLiteral.isKept(column, text);
    return query.isEmpty()
        || "1".equals(new MariadbQuery(connection).row(query.get()).orElseThrow()[0]);
  }

  private void checkOrder() throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    for (int i = 1; i < boundaries.size(); i++) {
      String[] rises =
          query
              .row("SELECT %s < %s".formatted(boundaries.get(i - 1), boundaries.get(i)))
              .orElseThrow();
      if (!"1".equals(rises[0])) {
        problem(
            "the boundary %s follows %s, but is not above it in the order of the columns' types"
                .formatted(rule.boundaries().get(i), rule.boundaries().get(i - 1)),
            "boundaries that rise",
            "Sort the boundaries");
      }
    }
  }

  private static String row(List<String> parts) {
    return parts.size() == 1
        ? parts.get(0)
        : parts.stream().collect(Collectors.joining(", ", "(", ")"));
  }

  private void problem(String found, String expected, String fix) {
    problems.add(
        new Problem(
            "table-mappings, rule " + rule.rule() + ", parallel-load of " + table.table(),
            found,
            expected,
            fix));
  }
}
