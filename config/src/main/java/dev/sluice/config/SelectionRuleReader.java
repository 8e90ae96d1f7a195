package dev.sluice.config;

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

  /**
   * @param notes gets what is worth knowing of the rules
   */
  SelectionRuleReader(Problems problems, List<String> notes) {
    this.problems = problems;
    this.notes = notes;
  }

  /**
   * The rule; empty where it cannot be read, which is told.
   *
   * @param id of the rule, for messages
   */
  Optional<SelectionRule> read(Fields rule, String id) {
    Optional<SelectionRule.Action> action =
        rule.choice("rule-action", ACTIONS)
            .map(text -> SelectionRule.Action.valueOf(text.toUpperCase(Locale.ROOT)));
    OptionalInt loadOrder = loadOrder(rule, id);
    refuseFilters(rule, id);
    Optional<Fields> locator =
        rule.require(
                "object-locator",
                "an object with schema-name and table-name",
                "Add \"object-locator\": {\"schema-name\": \"public\", \"table-name\": \"%\"}")
            .flatMap(node -> Fields.mappingOf(node, problems))
            .map(mapping -> new Fields(mapping, problems));
    rule.refuseOthers();
    if (locator.isEmpty()) {
      return Optional.empty();
    }
    Optional<NamePattern> schema = pattern(locator.get(), "schema-name");
    Optional<NamePattern> table = pattern(locator.get(), "table-name");
    refuseViews(locator.get(), id);
    locator.get().refuseOthers();
    if (action.isEmpty() || schema.isEmpty() || table.isEmpty()) {
      return Optional.empty();
    }
    if (action.get() == SelectionRule.Action.EXPLICIT) {
      refuseWildcards(locator.get(), "schema-name", schema.get());
      refuseWildcards(locator.get(), "table-name", table.get());
    }
    return Optional.of(new SelectionRule(id, action.get(), schema.get(), table.get(), loadOrder));
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
                + ": load-order decides which tables start first; with several workers a lower one"
                + " may still end first");
        return OptionalInt.of(order);
      }
    } catch (NumberFormatException e) {
      // told below, together with negative numbers
    }
    problems.add(
        rule.placeOf("load-order"),
        "load-order " + text.get(),
        "a whole number from 0 to " + HIGHEST_LOAD_ORDER,
        "Write a number; higher ones are loaded first");
    return OptionalInt.empty();
  }

  private void refuseFilters(Fields rule, String id) {
    rule.take("filters")
        .filter(node -> !(node instanceof Node.Sequence list && list.items().isEmpty()))
        .ifPresent(
            node ->
                problems.add(
                    node.place(),
                    "rule " + id + " has filters, which are not built yet",
                    "no filters: leaving them out would bring more rows to the target",
                    "Remove the filters to carry whole tables"));
  }

  private void refuseViews(Fields locator, String id) {
    locator
        .text("table-type")
        .filter(type -> locator.isAllowed("table-type", type, TABLE_TYPES))
        .filter(type -> !type.equals("table"))
        .ifPresent(
            type ->
                problems.add(
                    locator.placeOf("table-type"),
                    "rule "
                        + id
                        + " selects views (table-type "
                        + type
                        + "), which is not built yet",
                    "the table-type table",
                    "Change it to table, or leave it out"));
  }

  private Optional<NamePattern> pattern(Fields locator, String key) {
    return locator
        .requireText(key, "a name; % and _ are wildcards", "Add \"" + key + "\"")
        .flatMap(
            text -> {
              try {
                return Optional.of(new NamePattern(text));
              } catch (IllegalArgumentException e) {
                problems.add(
                    locator.placeOf(key),
                    "the name \"" + text + "\": " + e.getMessage(),
                    "a name with %, _, [ab], [a-d] or [_]",
                    "Close the bracket; for the character [ itself write [[]");
                return Optional.empty();
              }
            });
  }

  private void refuseWildcards(Fields locator, String key, NamePattern pattern) {
    if (!pattern.isPlain()) {
      problems.add(
          locator.placeOf(key),
          "the wildcard name \"" + pattern + "\" in an explicit rule",
          "one plain name",
          "Write the name out ([_] for the character _), or use rule-action include");
    }
  }
}
