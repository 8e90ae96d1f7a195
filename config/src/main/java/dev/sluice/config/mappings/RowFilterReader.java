package dev.sluice.config.mappings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.config.mappings.RowFilter.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads the filters of selection rules. Used for one document, by one thread. */
final class RowFilterReader {
  private static final Map<String, Operator> OPERATORS =
      new TreeMap<>(
          Map.of(
              "eq", Operator.EQ,
              "noteq", Operator.NOTEQ,
              "gte", Operator.GTE,
              "lte", Operator.LTE,
              "ste", Operator.LTE,
              "between", Operator.BETWEEN,
              "notbetween", Operator.NOTBETWEEN,
              "null", Operator.NULL,
              "notnull", Operator.NOTNULL));

  private final Problems problems;

  RowFilterReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * The filter of a rule; empty if it has none, or after a problem.
   *
   * @param id the rule's id
   */
  Optional<RowFilter> read(Fields rule, String id) {
    Optional<Node> filters = rule.take("filters");
    if (filters.isEmpty()) {
      return Optional.empty();
    }
    List<ColumnFilter> columns = new ArrayList<>();
    for (Node item : items(filters.get())) {
      Fields.mappingOf(item, problems)
          .flatMap(mapping -> filter(new Fields(mapping, problems), id))
          .ifPresent(columns::add);
    }
    return columns.isEmpty() ? Optional.empty() : Optional.of(new RowFilter(id, columns));
  }

  private Optional<ColumnFilter> filter(Fields filter, String id) {
    filter
        .text("filter-type")
        .ifPresent(type -> filter.isAllowed("filter-type", type, List.of("source")));
    Optional<String> column =
        filter.requireText(
            "column-name", "a column of the source table", "Add \"column-name\": \"…\"");
    Optional<Node> list =
        filter.require(
            "filter-conditions",
            "a list of conditions",
            "Add \"filter-conditions\": [{\"filter-operator\": \"eq\", \"value\": \"1\"}]");
    filter.refuseOthers();
    if (list.isEmpty()) {
      return Optional.empty();
    }
    List<Condition> conditions = new ArrayList<>();
    for (Node item : items(list.get())) {
      Fields.mappingOf(item, problems)
          .flatMap(mapping -> condition(new Fields(mapping, problems)))
          .ifPresent(conditions::add);
    }
    if (items(list.get()).isEmpty()) {
      problems.add(
          list.get().place(),
          "rule " + id + " has a filter without conditions",
          "at least one condition",
          "Add a condition, or remove the filter");
    }
    refuseNegativeBesideOthers(conditions, list.get().place(), id);
    return column.isEmpty() || conditions.isEmpty()
        ? Optional.empty()
        : Optional.of(new ColumnFilter(column.get(), conditions));
  }

  private Optional<Condition> condition(Fields condition) {
    Optional<Operator> operator =
        condition.choice("filter-operator", List.copyOf(OPERATORS.keySet())).map(OPERATORS::get);
    if (operator.isEmpty()) {
      return Optional.empty();
    }
    List<String> keys =
        switch (operator.get().operands()) {
          case 0 -> List.of();
          case 1 -> List.of("value");
          default -> List.of("start-value", "end-value");
        };
    List<String> values = new ArrayList<>();
    for (String key : keys) {
      condition
          .requireText(key, "a value of the column's type", "Add \"" + key + "\"")
          .ifPresent(values::add);
    }
    if (keys.isEmpty()) {
      // DMS's console writes an empty value for operators without operands.
      condition.text("value");
    }
    condition.refuseOthers();
    return values.size() == keys.size()
        ? Optional.of(new Condition(operator.get(), values))
        : Optional.empty();
  }

  /** Conditions are alternatives, and every row is unequal to one of two values. */
  private void refuseNegativeBesideOthers(
      List<Condition> conditions, FileLocation place, String id) {
    boolean negative =
        conditions.stream()
            .map(Condition::operator)
            .anyMatch(operator -> operator == Operator.NOTEQ || operator == Operator.NOTBETWEEN);
    if (negative && conditions.size() > 1) {
      problems.add(
          place,
          "rule " + id + " has noteq or notbetween together with other conditions in one filter",
          "a separate filter for each: conditions of one filter are alternatives, so that nearly"
              + " every row would pass",
          "Write one filter for each of them; a row must pass all filters");
    }
  }

  private List<Node> items(Node node) {
    if (node instanceof Node.Sequence list) {
      return list.items();
    }
    problems.add(node.place(), node.kind(), "a list", "Write [ … ]");
    return List.of();
  }
}
