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
 * Which tables a task carries, which of their rows, and in what order they are loaded; or the same
 * of views. Immutable, threadsafe.
 */
final class TableSelection {
  /** What Sluice itself keeps in a database, which may be another task's source. */
  private static final List<String> OWN_SCHEMAS =
      List.of("sluice_ddl", "sluice_moved", CutoverRecord.SCHEMA);

  private final List<SelectionRule> all;

  /** Those of all rules that concern what this speaks of. */
  private final List<SelectionRule> rules;

  /** Those in which tasks keep their progress. */
  private final Set<String> controlSchemas;

  private TableSelection(
      List<SelectionRule> all, List<SelectionRule> rules, Set<String> controlSchemas) {
    this.all = List.copyOf(all);
    this.rules = List.copyOf(rules);
    this.controlSchemas = new TreeSet<>(controlSchemas);
  }

  /** What rules say of tables. */
  static TableSelection of(List<SelectionRule> rules) {
    return new TableSelection(
        rules,
        rules.stream().filter(SelectionRule::speaksOfTables).toList(),
        Set.of(ControlTablesSettings.DEFAULT_SCHEMA));
  }

  /** What the same rules say of views and materialized views. */
  TableSelection ofViews() {
    return new TableSelection(
        all, all.stream().filter(SelectionRule::speaksOfViews).toList(), controlSchemas);
  }

  /** The same where tasks keep their progress in a schema that is configured. */
  TableSelection withControlSchema(String schema) {
    return new TableSelection(
        all, rules, new TreeSet<>(List.of(ControlTablesSettings.DEFAULT_SCHEMA, schema)));
  }

  /** Whether some rule includes views. */
  boolean includesViews() {
    return all.stream()
        .anyMatch(rule -> rule.speaksOfViews() && rule.action() != SelectionRule.Action.EXCLUDE);
  }

  /** True where a rule includes the table and none excludes it, whatever their order. */
  boolean selects(TableId source) {
    return includes(source)
        && !isSystemSchema(source.schema())
        && !controlSchemas.contains(source.schema());
  }

  /** True where the rules include the table, and only the control schema's name leaves it out. */
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

  /** The rules for who decides elsewhere; PostgreSQL's own schemas are for them to leave out. */
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
