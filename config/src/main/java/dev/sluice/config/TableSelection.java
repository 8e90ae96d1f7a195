package dev.sluice.config;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which tables a task carries, which of their rows, and in what order they are loaded; or the same
 * of views. Immutable, threadsafe.
 */
final class TableSelection {
  private final List<SelectionRule> all;

  /** Those of all rules that concern what this speaks of. */
  private final List<SelectionRule> rules;

  private TableSelection(List<SelectionRule> all, List<SelectionRule> rules) {
    this.all = List.copyOf(all);
    this.rules = List.copyOf(rules);
  }

  /** What rules say of tables. */
  static TableSelection of(List<SelectionRule> rules) {
    return new TableSelection(rules, rules.stream().filter(SelectionRule::speaksOfTables).toList());
  }

  /** What the same rules say of views and materialized views. */
  TableSelection ofViews() {
    return new TableSelection(all, all.stream().filter(SelectionRule::speaksOfViews).toList());
  }

  /** Whether some rule includes views. */
  boolean includesViews() {
    return all.stream()
        .anyMatch(rule -> rule.speaksOfViews() && rule.action() != SelectionRule.Action.EXCLUDE);
  }

  /** True where a rule includes the table and none excludes it, whatever their order. */
  boolean selects(TableId source) {
    boolean included = false;
    for (SelectionRule rule : rules) {
      if (rule.matches(source)) {
        if (rule.action() == SelectionRule.Action.EXCLUDE) {
          return false;
        }
        included = true;
      }
    }
    return included && !isSystemSchema(source.schema());
  }

  private static boolean isSystemSchema(String schema) {
    return schema.startsWith("pg_")
        || schema.equals("information_schema")
        || schema.equals("sluice_ddl");
  }

  /** The rules for who decides elsewhere; a system schema is for them to leave out. */
  List<SelectionPattern> patterns() {
    return rules.stream()
        .map(
            rule ->
                new SelectionPattern(
                    says(rule),
                    rule.schema().regularExpression(),
                    rule.table().regularExpression()))
        .toList();
  }

  private static SelectionPattern.Says says(SelectionRule rule) {
    if (rule.action() == SelectionRule.Action.EXCLUDE) {
      return SelectionPattern.Says.EXCLUDED;
    }
    return rule.filter().isPresent()
        ? SelectionPattern.Says.FILTERED
        : SelectionPattern.Says.INCLUDED;
  }

  /** Which rows of the table are carried; empty: all. */
  Optional<RowFilter> filter(TableId source) {
    return including(source).flatMap(rule -> rule.filter().stream()).findFirst();
  }

  /** Whether some rule carries a part of the rows only. */
  boolean filters() {
    return rules.stream().anyMatch(rule -> rule.filter().isPresent());
  }

  /** That rules filter a table in different ways, where they do. */
  Optional<Problem> problemOf(TableId source) {
    Set<List<RowFilter.ColumnFilter>> filters =
        including(source)
            .map(rule -> rule.filter().map(RowFilter::columns).orElse(List.of()))
            .collect(Collectors.toSet());
    return filters.size() <= 1
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "table-mappings, table " + source,
                "the rules %s include it with different filters"
                    .formatted(including(source).map(SelectionRule::id).toList()),
                "one set of filters for a table",
                "Narrow the object-locator of one of them, or write the same filters into each"));
  }

  /** The tables that rules name one by one, excluded ones left out. */
  List<TableId> explicitTables() {
    return rules.stream()
        .filter(rule -> rule.action() == SelectionRule.Action.EXPLICIT)
        .map(rule -> new TableId(rule.schema().plainName(), rule.table().plainName()))
        .filter(this::selects)
        .distinct()
        .sorted()
        .toList();
  }

  /** The highest load order of the rules that include the table. */
  OptionalInt loadOrder(TableId source) {
    return including(source).flatMapToInt(rule -> rule.loadOrder().stream()).max();
  }

  private Stream<SelectionRule> including(TableId source) {
    return rules.stream()
        .filter(rule -> rule.action() != SelectionRule.Action.EXCLUDE && rule.matches(source));
  }

  /** All rules for people: {@code include public.%, exclude public.audit}. */
  @Override
  public String toString() {
    return all.stream().map(SelectionRule::toString).collect(Collectors.joining(", "));
  }
}
