package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.config.transformation.BeforeImages;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.config.transformation.DefinedKey;
import dev.sluice.config.transformation.LobLimits;
import dev.sluice.config.transformation.NamePattern;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.config.transformation.Transformations;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Which tables a task carries and what they are called on the target. What is asked of the
 * selection concerns tables; of views {@link #ofViews()} tells. Immutable.
 */
public final class TableMappings {
  /** Every table as it is. */
  public static final TableMappings EVERYTHING =
      new TableMappings(
          TableSelection.of(
              List.of(
                  new SelectionRule(
                      "1",
                      SelectionRule.Action.INCLUDE,
                      SelectionRule.Relations.TABLE,
                      new NamePattern("%"),
                      new NamePattern("%"),
                      OptionalInt.empty(),
                      Optional.empty()))),
          new TargetNames(Optional.empty(), new Transformations(List.of())),
          BatchApplyOverrides.NONE,
          Map.of(),
          LobLimits.NONE,
          List.of());

  private final TableSelection selection;
  private final TargetNames names;
  private final Transformations transformations;
  private final BatchApplyOverrides batchApply;
  private final Map<TableId, ParallelLoad> parallelLoad;
  private final LobLimits lobLimits;
  private final List<String> notes;

  TableMappings(
      TableSelection selection,
      TargetNames names,
      BatchApplyOverrides batchApply,
      Map<TableId, ParallelLoad> parallelLoad,
      LobLimits lobLimits,
      List<String> notes) {
    this.selection = selection;
    this.names = names;
    this.transformations = names.transformations();
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
    return of(DocumentReader.read(file, problems), targetSchema, problems);
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
    return of(DocumentReader.json(name, json, problems), targetSchema, problems);
  }

  private static TableMappings of(
      Optional<Node> document, Optional<String> targetSchema, Problems problems) {
    Optional<TableMappings> mappings =
        document.map(found -> TableMappingsReader.read(found, targetSchema, problems));
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
        selection,
        names,
        batchApply,
        parallelLoad,
        new LobLimits(kilobytes, lobLimits.tables()),
        notes);
  }

  /**
   * The same where tasks keep their progress in this schema, on this target or on a target that has
   * become the source: nothing in it is selected.
   */
  public TableMappings withControlSchema(String schema) {
    return new TableMappings(
        selection.withControlSchema(schema), names, batchApply, parallelLoad, lobLimits, notes);
  }

  /**
   * The same for views and materialized views: which are loaded, by the rules whose table-type is
   * view or all, with these rules' filters and load order.
   */
  public TableMappings ofViews() {
    return new TableMappings(
        selection.ofViews(), names, batchApply, parallelLoad, lobLimits, notes);
  }

  /** Whether some rule includes views. */
  public boolean includesViews() {
    return selection.includesViews();
  }

  /** Where values are cut. */
  public LobLimits lobLimits() {
    return lobLimits;
  }

  /**
   * True where a rule includes the table and none excludes it, whatever their order. PostgreSQL's
   * own schemas, and those in which Sluice keeps something, are never selected.
   */
  public boolean selects(TableId source) {
    return selection.selects(source);
  }

  /** True where the rules include the table, and only the control schema's name leaves it out. */
  public boolean isInControlSchema(TableId source) {
    return selection.isInControlSchema(source);
  }

  /**
   * The selection rules for who decides elsewhere, and of which tables whole old rows are needed;
   * PostgreSQL's own schemas are for them to leave out.
   */
  public List<SelectionPattern> selectionPatterns() {
    List<SelectionPattern> patterns = new ArrayList<>(selection.patterns());
    patterns.addAll(transformations.needingWholeRows());
    return patterns;
  }

  /** What the table is called on the target. */
  public TableId targetOf(TableId source) {
    return names.of(source);
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

  /** What a rule wants to be kept of each row as it was before its last update. */
  public Optional<BeforeImages> beforeImages(TableId source) {
    return transformations.imagesOf(source);
  }

  /** Whether updates of the table must come with the whole old row. */
  public boolean wantsOldRows(TableId source) {
    return beforeImages(source).filter(BeforeImages::needWholeRows).isPresent();
  }

  /** Which rows of the table are carried; empty: all. */
  public Optional<RowFilter> filter(TableId source) {
    return selection.filter(source);
  }

  /** Whether some rule carries a part of the rows only. */
  public boolean filters() {
    return selection.filters();
  }

  /**
   * What of the rules cannot be honoured for a table of the source.
   *
   * @param columns all that travel, in order, with their types as {@code format_type} prints them
   * @param key those of the key by which its rows are found; empty where it has none
   */
  public List<Problem> problemsOf(TableId source, Map<String, String> columns, List<String> key) {
    List<Problem> problems = new ArrayList<>(transformations.problemsOf(source, columns, key));
    selection.problemOf(source).ifPresent(problems::add);
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
    return selection.explicitTables();
  }

  /** The highest load order of the rules that include the table; higher ones are loaded first. */
  public OptionalInt loadOrder(TableId source) {
    return selection.loadOrder(source);
  }

  /**
   * Tables of the source that would share one table of the target, or the name of a primary key
   * that rules define, one problem for each.
   */
  public List<Problem> collisions(Collection<TableId> sources) {
    return names.collisions(sources);
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
    return selection.toString();
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
