package dev.sluice.config.mappings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.transformation.LobLimits;
import dev.sluice.config.transformation.TransformationReader;
import dev.sluice.config.transformation.TransformationRule;
import dev.sluice.config.transformation.Transformations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a document of table mappings. Used for one document, by one thread. */
public final class TableMappingsReader {

  private static final List<String> RULE_TYPES =
      List.of(
          "selection",
          "transformation",
          "table-settings",
          "validation",
          "object-mapping",
          "post-processing");

  private final Problems problems;
  private final List<SelectionRule> rules = new ArrayList<>();
  private final List<TransformationRule> transformed = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, FileLocation> ids = new HashMap<>();
  private final SelectionRuleReader selections;
  private final TransformationReader transformations;
  private final TableSettingsReader tableSettings;

  private TableMappingsReader(Problems problems) {
    this.problems = problems;
    this.selections = new SelectionRuleReader(problems, notes);
    this.transformations = new TransformationReader(problems, notes);
    this.tableSettings = new TableSettingsReader(problems);
  }

  /** Reads the mappings of the document and adds what is wrong to the problems. */
  public static TableMappings read(
      Node document, Optional<String> targetSchema, Problems problems) {
    TableMappingsReader reader = new TableMappingsReader(problems);
    Fields.mappingOf(document, problems).ifPresent(reader::readDocument);
    return reader.mappings(targetSchema);
  }

  private TableMappings mappings(Optional<String> targetSchema) {
    Transformations made = new Transformations(transformed);
    made.firstOfSchemas()
        .filter(rule -> targetSchema.isPresent())
        .ifPresent(
            rule ->
                problems.add(
                    rule.place(),
                    "rule "
                        + rule.id()
                        + " renames schemas, and TargetMetadata.TargetSchema is "
                        + targetSchema.get(),
                    "only one of them",
                    "Remove the rule, or set TargetSchema to \"\""));
    TableMappings mappings =
        new TableMappings(
            TableSelection.of(rules),
            new TargetNames(targetSchema, made),
            tableSettings.batchApply(),
            tableSettings.parallelLoad(),
            new LobLimits(0, tableSettings.lobLimits()),
            notes);
    TableMappings views = mappings.ofViews();
    tableSettings.refuseUnselected(table -> mappings.selects(table) || views.selects(table));
    return mappings;
  }

  private void readDocument(Node.Mapping document) {
    int before = problems.count();
    Fields fields = new Fields(document, problems);
    fields.misplaced(
        "ReplicationTasks",
        "This is the complete output of describe-replication-tasks: make a task file of it with"
            + " sluice from-dms, or extract the mappings with"
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
          "Add one; the table-name % includes every table of a schema");
    }
  }

  private void readRule(Node.Mapping mapping) {
    Fields rule = new Fields(mapping, problems);
    Optional<String> type =
        rule.requireText("rule-type", Fields.oneOf(RULE_TYPES), "Add \"rule-type\": \"selection\"");
    Optional<String> id =
        rule.requireText("rule-id", "a number that no other rule has", "Add a \"rule-id\"");
    rule.text("rule-name");
    id.ifPresent(text -> checkUnique(text, rule.placeOf("rule-id")));
    if (type.isEmpty()) {
      return;
    }
    String name = id.orElse("without an id");
    switch (type.get()) {
      case "selection" -> selections.read(rule, name).ifPresent(rules::add);
      case "table-settings" -> tableSettings.read(rule, name);
      case "transformation" -> transformations.read(rule, name).ifPresent(transformed::add);
      case "validation" ->
          problems.add(
              rule.placeOf("rule-type"),
              "rule " + name + " compares the results of functions in place of a column's values",
              "no validation rule: Sluice compares the values themselves",
              "Remove the rule: columns with another type on the target are compared as it has them");
      case "object-mapping" ->
          notes.add("rule " + name + ": object-mapping is for Kafka and Kinesis targets");
      case "post-processing" -> notes.add("rule " + name + ": post-processing is for S3 targets");
      default ->
          problems.add(
              rule.placeOf("rule-type"),
              "unknown rule-type \"" + type.get() + "\"",
              Fields.oneOf(RULE_TYPES),
              NearestName.fix(type.get(), RULE_TYPES));
    }
  }

  private void checkUnique(String id, FileLocation place) {
    FileLocation first = ids.putIfAbsent(id, place);
    if (first != null) {
      problems.add(
          place,
          "rule-id " + id + " occurs a second time",
          "a different id for each rule (the first is on line " + first.line() + ")",
          "Give this rule another id");
    }
  }
}
