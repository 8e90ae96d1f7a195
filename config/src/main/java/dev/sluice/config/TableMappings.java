package dev.sluice.config;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Which tables a task carries and what they are called on the target. Immutable. */
public final class TableMappings {

  private final List<SelectionRule> rules;
  private final Optional<String> targetSchema;
  private final BatchApplyOverrides batchApply;
  private final Map<TableId, ParallelLoad> parallelLoad;
  private final List<String> notes;

  TableMappings(
      List<SelectionRule> rules,
      Optional<String> targetSchema,
      BatchApplyOverrides batchApply,
      Map<TableId, ParallelLoad> parallelLoad,
      List<String> notes) {
    this.rules = List.copyOf(rules);
    this.targetSchema = targetSchema;
    this.batchApply = batchApply;
    this.parallelLoad = Map.copyOf(parallelLoad);
    this.notes = List.copyOf(notes);
  }

  /**
   * Reads a file of DMS table mappings.
   *
   * @param targetSchema the schema all tables get on the target; empty: the source's
   * @throws SluiceException.Fatal with every problem of the file
   */
  public static TableMappings read(Path file, Optional<String> targetSchema) {
    Problems problems = new Problems();
    Optional<TableMappings> mappings =
        DocumentReader.read(file, problems)
            .map(document -> TableMappingsReader.read(document, targetSchema, problems));
    problems.throwIfAny();
    return mappings.orElseThrow();
  }

  /**
   * Reads DMS table mappings from JSON text.
   *
   * @param name what messages call the text
   * @param targetSchema the schema all tables get on the target; empty: the source's
   * @throws SluiceException.Fatal with every problem of the text
   */
  public static TableMappings parse(String name, String json, Optional<String> targetSchema) {
    Problems problems = new Problems();
    Optional<TableMappings> mappings =
        DocumentReader.json(name, json, problems)
            .map(document -> TableMappingsReader.read(document, targetSchema, problems));
    problems.throwIfAny();
    return mappings.orElseThrow();
  }

  /**
   * True where a rule includes the table and none excludes it, whatever their order. PostgreSQL's
   * own schemas, and the one of Sluice's event triggers, are never selected.
   */
  public boolean selects(TableId source) {
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

  /** The selection rules for who decides elsewhere; a system schema is for them to leave out. */
  public List<SelectionPattern> selectionPatterns() {
    return rules.stream()
        .map(
            rule ->
                new SelectionPattern(
                    rule.action() == SelectionRule.Action.EXCLUDE,
                    rule.schema().regularExpression(),
                    rule.table().regularExpression()))
        .toList();
  }

  /** What the table is called on the target. */
  public TableId targetOf(TableId source) {
    return targetSchema.map(schema -> new TableId(schema, source.name())).orElse(source);
  }

  /** The tables that rules name one by one, excluded ones left out; each must exist. */
  public List<TableId> explicitTables() {
    return rules.stream()
        .filter(rule -> rule.action() == SelectionRule.Action.EXPLICIT)
        .map(rule -> new TableId(rule.schema().plainName(), rule.table().plainName()))
        .filter(this::selects)
        .distinct()
        .sorted()
        .toList();
  }

  /** The highest load order of the rules that include the table; higher ones are loaded first. */
  public OptionalInt loadOrder(TableId source) {
    return rules.stream()
        .filter(rule -> rule.action() != SelectionRule.Action.EXCLUDE && rule.matches(source))
        .flatMapToInt(rule -> rule.loadOrder().stream())
        .max();
  }

  /** Tables of the source that would share one table of the target, one problem for each. */
  public List<Problem> collisions(Collection<TableId> sources) {
    Map<TableId, TableId> firstOfTarget = new TreeMap<>();
    return sources.stream()
        .sorted()
        .flatMap(
            source -> {
              TableId first = firstOfTarget.putIfAbsent(targetOf(source), source);
              return first == null
                  ? Optional.<Problem>empty().stream()
                  : Optional.of(collision(first, source)).stream();
            })
        .toList();
  }

  private Problem collision(TableId first, TableId second) {
    return new Problem(
        "TargetMetadata.TargetSchema",
        "the tables " + first + " and " + second + " would both become " + targetOf(second),
        "one target table for each source table",
        "Exclude one of them, or leave TargetSchema empty");
  }

  /** The tables whose changes are applied with settings of their own. */
  public BatchApplyOverrides batchApply() {
    return batchApply;
  }

  /** By name on the source, the tables for which a rule says in which parts they are loaded. */
  public Map<TableId, ParallelLoad> parallelLoad() {
    return parallelLoad;
  }

  /** The selection rules for people: {@code include public.%, exclude public.audit}. */
  public String selection() {
    return rules.stream().map(SelectionRule::toString).collect(Collectors.joining(", "));
  }

  /** One line for each rule, or part of one, that is read and not in effect. */
  public List<String> notes() {
    return notes;
  }
}
