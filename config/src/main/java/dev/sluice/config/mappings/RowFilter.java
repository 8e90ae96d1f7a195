package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The condition for rows of a table that are replicated: all filters of its selection rule. The
 * source's server evaluates it for the load. For the log the server does, or the connector, if it
 * has the same result. Immutable.
 *
 * @param rule the id of the selection rule, for messages
 */
public record RowFilter(String rule, List<ColumnFilter> columns) {
  public RowFilter {
    Objects.requireNonNull(rule, "rule");
    columns = List.copyOf(columns);
  }

  /** A comparison operator, by DMS's name. */
  public enum Operator {
    EQ("=", 1),
    NOTEQ("<>", 1),
    GTE(">=", 1),
    LTE("<=", 1),
    BETWEEN("BETWEEN", 2),
    NOTBETWEEN("NOT BETWEEN", 2),
    NULL("IS NULL", 0),
    NOTNULL("IS NOT NULL", 0);

    private final String sql;
    private final int operands;

    Operator(String sql, int operands) {
      this.sql = sql;
      this.operands = operands;
    }

    /** The number of values to compare with. */
    public int operands() {
      return operands;
    }
  }

  /**
   * One comparison.
   *
   * @param values as many as the operator has operands, in the rule's spelling
   */
  public record Condition(Operator operator, List<String> values) {
    public Condition {
      values = List.copyOf(values);
      if (values.size() != operator.operands()) {
        throw new IllegalArgumentException("BUG: %s with values %s".formatted(operator, values));
      }
    }

    private String sql(String column) {
      return column
          + " "
          + operator.sql
          + (values.isEmpty() ? "" : " ")
          + values.stream().map(RowFilter::literal).collect(Collectors.joining(" AND "));
    }
  }

  /**
   * The filter of one column.
   *
   * @param column as the source's catalog spells it
   * @param conditions alternatives: a row passes if one of them is true
   */
  public record ColumnFilter(String column, List<Condition> conditions) {
    public ColumnFilter {
      Objects.requireNonNull(column, "column");
      conditions = List.copyOf(conditions);
    }
  }

  /**
   * The condition as SQL for PostgreSQL, in parentheses. Its constants are untyped literals, which
   * the server reads as values of the column's type.
   */
  public String condition() {
    return columns.stream()
        .map(
            filter ->
                filter.conditions().stream()
                    .map(condition -> condition.sql(TableId.quote(filter.column())))
                    .collect(Collectors.joining(" OR ", "(", ")")))
        .collect(Collectors.joining(" AND ", "(", ")"));
  }

  private static String literal(String value) {
    String quoted = "'" + value.replace("'", "''") + "'";
    return value.contains("\\") ? "E" + quoted.replace("\\", "\\\\") : quoted;
  }

  /** For messages: the rule and its condition. */
  @Override
  public String toString() {
    return "rule " + rule + ": " + condition();
  }
}
