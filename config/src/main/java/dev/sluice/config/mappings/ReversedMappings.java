package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.transformation.LobLimits;
import dev.sluice.config.transformation.NamePattern;
import dev.sluice.config.transformation.ReversedNames;
import dev.sluice.config.transformation.Transformations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The table mappings of a task in the other direction. Immutable.
 *
 * @param mappings that select the tables by their names on the target, and turn the names back;
 *     without meaning if there are reasons
 * @param reasons why names cannot be turned back; empty if they can
 */
record ReversedMappings(TableMappings mappings, List<String> reasons) {

  static ReversedMappings of(TableMappings forward) {
    ReversedNames names = new ReversedNames(forward.rules());
    List<SelectionRule> selected = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    Map<String, String> schemas = new TreeMap<>();
    Map<String, String> sources = new TreeMap<>();
    for (SelectionRule rule : forward.selectionRules()) {
      NamePattern schema = names.schema(rule.schema());
      names
          .tables(rule.schema(), rule.table())
          .forEach(table -> selected.add(reversed(rule, schema, table)));
      if (rule.schema().isPlain() && rule.action() != SelectionRule.Action.EXCLUDE) {
        String source = rule.schema().plainName();
        schemas.put(source, schema.plainName());
        String other = sources.put(schema.plainName(), source);
        if (other != null && !other.equals(source)) {
          reasons.add(
              "the schemas %s and %s both become %s".formatted(other, source, schema.plainName()));
        }
      }
    }
    for (Map.Entry<NamePattern, NamePattern> shadowed : names.shadowed()) {
      selected.add(
          new SelectionRule(
              "way back",
              SelectionRule.Action.EXCLUDE,
              SelectionRule.Relations.TABLE,
              shadowed.getKey(),
              shadowed.getValue(),
              OptionalInt.empty(),
              Optional.empty()));
    }
    Transformations rules = names.rules(schemas);
    reasons.addAll(0, names.reasons());
    TableMappings back =
        forward.withNames(
            selected,
            new TargetNames(Optional.empty(), rules),
            batchApply(forward),
            LobLimits.NONE);
    if (reasons.isEmpty()) {
      verify(forward, back, singleTables(forward, names, schemas), reasons);
    }
    return new ReversedMappings(back, List.copyOf(reasons));
  }

  private static SelectionRule reversed(SelectionRule rule, NamePattern schema, NamePattern table) {
    return new SelectionRule(
        rule.id(),
        rule.action(),
        SelectionRule.Relations.TABLE,
        schema,
        table,
        OptionalInt.empty(),
        Optional.empty());
  }

  private static BatchApplyOverrides batchApply(TableMappings forward) {
    Map<TableId, BatchApplyOverride> byTable = new TreeMap<>();
    forward
        .batchApply()
        .byTable()
        .forEach((table, override) -> byTable.put(forward.targetOf(table), override));
    return new BatchApplyOverrides(byTable);
  }

  /** All tables that rules name. */
  private static List<TableId> singleTables(
      TableMappings forward, ReversedNames names, Map<String, String> schemas) {
    List<TableId> tables = new ArrayList<>();
    for (String schema : schemas.keySet()) {
      names.singleNames().forEach(name -> tables.add(new TableId(schema, name)));
    }
    forward.selectionRules().stream()
        .filter(rule -> rule.schema().isPlain() && rule.table().isPlain())
        .map(rule -> new TableId(rule.schema().plainName(), rule.table().plainName()))
        .forEach(tables::add);
    return tables;
  }

  private static void verify(
      TableMappings forward, TableMappings back, List<TableId> tables, List<String> reasons) {
    for (TableId table : tables.stream().distinct().filter(forward::selects).toList()) {
      TableId target = forward.targetOf(table);
      if (!back.selects(target) || !back.targetOf(target).equals(table)) {
        reasons.add(
            "table %s becomes %s, and the way back does not turn it back".formatted(table, target));
      }
    }
  }
}
