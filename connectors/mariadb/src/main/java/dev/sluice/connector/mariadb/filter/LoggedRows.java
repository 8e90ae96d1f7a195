package dev.sluice.connector.mariadb.filter;

import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.mariadb.type.LoggedColumn;
import dev.sluice.connector.mariadb.type.LoggedTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A row filter for a table's rows in the binary log. Its result is the same as the server's for
 * {@link FilterSql}. Immutable.
 */
public final class LoggedRows {
  /** The index of each filtered column among the log's columns, in their order. */
  private final int[] columns;

  /** The filters, each with the index of its value among the filtered columns. */
  private final List<Test> tests;

  /** One filter: a value passes if one of the alternatives is true. */
  private record Test(int value, List<Alternative> alternatives) {
    boolean passes(String text) {
      return alternatives.stream().anyMatch(each -> each.isTrue(text));
    }
  }

  private interface Alternative {
    /**
     * @param text null for NULL
     */
    boolean isTrue(String text);
  }

  private LoggedRows(int[] columns, List<Test> tests) {
    this.columns = columns;
    this.tests = tests;
  }

  /** Why rows with this description in the log cannot be filtered; empty if they can. */
  public static Optional<String> hindrance(
      RowFilter filter, List<LoggedColumn> logged, LoggedTypes types) {
    for (ColumnFilter each : filter.columns()) {
      int place = place(each, logged);
      if (place < 0) {
        return Optional.of(
            "the log's rows lack the column %s, by which rule %s filters them"
                .formatted(each.column(), filter.rule()));
      }
      Optional<String> type = types.of(logged.get(place));
      Optional<FilteredType> filtered = type.flatMap(FilteredType::of);
      boolean evaluated =
          each.conditions().stream()
              .filter(condition -> !FilterProblems.isAboutNull(condition))
              .allMatch(
                  condition ->
                      filtered.isPresent()
                          && condition.values().stream().allMatch(filtered.get()::isConstant));
      if (!evaluated) {
        return Optional.of(
            "the log's rows have the column %s as %s, for which the filter of rule %s is not made"
                .formatted(each.column(), type.orElse("an unknown type"), filter.rule()));
      }
    }
    return Optional.empty();
  }

  /**
   * @param logged the columns as the log describes them; must have no {@link #hindrance}
   */
  public static LoggedRows of(RowFilter filter, List<LoggedColumn> logged, LoggedTypes types) {
    int[] columns =
        filter.columns().stream()
            .mapToInt(each -> place(each, logged))
            .distinct()
            .sorted()
            .toArray();
    List<Test> tests = new ArrayList<>();
    for (ColumnFilter each : filter.columns()) {
      int place = place(each, logged);
      Optional<FilteredType> type = types.of(logged.get(place)).flatMap(FilteredType::of);
      tests.add(
          new Test(
              Arrays.binarySearch(columns, place),
              each.conditions().stream().map(condition -> of(condition, type)).toList()));
    }
    return new LoggedRows(columns, tests);
  }

  private static int place(ColumnFilter filter, List<LoggedColumn> logged) {
    return logged.stream().map(LoggedColumn::name).toList().indexOf(filter.column());
  }

  private static Alternative of(Condition condition, Optional<FilteredType> type) {
    return switch (condition.operator()) {
      case NULL -> text -> text == null;
      case NOTNULL -> text -> text != null;
      default -> compared(condition, type.orElseThrow());
    };
  }

  /** A comparison with NULL is not true. */
  private static Alternative compared(Condition condition, FilteredType type) {
    List<Comparable<?>> values = new ArrayList<>();
    condition.values().forEach(value -> values.add(type.comparable(value)));
    return text -> text != null && isTrue(condition, type.comparable(text), values);
  }

  private static boolean isTrue(
      Condition condition, Comparable<?> value, List<Comparable<?>> values) {
    int first = compare(value, values.get(0));
    return switch (condition.operator()) {
      case EQ -> first == 0;
      case NOTEQ -> first != 0;
      case GTE -> first >= 0;
      case LTE -> first <= 0;
      case BETWEEN -> first >= 0 && compare(value, values.get(1)) <= 0;
      case NOTBETWEEN -> first < 0 || compare(value, values.get(1)) > 0;
      case NULL, NOTNULL -> throw new IllegalArgumentException("BUG: " + condition);
    };
  }

  /** Both are of one {@link FilteredType}, so of one class. */
  @SuppressWarnings("unchecked")
  private static int compare(Comparable<?> value, Comparable<?> constant) {
    return ((Comparable<Object>) value).compareTo(constant);
  }

  /** For each of the log's columns, whether its value is needed. */
  public boolean[] columns(int count) {
    boolean[] asked = new boolean[count];
    for (int column : columns) {
      asked[column] = true;
    }
    return asked;
  }

  /**
   * Whether a row passes all filters.
   *
   * @param values of the {@link #columns} only
   */
  public boolean passes(Row values) {
    for (Test test : tests) {
      if (!test.passes(values.text(test.value()))) {
        return false;
      }
    }
    return true;
  }
}
