package dev.sluice.connector.mariadb.filter;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A row filter in the SQL of a session of the source. Stateless. */
public final class FilterSql {
  private FilterSql() {}

  /**
   * The condition of the rows that pass, in parentheses.
   *
   * @throws SluiceException.Fatal if the server may evaluate it differently than the capture
   */
  public static String of(RowFilter filter, MariadbTable table) {
    FilterProblems.requireNone(filter, table);
    return filter.columns().stream()
        .map(
            column -> of(column, FilteredType.of(table.column(column.column()).get().mappedType())))
        .collect(Collectors.joining(" AND ", "(", ")"));
  }

  private static String of(ColumnFilter filter, Optional<FilteredType> type) {
    String name = TableId.quote(filter.column());
    return filter.conditions().stream()
        .map(
            condition ->
                switch (condition.operator()) {
                  case NULL -> name + " IS NULL";
                  case NOTNULL -> name + " IS NOT NULL";
                  default -> of(condition, name, type.orElseThrow());
                })
        .collect(Collectors.joining(" OR ", "(", ")"));
  }

  /** Each bound is a separate comparison with the column. */
  private static String of(Condition condition, String name, FilteredType type) {
    String column = type.column(name);
    List<String> values = condition.values().stream().map(type::constant).toList();
    String first = values.get(0);
    return switch (condition.operator()) {
      case EQ -> column + " = " + first;
      case NOTEQ -> column + " <> " + first;
      case GTE -> column + " >= " + first;
      case LTE -> column + " <= " + first;
      case BETWEEN -> "(%1$s >= %2$s AND %1$s <= %3$s)".formatted(column, first, values.get(1));
      case NOTBETWEEN -> "(%1$s < %2$s OR %1$s > %3$s)".formatted(column, first, values.get(1));
      case NULL, NOTNULL -> throw new IllegalArgumentException("BUG: " + condition);
    };
  }
}
