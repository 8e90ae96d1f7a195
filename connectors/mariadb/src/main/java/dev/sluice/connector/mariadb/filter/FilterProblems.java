package dev.sluice.connector.mariadb.filter;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.config.mappings.RowFilter.Operator;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Finds row filters that the server and the capture may evaluate differently. Stateless. */
public final class FilterProblems {
  private static final Set<String> NUMBERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint", "decimal");

  private static final Set<String> TIMES = Set.of("date", "datetime", "timestamp");

  private static final Set<String> TEXTS =
      Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum");

  private static final String ONLY_NULL = "Filter by null or notnull, or by another column";

  private FilterProblems() {}

  /**
   * The problems of a filter that come from the task's settings.
   *
   * @param values for values that PostgreSQL does not have
   */
  public static List<Problem> ofSettings(RowFilter filter, MariadbTable table, ValuePolicy values) {
    List<Problem> problems = new ArrayList<>();
    for (ColumnFilter column : filter.columns()) {
      table
          .column(column.column())
          .flatMap(found -> replaced(found, table, values))
          .map(
              found ->
                  new Problem(
                      thing(filter, table, column.column()),
                      found,
                      "a column whose values are not replaced",
                      "Filter by another column, or remove the setting and correct the rows"))
          .ifPresent(problems::add);
    }
    return problems;
  }

  /**
   * The value that replaces the source's on the target may pass the filter when the source's value
   * does not.
   */
  private static Optional<String> replaced(
      MariadbColumn column, MariadbTable table, ValuePolicy values) {
    ValuePolicy own = values.ofColumn(table.keyColumns().contains(column.name()));
    if (TIMES.contains(column.dataType()) && own.makesNulls()) {
      return Optional.of(
          "%s, and source.%s makes NULL of some dates"
              .formatted(column.columnType(), ValuePolicy.ZERO_DATES));
    }
    return TEXTS.contains(column.dataType()) && own.removesCharacters()
        ? Optional.of(
            "%s, and source.%s changes some texts"
                .formatted(column.columnType(), ValuePolicy.ZERO_CHARACTERS))
        : Optional.empty();
  }

  /**
   * @throws SluiceException.Fatal naming all problems
   */
  static void requireNone(RowFilter filter, MariadbTable table) {
    List<Problem> problems = ofColumns(filter, table);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** The problems of a filter with the columns that a table has on the source. */
  public static List<Problem> ofColumns(RowFilter filter, MariadbTable table) {
    List<Problem> problems = new ArrayList<>();
    for (ColumnFilter each : filter.columns()) {
      String thing = thing(filter, table, each.column());
      Optional<MariadbColumn> column = table.column(each.column());
      if (column.isEmpty()) {
        problems.add(
            new Problem(
                thing,
                "the table has no such column",
                "one of " + table.columns().stream().map(MariadbColumn::name).toList(),
                "Correct column-name, which is case-sensitive, or exclude the table from the rule"));
      } else if (column.get().isComputed()) {
        problems.add(
            new Problem(
                thing,
                "a generated column, whose value may depend on the session that reads it",
                "an ordinary column",
                "Filter by the columns that it is computed from"));
      } else {
        for (Condition condition : each.conditions()) {
          problemOf(condition, column.get(), thing).ifPresent(problems::add);
        }
      }
    }
    return problems;
  }

  private static Optional<Problem> problemOf(
      Condition condition, MariadbColumn column, String thing) {
    if (isAboutNull(condition)) {
      return Optional.empty();
    }
    Optional<FilteredType> type = typeOf(column);
    if (type.isEmpty()) {
      return Optional.of(
          new Problem(
              thing,
              "%s, whose values Sluice cannot compare exactly as the server does"
                  .formatted(column.columnType()),
              "a whole number, a decimal, a date, datetime or timestamp, or a text",
              ONLY_NULL));
    }
    if (type.get() == FilteredType.TEXT && isAlike(column)) {
      return Optional.of(
          new Problem(
              thing,
              "%s with the collation %s, which takes different texts for equal"
                  .formatted(column.columnType(), column.collation().orElse("")),
              "a collation whose name ends with _bin",
              ONLY_NULL + ", or give the column such a collation on the source"));
    }
    if (!type.get().hasOrder() && !isEquality(condition)) {
      return Optional.of(
          new Problem(
              thing,
              "the operator %s for a text"
                  .formatted(condition.operator().name().toLowerCase(Locale.ROOT)),
              "eq, noteq, null or notnull: the order of texts depends on the collation",
              "Use these, or filter by another column"));
    }
    return condition.values().stream()
        .filter(value -> !type.get().isConstant(value))
        .findFirst()
        .map(
            value ->
                new Problem(
                    thing,
                    "the value %s for a column of type %s".formatted(value, column.columnType()),
                    type.get().expected(),
                    "Correct the value"));
  }

  static boolean isAboutNull(Condition condition) {
    return condition.operator() == Operator.NULL || condition.operator() == Operator.NOTNULL;
  }

  private static boolean isEquality(Condition condition) {
    return condition.operator() == Operator.EQ || condition.operator() == Operator.NOTEQ;
  }

  private static Optional<FilteredType> typeOf(MariadbColumn column) {
    String type = column.dataType();
    return NUMBERS.contains(type) || TIMES.contains(type) || TEXTS.contains(type)
        ? FilteredType.of(column.mappedType())
        : Optional.empty();
  }

  private static boolean isAlike(MariadbColumn column) {
    return column.collation().filter(name -> name.endsWith("_bin")).isEmpty();
  }

  private static String thing(RowFilter filter, MariadbTable table, String column) {
    return "table-mappings, rule %s: the filter of table %s, column %s"
        .formatted(filter.rule(), table.table(), column);
  }
}
