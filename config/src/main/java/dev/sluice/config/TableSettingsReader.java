package dev.sluice.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Reads the rules that are for single tables. Used for one document, by one thread. */
final class TableSettingsReader {
  private final Problems problems;
  private final List<String> notes;
  private final Map<TableId, BatchApplyRule> batchApply = new TreeMap<>();

  private final Map<TableId, ParallelLoad> parallelLoad = new TreeMap<>();

  private final Map<TableId, Long> lobLimits = new TreeMap<>();

  private record BatchApplyRule(Place place, BatchApplyOverride override) {}

  /**
   * @param notes gets what is worth knowing of the rules
   */
  TableSettingsReader(Problems problems, List<String> notes) {
    this.problems = problems;
    this.notes = notes;
  }

  /** The apply settings of single tables that were read. */
  BatchApplyOverrides batchApply() {
    Map<TableId, BatchApplyOverride> overrides = new HashMap<>();
    batchApply.forEach((table, rule) -> overrides.put(table, rule.override()));
    return new BatchApplyOverrides(overrides);
  }

  /** How single tables are loaded. */
  Map<TableId, ParallelLoad> parallelLoad() {
    return Map.copyOf(parallelLoad);
  }

  /** At how many KB the values of single tables are cut; 0: never. */
  Map<TableId, Long> lobLimits() {
    return Map.copyOf(lobLimits);
  }

  /** Tells of rules for tables that are not the task's. */
  void refuseUnselected(Predicate<TableId> selected) {
    batchApply.forEach(
        (table, rule) -> {
          if (!selected.test(table)) {
            problems.add(
                rule.place(),
                BatchApplyOverride.KEY + " for " + table + ", which no rule selects",
                "a table of the task",
                "Correct the name, which is taken as it is written, or remove the rule");
          }
        });
  }

  /**
   * @param id of the rule, for messages
   */
  void read(Fields rule, String id) {
    Optional<Node> locator =
        rule.require("object-locator", "an object with schema-name and table-name", "Add it");
    rule.take(BatchApplyOverride.KEY)
        .flatMap(node -> Fields.mappingOf(node, problems))
        .ifPresent(
            mapping ->
                locator
                    .flatMap(node -> Fields.mappingOf(node, problems))
                    .ifPresent(table -> readBatchApply(new Fields(table, problems), mapping)));
    rule.take(ParallelLoad.KEY)
        .flatMap(node -> Fields.mappingOf(node, problems))
        .ifPresent(
            mapping ->
                locator
                    .flatMap(node -> Fields.mappingOf(node, problems))
                    .ifPresent(
                        table -> readParallelLoad(new Fields(table, problems), mapping, id)));
    rule.take(LobSettingsReader.KEY)
        .flatMap(node -> Fields.mappingOf(node, problems))
        .ifPresent(
            mapping ->
                locator
                    .flatMap(node -> Fields.mappingOf(node, problems))
                    .ifPresent(table -> readLobSettings(new Fields(table, problems), mapping, id)));
    rule.refuseOthers();
  }

  /** DMS takes no wildcards in these rules, so that _ stands for itself. */
  private void readBatchApply(Fields locator, Node.Mapping settings) {
    Optional<TableId> named = plainTable(locator);
    Optional<BatchApplyOverride> override = BatchApplyOverride.read(settings, problems);
    if (named.isEmpty() || override.isEmpty()) {
      return;
    }
    TableId id = named.get();
    BatchApplyRule first =
        batchApply.putIfAbsent(id, new BatchApplyRule(settings.place(), override.get()));
    if (first != null) {
      problems.add(
          settings.place(),
          BatchApplyOverride.KEY + " for " + id + " a second time",
          "one such rule for a table (the first is in line " + first.place().line() + ")",
          "Put the settings together into one rule");
    }
  }

  private void readParallelLoad(Fields locator, Node.Mapping settings, String rule) {
    Optional<TableId> table = plainTable(locator);
    Optional<ParallelLoad> read = ParallelLoadReader.read(settings, problems, rule);
    if (table.isEmpty() || read.isEmpty()) {
      return;
    }
    if (parallelLoad.putIfAbsent(table.get(), read.get()) != null) {
      problems.add(
          settings.place(),
          "rule " + rule + " has " + ParallelLoad.KEY + " for " + table.get() + " a second time",
          "one such rule for a table",
          "Remove one of them");
    }
  }

  private void readLobSettings(Fields locator, Node.Mapping settings, String rule) {
    Optional<TableId> table = plainTable(locator);
    Optional<Long> read = LobSettingsReader.read(settings, problems, rule);
    if (table.isEmpty() || read.isEmpty()) {
      return;
    }
    if (lobLimits.putIfAbsent(table.get(), read.get()) != null) {
      problems.add(
          settings.place(),
          "rule "
              + rule
              + " has "
              + LobSettingsReader.KEY
              + " for "
              + table.get()
              + " a second time",
          "one such rule for a table",
          "Remove one of them");
    }
  }

  private Optional<TableId> plainTable(Fields locator) {
    Optional<String> schema = plainName(locator, "schema-name");
    Optional<String> table = plainName(locator, "table-name");
    locator.refuseOthers();
    return schema.flatMap(first -> table.map(second -> new TableId(first, second)));
  }

  private Optional<String> plainName(Fields locator, String key) {
    return locator
        .requireText(key, "one plain name", "Add \"" + key + "\"")
        .filter(
            name -> {
              if (name.contains("%")) {
                problems.add(
                    locator.placeOf(key),
                    "the name \"" + name + "\"",
                    "one plain name; table-settings rules take no wildcards, as in DMS",
                    "Write a rule for each table");
                return false;
              }
              return true;
            });
  }
}
