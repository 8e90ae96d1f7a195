package dev.sluice.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Turns a document into table mappings. Used for one document, by one thread. */
final class TableMappingsReader {

  private static final List<String> RULE_TYPES =
      List.of(
          "selection",
          "transformation",
          "table-settings",
          "validation",
          "object-mapping",
          "post-processing");
  private static final List<String> ACTIONS = List.of("include", "exclude", "explicit");
  private static final List<String> TABLE_TYPES = List.of("table", "view", "all");
  private static final int HIGHEST_LOAD_ORDER = Integer.MAX_VALUE;

  private final Problems problems;
  private final List<SelectionRule> rules = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, Place> ids = new HashMap<>();
  private final Map<TableId, BatchApplyRule> batchApply = new TreeMap<>();

  private record BatchApplyRule(Place place, BatchApplyOverride override) {}

  private TableMappingsReader(Problems problems) {
    this.problems = problems;
  }

  /** The mappings of the document; what is wrong goes to the problems. */
  static TableMappings read(Node document, Optional<String> targetSchema, Problems problems) {
    TableMappingsReader reader = new TableMappingsReader(problems);
    Fields.mappingOf(document, problems).ifPresent(reader::readDocument);
    return reader.mappings(targetSchema);
  }

  private TableMappings mappings(Optional<String> targetSchema) {
    Map<TableId, BatchApplyOverride> overrides = new HashMap<>();
    batchApply.forEach((table, rule) -> overrides.put(table, rule.override()));
    TableMappings mappings =
        new TableMappings(rules, targetSchema, new BatchApplyOverrides(overrides), notes);
    batchApply.forEach(
        (table, rule) -> {
          if (!mappings.selects(table)) {
            problems.add(
                rule.place(),
                BatchApplyOverride.KEY + " for " + table + ", which no rule selects",
                "a table of the task",
                "Correct the name, which is taken as it is written, or remove the rule");
          }
        });
    return mappings;
  }

  private void readDocument(Node.Mapping document) {
    int before = problems.count();
    Fields fields = new Fields(document, problems);
    fields.misplaced(
        "ReplicationTasks",
        "This is the whole answer of describe-replication-tasks; take the mappings out of it with"
            + " --query 'ReplicationTasks[0].TableMappings' --output text");
    Optional<Node> list =
        fields.require("rules", "a list of rules", "Add \"rules\": [ … ] with a selection rule");
    fields.refuseOthers();
    if (list.isEmpty()) {
      return;
    }
    if (!(list.get() instanceof Node.Sequence sequence)) {
      problems.add(list.get().place(), list.get().kind(), "a list of rules", "Write [ … ]");
      return;
    }
    for (Node item : sequence.items()) {
      Fields.mappingOf(item, problems).ifPresent(this::readRule);
    }
    boolean includes =
        rules.stream().anyMatch(rule -> rule.action() != SelectionRule.Action.EXCLUDE);
    if (!includes && problems.count() == before) {
      problems.add(
          sequence.place(),
          "no rule includes a table",
          "at least one selection rule with rule-action include or explicit",
          "Add one; to take every table of a schema use the table-name %");
    }
  }

  private void readRule(Node.Mapping mapping) {
    Fields rule = new Fields(mapping, problems);
    Optional<String> type =
        rule.requireText("rule-type", oneOf(RULE_TYPES), "Add \"rule-type\": \"selection\"");
    Optional<String> id =
        rule.requireText("rule-id", "a number that no other rule has", "Add a \"rule-id\"");
    rule.text("rule-name");
    id.ifPresent(text -> checkUnique(text, rule.placeOf("rule-id")));
    if (type.isEmpty()) {
      return;
    }
    String name = id.orElse("without an id");
    switch (type.get()) {
      case "selection" -> readSelection(rule, name);
      case "table-settings" -> readTableSettings(rule, name);
      case "transformation" ->
          problems.add(
              rule.place(),
              "rule " + name + " is a transformation, which is not built yet",
              "no transformation rules: leaving one out would change what lands on the target",
              "Remove the rule; for one schema for all tables use TargetMetadata.TargetSchema");
      case "validation" ->
          notes.add("rule " + name + ": validation rules have no effect; validation is not built");
      case "object-mapping" ->
          notes.add("rule " + name + ": object-mapping is for Kafka and Kinesis targets");
      case "post-processing" -> notes.add("rule " + name + ": post-processing is for S3 targets");
      default ->
          problems.add(
              rule.placeOf("rule-type"),
              "unknown rule-type \"" + type.get() + "\"",
              oneOf(RULE_TYPES),
              NearestName.mend(type.get(), RULE_TYPES));
    }
  }

  private void checkUnique(String id, Place place) {
    Place first = ids.putIfAbsent(id, place);
    if (first != null) {
      problems.add(
          place,
          "rule-id " + id + " a second time",
          "an id of its own for each rule (the first is in line " + first.line() + ")",
          "Give this rule another id");
    }
  }

  private void readSelection(Fields rule, String id) {
    Optional<SelectionRule.Action> action =
        choice(rule, "rule-action", ACTIONS)
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
      return;
    }
    Optional<NamePattern> schema = pattern(locator.get(), "schema-name");
    Optional<NamePattern> table = pattern(locator.get(), "table-name");
    refuseViews(locator.get(), id);
    locator.get().refuseOthers();
    if (action.isEmpty() || schema.isEmpty() || table.isEmpty()) {
      return;
    }
    if (action.get() == SelectionRule.Action.EXPLICIT) {
      refuseWildcards(locator.get(), "schema-name", schema.get());
      refuseWildcards(locator.get(), "table-name", table.get());
    }
    rules.add(new SelectionRule(id, action.get(), schema.get(), table.get(), loadOrder));
  }

  private Optional<String> choice(Fields fields, String key, List<String> allowed) {
    return fields
        .requireText(key, oneOf(allowed), "Add \"" + key + "\": \"" + allowed.get(0) + "\"")
        .filter(text -> isAllowed(fields, key, text, allowed));
  }

  private boolean isAllowed(Fields fields, String key, String text, List<String> allowed) {
    if (allowed.contains(text)) {
      return true;
    }
    problems.add(
        fields.placeOf(key),
        "the text \"" + text + "\"",
        oneOf(allowed),
        NearestName.mend(text, allowed));
    return false;
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
        .filter(type -> isAllowed(locator, "table-type", type, TABLE_TYPES))
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

  private void readTableSettings(Fields rule, String id) {
    Optional<Node> locator =
        rule.require("object-locator", "an object with schema-name and table-name", "Add it");
    rule.take(BatchApplyOverride.KEY)
        .flatMap(node -> Fields.mappingOf(node, problems))
        .ifPresent(
            mapping ->
                locator
                    .flatMap(node -> Fields.mappingOf(node, problems))
                    .ifPresent(table -> readBatchApply(new Fields(table, problems), mapping)));
    rule.take("parallel-load")
        .ifPresent(
            node ->
                notes.add(
                    "rule "
                        + id
                        + ": parallel-load is not in effect yet; a table is one segment in this"
                        + " release, and all its rows are loaded"));
    rule.take("lob-settings")
        .ifPresent(
            node ->
                notes.add(
                    "rule "
                        + id
                        + ": lob-settings are not applicable here; every value is carried whole,"
                        + " whatever its size"));
    rule.refuseOthers();
  }

  /** DMS takes no wildcards in these rules, so that _ stands for itself. */
  private void readBatchApply(Fields locator, Node.Mapping settings) {
    Optional<String> schema = plainName(locator, "schema-name");
    Optional<String> table = plainName(locator, "table-name");
    locator.refuseOthers();
    Optional<BatchApplyOverride> override = BatchApplyOverride.read(settings, problems);
    if (schema.isEmpty() || table.isEmpty() || override.isEmpty()) {
      return;
    }
    TableId id = new TableId(schema.get(), table.get());
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

  private static String oneOf(List<String> names) {
    return "one of: " + String.join(", ", names);
  }
}
