package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.transformation.NamePattern;
import dev.sluice.config.transformation.SelectionPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The selection of tables, their rows and their load order; or the same for views. Immutable,
 * threadsafe.
 */
final class TableSelection {
  /** Sluice's own schemas in a database that may be another task's source. */
  private static final List<String> OWN_SCHEMAS =
      List.of("sluice_ddl", "sluice_moved", CutoverRecord.SCHEMA);

  /** All tables. */
  static final TableSelection EVERYTHING =
      of(
          List.of(
              new SelectionRule(
                  "1",
                  SelectionRule.Action.INCLUDE,
                  SelectionRule.Relations.TABLE,
                  new NamePattern("%"),
                  new NamePattern("%"),
                  OptionalInt.empty(),
                  Optional.empty())));

  private final List<SelectionRule> all;

  /** The rules for tables, or those for views. */
  private final List<SelectionRule> rules;

  /** Schemas with the control tables of tasks. */
  private final Set<String> controlSchemas;

  private TableSelection(
      List<SelectionRule> all, List<SelectionRule> rules, Set<String> controlSchemas) {
    this.all = List.copyOf(all);
    this.rules = List.copyOf(rules);
    this.controlSchemas = new TreeSet<>(controlSchemas);
  }

  /** The selection of tables. */
  static TableSelection of(List<SelectionRule> rules) {
    return new TableSelection(
        rules,
        rules.stream().filter(SelectionRule::isForTables).toList(),
        Set.of(ControlTablesSettings.DEFAULT_SCHEMA));
  }

  /** The selection of views and materialized views by the same rules. */
  TableSelection ofViews() {
    return new TableSelection(
        all, all.stream().filter(SelectionRule::isForViews).toList(), controlSchemas);
  }

  /** The same with a configured control schema beside the default one. */
  TableSelection withControlSchema(String schema) {
    return new TableSelection(
        all, rules, new TreeSet<>(List.of(ControlTablesSettings.DEFAULT_SCHEMA, schema)));
  }

  /** The rules for tables; or those for views. */
  List<SelectionRule> rules() {
    return rules;
  }

  /** Other rules, for tables, with the same control schemas. */
  TableSelection withRules(List<SelectionRule> others) {
    return new TableSelection(others, others, controlSchemas);
  }

  /** Whether a rule includes views. */
  boolean includesViews() {
    return all.stream()
        .anyMatch(rule -> rule.isForViews() && rule.action() != SelectionRule.Action.EXCLUDE);
  }

  /** True if a rule includes the table and none excludes it, in any order. */
  boolean selects(TableId source) {
    return includes(source)
        && !isSystemSchema(source.schema())
        && !controlSchemas.contains(source.schema());
  }

  /**
   * True if the rules include the table and it is skipped only because it is in the control schema.
   */
  boolean isInControlSchema(TableId source) {
    return controlSchemas.contains(source.schema()) && includes(source);
  }

  private boolean includes(TableId source) {
    boolean included = false;
    for (SelectionRule rule : rules) {
      if (rule.matches(source)) {
        if (rule.action() == SelectionRule.Action.EXCLUDE) {
          return false;
        }
        included = true;
      }
    }
    return included;
  }

  private static boolean isSystemSchema(String schema) {
    return schema.startsWith("pg_")
        || schema.equals("information_schema")
        || OWN_SCHEMAS.contains(schema);
  }

  /**
   * The rules as patterns for the source's server, which excludes PostgreSQL's own schemas itself.
   */
  List<SelectionPattern> patterns() {
    return Stream.concat(rules.stream().map(TableSelection::pattern), Stream.of(ownSchemas()))
        .toList();
  }

  private static SelectionPattern pattern(SelectionRule rule) {
    return new SelectionPattern(
        says(rule), rule.schema().regularExpression(), rule.table().regularExpression());
  }

  private SelectionPattern ownSchemas() {
    List<String> schemas = new ArrayList<>(OWN_SCHEMAS);
    schemas.addAll(controlSchemas);
    return new SelectionPattern(
        SelectionPattern.Says.EXCLUDED,
        NamePattern.regularExpressionOf(schemas),
        new NamePattern("%").regularExpression());
  }

  private static SelectionPattern.Says says(SelectionRule rule) {
    if (rule.action() == SelectionRule.Action.EXCLUDE) {
      return SelectionPattern.Says.EXCLUDED;
    }
    return rule.filter().isPresent()
        ? SelectionPattern.Says.FILTERED
        : SelectionPattern.Says.INCLUDED;
  }

  /** The filter for the table's rows; empty: all rows are replicated. */
  Optional<RowFilter> filter(TableId source) {
    return including(source).flatMap(rule -> rule.filter().stream()).findFirst();
  }

  /** Whether a rule has a row filter. */
  boolean filters() {
    return rules.stream().anyMatch(rule -> rule.filter().isPresent());
  }

  /** A problem if rules have different filters for the table. */
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
                "rules %s include it with different filters"
                    .formatted(including(source).map(SelectionRule::id).toList()),
                "the same filters in all rules that include a table",
                "Narrow the object-locator of one of them, or write the same filters into each"));
  }

  /** The tables of explicit rules that are not excluded. */
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

  /** All rules for messages: {@code include public.%, exclude public.audit}. */
  @Override
  public String toString() {
    return all.stream().map(SelectionRule::toString).collect(Collectors.joining(", "));
  }
}
