package dev.sluice.config.mappings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.config.transformation.BeforeImages;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.config.transformation.Consolidation;
import dev.sluice.config.transformation.DefinedKey;
import dev.sluice.config.transformation.LobLimits;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.config.transformation.Transformations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The table mappings of a task: selected tables, their names on the target, and rules for single
 * tables. Selection methods are about tables; {@link #ofViews()} is for views. Immutable.
 */
public final class TableMappings {
  /** All tables, unchanged. */
  public static final TableMappings EVERYTHING =
      new TableMappings(
          TableSelection.EVERYTHING,
          TargetNames.UNCHANGED,
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
   * Reads DMS table mappings from JSON text.
   *
   * @param name the name of the text in messages
   * @param targetSchema the schema of all tables on the target; empty: the source's
   * @throws SluiceException.Fatal with all problems of the text
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
   * The same with another size at which values are cut, for tables without a rule of their own.
   *
   * @param kilobytes 0: values stay complete
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
   * The same with another control schema, whose tables are never selected. A former target that is
   * now the source has such a schema too.
   */
  public TableMappings withControlSchema(String schema) {
    return with(selection.withControlSchema(schema));
  }

  /**
   * The same for views and materialized views: selection by the rules with table-type view or all,
   * with their filters and load order.
   */
  public TableMappings ofViews() {
    return with(selection.ofViews());
  }

  private TableMappings with(TableSelection other) {
    return new TableMappings(other, names, batchApply, parallelLoad, lobLimits, notes);
  }

  /**
   * The same in the other direction, where the target's tables become those of the source again.
   *
   * @throws IllegalStateException if it is {@link #irreversible}
   */
  public TableMappings reversed() {
    if (!transforms()) {
      return this;
    }
    ReversedMappings reversed = ReversedMappings.of(this);
    if (!reversed.reasons().isEmpty()) {
      throw new IllegalStateException("BUG: turned back though " + reversed.reasons());
    }
    return reversed.mappings();
  }

  /** Why transformation rules cannot be turned back; empty if they can. */
  public List<String> irreversible() {
    return transforms() ? ReversedMappings.of(this).reasons() : List.of();
  }

  Transformations rules() {
    return transformations;
  }

  List<SelectionRule> selectionRules() {
    return selection.rules();
  }

  /** The same tables by other names, without what only a load needs. */
  TableMappings withNames(
      List<SelectionRule> selected,
      TargetNames otherNames,
      BatchApplyOverrides otherApply,
      LobLimits otherLimits) {
    return new TableMappings(
        selection.withRules(selected), otherNames, otherApply, Map.of(), otherLimits, notes);
  }

  /** Whether a rule includes views. */
  public boolean includesViews() {
    return selection.includesViews();
  }

  /** The sizes at which values are cut. */
  public LobLimits lobLimits() {
    return lobLimits;
  }

  /**
   * True if a rule includes the table and none excludes it, in any order. PostgreSQL's own schemas
   * and Sluice's schemas are never selected.
   */
  public boolean selects(TableId source) {
    return selection.selects(source);
  }

  /**
   * True if the rules include the table and it is skipped only because it is in the control schema.
   */
  public boolean isInControlSchema(TableId source) {
    return selection.isInControlSchema(source);
  }

  /**
   * The selection as patterns for the source's server, and the tables whose complete old rows are
   * needed. The server excludes PostgreSQL's own schemas itself.
   */
  public List<SelectionPattern> selectionPatterns() {
    List<SelectionPattern> patterns = new ArrayList<>(selection.patterns());
    patterns.addAll(transformations.needingWholeRows());
    return patterns;
  }

  /** The table's name on the target. */
  public TableId targetOf(TableId source) {
    return names.of(source);
  }

  /** The names of columns on the target. For a partition, the rules of its root apply. */
  public ColumnNames columns() {
    return transformations;
  }

  /** Whether tables of the target may have other columns than those of the source. */
  public boolean mapsColumns() {
    return transformations.mapsColumns();
  }

  /** Whether any transformation rule exists. */
  public boolean transforms() {
    return !transformations.isEmpty();
  }

  /** The columns that rules add to the target table. */
  public List<AddedColumn> addedColumns(TableId source) {
    return transformations.addedTo(source);
  }

  /** The primary key that a rule defines for the target table. */
  public Optional<DefinedKey> definedKey(TableId source) {
    return transformations.keyOf(source);
  }

  /**
   * Whether the target's table has all columns of the source's with their types, perhaps by other
   * names, and no others that a rule adds.
   *
   * @param names of the source's columns
   */
  public boolean keepsColumns(TableId source, Collection<String> names) {
    return transformations.keepColumns(source, names);
  }

  /** The column that a rule adds with one value in all rows. */
  public Optional<Consolidation> consolidation(TableId source) {
    return transformations.consolidationOf(source);
  }

  /** The before-image columns that a rule defines for the target table. */
  public Optional<BeforeImages> beforeImages(TableId source) {
    return transformations.imagesOf(source);
  }

  /** Whether updates of the table must have the complete old row. */
  public boolean wantsOldRows(TableId source) {
    return beforeImages(source).filter(BeforeImages::needWholeRows).isPresent();
  }

  /** The filter for the table's rows; empty: all rows are replicated. */
  public Optional<RowFilter> filter(TableId source) {
    return selection.filter(source);
  }

  /** Whether a rule has a row filter. */
  public boolean filters() {
    return selection.filters();
  }

  /**
   * The problems of the rules with a table of the source.
   *
   * @param columns all replicated columns in order, with their types as {@code format_type} prints
   *     them
   * @param key columns of the key that identifies its rows; empty if there is none
   */
  public List<Problem> problemsOf(TableId source, Map<String, String> columns, List<String> key) {
    List<Problem> problems = new ArrayList<>(transformations.problemsOf(source, columns, key));
    selection.problemOf(source).ifPresent(problems::add);
    return problems;
  }

  /**
   * One line for each column rule that matches no column.
   *
   * @param tables the columns of each selected table
   */
  public List<String> idleRules(Map<TableId, List<String>> tables) {
    return transformations.idle(tables);
  }

  /** The tables of explicit rules that are not excluded; each must exist. */
  public List<TableId> explicitTables() {
    return selection.explicitTables();
  }

  /** The table's highest load order; tables with higher numbers are loaded first. */
  public OptionalInt loadOrder(TableId source) {
    return selection.loadOrder(source);
  }

  /**
   * A problem for each source table that would have the same target table, or the same name of a
   * defined primary key, as another.
   */
  public List<Problem> collisions(Collection<TableId> sources) {
    return names.collisions(sources);
  }

  /** The tables that have their own apply settings. */
  public BatchApplyOverrides batchApply() {
    return batchApply;
  }

  /** The tables with a rule for their load segments, by name on the source. */
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

  /** One line for each rule, or part of a rule, that has no effect, and other remarks. */
  public List<String> notes() {
    return notes;
  }
}
