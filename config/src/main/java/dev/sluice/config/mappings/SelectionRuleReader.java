package dev.sluice.config.mappings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Problems;
import dev.sluice.config.transformation.NamePattern;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads selection rules. Used for one document, by one thread. */
final class SelectionRuleReader {
  private static final List<String> ACTIONS = List.of("include", "exclude", "explicit");
  private static final List<String> TABLE_TYPES = List.of("table", "view", "all");
  private static final int HIGHEST_LOAD_ORDER = Integer.MAX_VALUE;

  private final Problems problems;
  private final List<String> notes;
  private final RowFilterReader filters;

  /**
   * @param notes receives remarks on rules, one line each
   */
  SelectionRuleReader(Problems problems, List<String> notes) {
    this.problems = problems;
    this.notes = notes;
    this.filters = new RowFilterReader(problems);
  }

  /**
   * The rule; empty after a problem.
   *
   * @param id the rule's id
   */
  Optional<SelectionRule> read(Fields rule, String id) {
    Optional<SelectionRule.Action> action =
        rule.choice("rule-action", ACTIONS)
            .map(text -> SelectionRule.Action.valueOf(text.toUpperCase(Locale.ROOT)));
    OptionalInt loadOrder = loadOrder(rule, id);
    Optional<RowFilter> filter = filter(rule, id, action);
    Optional<Fields> locator =
        rule.requireFields(
            "object-locator",
            "an object with schema-name and table-name",
            "Add \"object-locator\": {\"schema-name\": \"public\", \"table-name\": \"%\"}");
    rule.refuseOthers();
    if (locator.isEmpty()) {
      return Optional.empty();
    }
    Optional<NamePattern> schema = NamePattern.read(locator.get(), "schema-name", problems);
    Optional<NamePattern> table = NamePattern.read(locator.get(), "table-name", problems);
    Optional<SelectionRule.Relations> relations = relations(locator.get());
    locator.get().refuseOthers();
    if (action.isEmpty() || schema.isEmpty() || table.isEmpty() || relations.isEmpty()) {
      return Optional.empty();
    }
    if (action.get() == SelectionRule.Action.EXPLICIT) {
      refuseWildcards(locator.get(), "schema-name", schema.get());
      refuseWildcards(locator.get(), "table-name", table.get());
    }
    return Optional.of(
        new SelectionRule(
            id, action.get(), relations.get(), schema.get(), table.get(), loadOrder, filter));
  }

  private OptionalInt loadOrder(Fields rule, String id) {
    Optional<String> text = rule.text("load-order");
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    try {
      int order = Integer.parseInt(text.get());
      if (order >= 0) {
        notes.add(
            "rule "
                + id
                + ": load-order decides which tables start first; with several workers, a later"
                + " table may still finish first");
        return OptionalInt.of(order);
      }
    } catch (NumberFormatException e) {
      // reported below, together with negative numbers
    }
    problems.add(
        rule.placeOf("load-order"),
        "load-order " + text.get(),
        "a whole number from 0 to " + HIGHEST_LOAD_ORDER,
        "Write a number; tables with higher numbers are loaded first");
    return OptionalInt.empty();
  }

  private Optional<RowFilter> filter(
      Fields rule, String id, Optional<SelectionRule.Action> action) {
    Optional<RowFilter> filter = filters.read(rule, id);
    if (filter.isPresent() && action.equals(Optional.of(SelectionRule.Action.EXCLUDE))) {
      problems.add(
          rule.placeOf("filters"),
          "rule " + id + " excludes tables and has filters",
          "filters only in rules that include tables",
          "Remove the filters, or move them to the rule that includes the tables");
    }
    return filter;
  }

  /** The rule's table-type; empty after a problem. */
  private static Optional<SelectionRule.Relations> relations(Fields locator) {
    Optional<String> type = locator.text("table-type");
    return type.isEmpty()
        ? Optional.of(SelectionRule.Relations.TABLE)
        : type.filter(text -> locator.isAllowed("table-type", text, TABLE_TYPES))
            .map(text -> SelectionRule.Relations.valueOf(text.toUpperCase(Locale.ROOT)));
  }

  private void refuseWildcards(Fields locator, String key, NamePattern pattern) {
    if (!pattern.isPlain()) {
      problems.add(
          locator.placeOf(key),
          "the wildcard name \"" + pattern + "\" in an explicit rule",
          "one plain name",
          "Write the exact name ([_] for the character _), or use rule-action include");
    }
  }
}
