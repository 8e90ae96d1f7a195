package dev.sluice.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which tables a task carries and what they are called on the target. What is asked of the
 * selection concerns tables; of views {@link #ofViews()} tells. Immutable.
 */
public final class TableMappings {
  /** Every table as it is. */
  public static final TableMappings EVERYTHING =
      new TableMappings(
          List.of(
              new SelectionRule(
                  "1",
                  SelectionRule.Action.INCLUDE,
                  SelectionRule.Relations.TABLE,
                  new NamePattern("%"),
                  new NamePattern("%"),
                  OptionalInt.empty(),
                  Optional.empty())),
          new Transformations(List.of()),
          Optional.empty(),
          BatchApplyOverrides.NONE,
          Map.of(),
          LobLimits.NONE,
          List.of());

  private final List<SelectionRule> allRules;
  private final boolean views;

  /** Those of all rules that concern what this speaks of. */
  private final List<SelectionRule> rules;

  private final Transformations transformations;
  private final Optional<String> targetSchema;
  private final BatchApplyOverrides batchApply;
  private final Map<TableId, ParallelLoad> parallelLoad;
  private final LobLimits lobLimits;
  private final List<String> notes;

  TableMappings(
      List<SelectionRule> rules,
      Transformations transformations,
      Optional<String> targetSchema,
      BatchApplyOverrides batchApply,
      Map<TableId, ParallelLoad> parallelLoad,
      LobLimits lobLimits,
      List<String> notes) {
    this(rules, false, transformations, targetSchema, batchApply, parallelLoad, lobLimits, notes);
  }

  private TableMappings(
      List<SelectionRule> allRules,
      boolean views,
      Transformations transformations,
      Optional<String> targetSchema,
      BatchApplyOverrides batchApply,
      Map<TableId, ParallelLoad> parallelLoad,
      LobLimits lobLimits,
      List<String> notes) {
    this.allRules = List.copyOf(allRules);
    this.views = views;
    this.rules =
        allRules.stream()
            .filter(views ? SelectionRule::speaksOfViews : SelectionRule::speaksOfTables)
            .toList();
    this.transformations = transformations;
    this.targetSchema = targetSchema;
    this.batchApply = batchApply;
    this.parallelLoad = Map.copyOf(parallelLoad);
    this.lobLimits = lobLimits;
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
   * The same with values cut where no rule for their table says otherwise.
   *
   * @param kilobytes 0: values stay whole
   */
  public TableMappings cutAt(long kilobytes) {
    return new TableMappings(
        allRules,
        views,
        transformations,
        targetSchema,
        batchApply,
        parallelLoad,
        new LobLimits(kilobytes, lobLimits.tables()),
        notes);
  }

  /**
   * The same for views and materialized views: which are loaded, by the rules whose table-type is
   * view or all, with these rules' filters and load order.
   */
  public TableMappings ofViews() {
    return new TableMappings(
        allRules, true, transformations, targetSchema, batchApply, parallelLoad, lobLimits, notes);
  }

  /** Whether some rule includes views. */
  public boolean includesViews() {
    return allRules.stream()
        .anyMatch(rule -> rule.speaksOfViews() && rule.action() != SelectionRule.Action.EXCLUDE);
  }

  /** Where values are cut. */
  public LobLimits lobLimits() {
    return lobLimits;
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
                    rule.table().regularExpression(),
                    rule.filter().isPresent()))
        .toList();
  }

  /** What the table is called on the target. */
  public TableId targetOf(TableId source) {
    return new TableId(
        targetSchema.orElseGet(() -> transformations.schemaOf(source.schema())),
        transformations.tableOf(source));
  }

  /** What the tables' columns are called on the target; rules speak of the root of partitions. */
  public ColumnNames columns() {
    return transformations;
  }

  /** Whether tables of the target may have other columns than the source's. */
  public boolean mapsColumns() {
    return transformations.mapsColumns();
  }

  /** Whether anything but the schema of all tables is another on the target. */
  public boolean transforms() {
    return !transformations.isEmpty();
  }

  /** The columns that rules add to the table on the target. */
  public List<AddedColumn> addedColumns(TableId source) {
    return transformations.addedTo(source);
  }

  /** The primary key that a rule gives to the table on the target. */
  public Optional<DefinedKey> definedKey(TableId source) {
    return transformations.keyOf(source);
  }

  /** Which rows of the table are carried; empty: all. */
  public Optional<RowFilter> filter(TableId source) {
    return including(source).flatMap(rule -> rule.filter().stream()).findFirst();
  }

  /** Whether some rule carries a part of the rows only. */
  public boolean filters() {
    return rules.stream().anyMatch(rule -> rule.filter().isPresent());
  }

  private Stream<SelectionRule> including(TableId source) {
    return rules.stream()
        .filter(rule -> rule.action() != SelectionRule.Action.EXCLUDE && rule.matches(source));
  }

  /**
   * What of the rules cannot be honoured for a table of the source.
   *
   * @param columns all that travel
   * @param key those of the key by which its rows are found; empty where it has none
   */
  public List<Problem> problemsOf(TableId source, List<String> columns, List<String> key) {
    List<Problem> problems = new ArrayList<>(transformations.problemsOf(source, columns, key));
    Set<List<RowFilter.ColumnFilter>> filters =
        including(source)
            .map(rule -> rule.filter().map(RowFilter::columns).orElse(List.of()))
            .collect(Collectors.toSet());
    if (filters.size() > 1) {
      problems.add(
          new Problem(
              "table-mappings, table " + source,
              "the rules %s include it with different filters"
                  .formatted(including(source).map(SelectionRule::id).toList()),
              "one set of filters for a table",
              "Narrow the object-locator of one of them, or write the same filters into each"));
    }
    return problems;
  }

  /**
   * One line for each rule that matches no column.
   *
   * @param tables the columns of each selected table
   */
  public List<String> idleRules(Map<TableId, List<String>> tables) {
    return transformations.idle(tables);
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
    return including(source).flatMapToInt(rule -> rule.loadOrder().stream()).max();
  }

  /**
   * Tables of the source that would share one table of the target, or the name of a primary key
   * that rules define, one problem for each.
   */
  public List<Problem> collisions(Collection<TableId> sources) {
    Map<TableId, TableId> firstOfTarget = new TreeMap<>();
    Map<TableId, TableId> firstOfKey = new TreeMap<>();
    List<Problem> problems = new ArrayList<>();
    for (TableId source : sources.stream().sorted().toList()) {
      TableId target = targetOf(source);
      TableId first = firstOfTarget.putIfAbsent(target, source);
      if (first != null) {
        problems.add(collision(first, source));
      }
      Optional<DefinedKey> key = definedKey(source);
      if (key.isPresent()) {
        TableId other =
            firstOfKey.putIfAbsent(new TableId(target.schema(), key.get().name()), source);
        if (other != null) {
          problems.add(sameKeyName(other, source, key.get()));
        }
      }
    }
    return problems;
  }

  private static Problem sameKeyName(TableId first, TableId second, DefinedKey key) {
    return new Problem(
        "table-mappings",
        "rule %s gives the primary keys of %s and %s one name, %s"
            .formatted(key.rule(), first, second, key.name()),
        "a name that is the only one in its schema, as PostgreSQL demands",
        "Write a rule with a name of its own for each table");
  }

  private Problem collision(TableId first, TableId second) {
    return new Problem(
        "table-mappings",
        "the tables " + first + " and " + second + " would both become " + targetOf(second),
        "one target table for each source table",
        "Exclude one of them, or mend the transformation rules or TargetSchema");
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
    return allRules.stream().map(SelectionRule::toString).collect(Collectors.joining(", "));
  }

  /** The transformation rules for people, in their order. */
  public String transformations() {
    return transformations.toString();
  }

  /** One line for each rule, or part of one, that is read and not in effect. */
  public List<String> notes() {
    return notes;
  }
}
