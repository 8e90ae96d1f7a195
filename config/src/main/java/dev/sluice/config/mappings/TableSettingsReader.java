package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads table-settings rules, which are for single tables. Used for one document, by one thread.
 */
final class TableSettingsReader {
  private final Problems problems;
  private final Map<TableId, BatchApplyRule> batchApply = new TreeMap<>();
  private final Map<TableId, ParallelLoad> parallelLoad = new TreeMap<>();
  private final Map<TableId, Long> lobLimits = new TreeMap<>();

  private record BatchApplyRule(FileLocation place, BatchApplyOverride override) {}

  TableSettingsReader(Problems problems) {
    this.problems = problems;
  }

  /** The apply settings of single tables. */
  BatchApplyOverrides batchApply() {
    Map<TableId, BatchApplyOverride> overrides = new HashMap<>();
    batchApply.forEach((table, rule) -> overrides.put(table, rule.override()));
    return new BatchApplyOverrides(overrides);
  }

  /** The load segments of single tables. */
  Map<TableId, ParallelLoad> parallelLoad() {
    return Map.copyOf(parallelLoad);
  }

  /** The sizes in KB at which values of single tables are cut; 0: never. */
  Map<TableId, Long> lobLimits() {
    return Map.copyOf(lobLimits);
  }

  /** Reports rules for tables that are not selected. */
  void refuseUnselected(Predicate<TableId> selected) {
    batchApply.forEach(
        (table, rule) -> {
          if (!selected.test(table)) {
            problems.add(
                rule.place(),
                BatchApplyOverride.KEY + " for " + table + ", which no rule selects",
                "a table of the task",
                "Correct the name, whose letter case counts, or remove the rule");
          }
        });
  }

  /**
   * @param id the rule's id
   */
  void read(Fields rule, String id) {
    Optional<Node> locator =
        rule.require("object-locator", "an object with schema-name and table-name", "Add it");
    Optional<Node.Mapping> apply = settings(rule, BatchApplyOverride.KEY);
    Optional<Node.Mapping> load = settings(rule, ParallelLoad.KEY);
    Optional<Node.Mapping> lob = settings(rule, LobSettingsReader.KEY);
    if (apply.isPresent() || load.isPresent() || lob.isPresent()) {
      Optional<TableId> table =
          locator
              .flatMap(node -> Fields.mappingOf(node, problems))
              .flatMap(mapping -> plainTable(new Fields(mapping, problems)));
      apply.ifPresent(mapping -> readBatchApply(table, mapping));
      load.ifPresent(
          mapping ->
              keep(
                  parallelLoad,
                  table,
                  ParallelLoadReader.read(mapping, problems, id),
                  mapping.place(),
                  "rule " + id + " has " + ParallelLoad.KEY));
      lob.ifPresent(
          mapping ->
              keep(
                  lobLimits,
                  table,
                  LobSettingsReader.read(mapping, problems, id),
                  mapping.place(),
                  "rule " + id + " has " + LobSettingsReader.KEY));
    }
    rule.refuseOthers();
  }

  private Optional<Node.Mapping> settings(Fields rule, String key) {
    return rule.take(key).flatMap(node -> Fields.mappingOf(node, problems));
  }

  private void readBatchApply(Optional<TableId> table, Node.Mapping settings) {
    Optional<BatchApplyOverride> override = BatchApplyOverride.read(settings, problems);
    if (table.isEmpty() || override.isEmpty()) {
      return;
    }
    BatchApplyRule first =
        batchApply.putIfAbsent(table.get(), new BatchApplyRule(settings.place(), override.get()));
    if (first != null) {
      problems.add(
          settings.place(),
          BatchApplyOverride.KEY + " for " + table.get() + " occurs a second time",
          "one such rule for a table (the first is on line " + first.place().line() + ")",
          "Move all settings of the table into one rule");
    }
  }

  private <T> void keep(
      Map<TableId, T> rules,
      Optional<TableId> table,
      Optional<T> read,
      FileLocation place,
      String what) {
    if (table.isPresent()
        && read.isPresent()
        && rules.putIfAbsent(table.get(), read.get()) != null) {
      problems.add(
          place,
          what + " for " + table.get() + ", which another rule has too",
          "one such rule for a table",
          "Remove one of them");
    }
  }

  /** DMS has no wildcards in these rules, so _ is the character itself. */
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
                    "one plain name; table-settings rules have no wildcards, as in DMS",
                    "Write one rule for each table");
                return false;
              }
              return true;
            });
  }
}
