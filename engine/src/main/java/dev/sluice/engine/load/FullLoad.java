package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.FullLoadSettings;
import dev.sluice.config.FullLoadSettings.PrepMode;
import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.SluiceSettings;
import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.postgres.SourceServer;
import dev.sluice.connector.postgres.load.DefinitionReader;
import dev.sluice.connector.postgres.load.LoadRules;
import dev.sluice.connector.postgres.load.RecordedLeaf;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segmentation;
import dev.sluice.connector.postgres.load.SourceErrors;
import dev.sluice.connector.postgres.load.TableRecorder;
import dev.sluice.sink.load.TargetTableCompletion;
import dev.sluice.sink.load.TargetTablePreparation;
import dev.sluice.sink.load.TargetTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The full load of a task: all its tables as one snapshot of the source shows them. Owned by the
 * thread that calls {@link #plan}, {@link #prepare} and {@link #load}, in this order, for each
 * attempt; {@link #progress} and {@link #stop} may be called from any thread.
 *
 * <p>The slot is created between {@link #prepare} and {@link #load}: what happens to a table after
 * it was recorded is noticed, and the source keeps its log for no longer than it must.
 */
public final class FullLoad {
  private static final Logger LOG = LoggerFactory.getLogger(FullLoad.class);

  private final SourceServer source;
  private final TargetServer target;
  private final List<TableId> tables;
  private final TableMappings mappings;
  private final FullLoadSettings settings;
  private final Segmentation segmentation;

  private List<DefinitionStatement> keysToMake = List.of();
  private volatile LoadRun run = LoadRun.ofNothing();
  private volatile boolean stopping;

  /** With large tables cut as the settings' default says. */
  public FullLoad(
      SourceServer source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      FullLoadSettings settings) {
    this(
        source,
        target,
        tables,
        mappings,
        settings,
        new Segmentation(SluiceSettings.DEFAULTS.loadSegmentSize()));
  }

  /**
   * @param tables names on the source, roots where tables are partitioned
   * @param segmentation how they are cut
   */
  public FullLoad(
      SourceServer source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      FullLoadSettings settings,
      Segmentation segmentation) {
    this.source = source;
    this.target = target;
    this.tables = List.copyOf(tables);
    this.mappings = mappings;
    this.settings = settings;
    this.segmentation = segmentation;
  }

  /**
   * Records what the tables are now, and orders them: the highest load order first, then the
   * largest, so that no large one is left for the end.
   *
   * @throws SluiceException.Overtaken naming the tables that are not there any more
   */
  public LoadPlan plan() {
    try (Connection connection = source.connect()) {
      List<RecordedTable> recorded = new ArrayList<>(new TableRecorder(connection).record(tables));
      recorded.sort(
          Comparator.comparingInt(
                  (RecordedTable table) -> mappings.loadOrder(table.table()).orElse(0))
              .thenComparingLong(RecordedTable::bytes)
              .reversed());
      Segmentation cut =
          new LoadRules(connection, mappings.parallelLoad()).segmentation(segmentation, recorded);
      return new LoadPlan(recorded.stream().map(table -> planned(table, cut)).toList());
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  /**
   * Brings the target's tables into the state that TargetTablePrepMode asks for, but for those that
   * are kept.
   *
   * @throws SluiceException.Fatal naming every table that is missing or has rows, and every column
   *     that is missing
   */
  public void prepare(LoadPlan plan, LoadAttempt attempt) {
    LoadPlan missing = plan.missing();
    List<TableId> targets = missing.names().stream().map(mappings::targetOf).toList();
    keysToMake = List.of();
    try (TargetConnection connection = target.connect()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection);
      if (attempt == LoadAttempt.RELOAD && fits(missing, connection)) {
        preparation.empty(targets);
        return;
      }
      switch (settings.targetTablePrepMode()) {
        case DROP_AND_CREATE -> {
          TableDefinitions definitions = definitions(missing, connection.majorVersion());
          boolean keysFirst = !settings.createPkAfterFullLoad();
          preparation.create(withLeaves(missing), definitions, keysFirst);
          // Those of a table that is kept were left out as well, and are made in one transaction.
          keysToMake = keysFirst ? List.of() : definitions(plan, connection.majorVersion()).keys();
        }
        case TRUNCATE_BEFORE_LOAD -> {
          requireColumns(missing, connection);
          preparation.empty(targets);
        }
        case DO_NOTHING -> {
          requireColumns(missing, connection);
          switch (attempt) {
            case FIRST -> preparation.requireEmpty(targets);
            case AGAIN, RELOAD -> preparation.empty(targets);
          }
        }
      }
    }
  }

  /**
   * Drops what an attempt before has made and nothing is to be loaded into any more, where
   * TargetTablePrepMode makes tables; else it stays as it is.
   *
   * @param tables not selected any more, or dropped or renamed on the source since
   */
  public void leaveBehind(List<TableId> tables) {
    List<TableId> targets = tables.stream().map(mappings::targetOf).toList();
    if (settings.targetTablePrepMode() != PrepMode.DROP_AND_CREATE) {
      LOG.warn("loaded before and not among the tables any more, left as they are: {}", targets);
      return;
    }
    LOG.info("loaded before and not among the tables any more, dropped: {}", targets);
    try (TargetConnection connection = target.connect()) {
      new TargetTablePreparation(connection).dropLeftBehind(targets);
    }
  }

  /**
   * Loads all tables, makes the keys that were left out and gathers statistics.
   *
   * @param snapshot the name of the snapshot that the slot exported; it must stay open until this
   *     returns
   * @throws SluiceException where a table cannot be read or written; the load of all is broken off
   */
  public LoadOutcome load(LoadPlan plan, String snapshot) {
    return load(plan, snapshot, AttemptMarks.NONE);
  }

  /**
   * The same, leaving marks by which an attempt after this one knows the tables that are whole.
   *
   * @param marks of the segments that are missing
   */
  public LoadOutcome load(LoadPlan plan, String snapshot, AttemptMarks marks) {
    Instant started = Instant.now();
    LoadPlan missing = plan.missing();
    run = new LoadRun(plan, layouts(missing), mappings::targetOf, marks);
    if (stopping) {
      return new LoadOutcome.Stopped();
    }
    int workers = Math.max(1, Math.min(settings.maxFullLoadSubTasks(), missing.segments().size()));
    LOG.info(
        "full load: {} in {}, about {} bytes, {}, snapshot {}",
        Counted.of(missing.tables().size(), "table"),
        Counted.of(missing.segments().size(), "segment"),
        missing.bytes(),
        Counted.of(workers, "worker"),
        snapshot);
    LoadOutcome outcome =
        run.load(source, target, snapshot, workers, settings.commitRate(), started);
    if (outcome instanceof LoadOutcome.Loaded && !complete(plan)) {
      return new LoadOutcome.Stopped();
    }
    LOG.info("full load: {}", outcome);
    return outcome;
  }

  /** How far each table is, in load order; empty before {@link #load}. From any thread. */
  public List<LoadProgress> progress() {
    return run.progress();
  }

  /** Makes {@link #load} return soon, with what is on the target as it is. From any thread. */
  public void stop() {
    stopping = true;
    run.stop();
  }

  /** A partition may be there as a table of its own, which it was on the source before. */
  private List<TableId> withLeaves(LoadPlan plan) {
    return plan.recorded().stream()
        .flatMap(
            table ->
                Stream.concat(
                    Stream.of(table.table()), table.leaves().stream().map(RecordedLeaf::leaf)))
        .map(mappings::targetOf)
        .distinct()
        .toList();
  }

  private PlannedTable planned(RecordedTable table, Segmentation cut) {
    return new PlannedTable(
        table,
        table.shape() + " into " + mappings.targetOf(table.table()),
        cut.of(table),
        Optional.empty());
  }

  private TableDefinitions definitions(LoadPlan plan, int targetMajorVersion) {
    try (Connection connection = source.connect()) {
      return new DefinitionReader(connection)
          .read(plan.names(), mappings::targetOf, targetMajorVersion);
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  /** Whether each table is on the target with the source's columns, no more and no fewer. */
  private boolean fits(LoadPlan plan, TargetConnection connection) {
    TargetTables targetTables = new TargetTables(connection);
    for (RecordedTable table : plan.recorded()) {
      TableId name = mappings.targetOf(table.table());
      Optional<List<TableColumn>> columns = targetTables.find(name);
      if (columns.isEmpty() || !Set.copyOf(columns.get()).equals(Set.copyOf(table.columns()))) {
        LOG.info("table {} does not fit {} of the source", name, table.table());
        return false;
      }
      Set<String> leaves =
          table.partitioned()
              ? table.leaves().stream().map(leaf -> leaf.leaf().name()).collect(Collectors.toSet())
              : Set.of();
      if (!targetTables.leaves(name).containsAll(leaves)) {
        LOG.info("table {} has not all the partitions that the source has", name);
        return false;
      }
    }
    return true;
  }

  private void requireColumns(LoadPlan plan, TargetConnection connection) {
    Map<TableId, List<TableColumn>> columns = columns(plan, connection);
    List<Problem> problems = new ArrayList<>();
    for (RecordedTable table : plan.recorded()) {
      TableId name = mappings.targetOf(table.table());
      Set<String> writable =
          columns.get(name).stream()
              .filter(column -> !column.generated())
              .map(TableColumn::name)
              .collect(Collectors.toSet());
      for (TableColumn column : table.columns()) {
        if (!column.generated() && !writable.contains(column.name())) {
          problems.add(notWritable(name, column));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private Map<TableId, CopyLayout> layouts(LoadPlan plan) {
    try (TargetConnection connection = target.connect()) {
      Map<TableId, List<TableColumn>> columns = columns(plan, connection);
      Map<TableId, CopyLayout> layouts = new LinkedHashMap<>();
      for (RecordedTable table : plan.recorded()) {
        layouts.put(
            table.table(),
            CopyLayout.between(
                table.columns(),
                columns.get(mappings.targetOf(table.table())),
                !table.key().isEmpty()));
      }
      return layouts;
    }
  }

  private Map<TableId, List<TableColumn>> columns(LoadPlan plan, TargetConnection connection) {
    return new TargetTables(connection)
        .columns(plan.names().stream().map(mappings::targetOf).toList());
  }

  /** Returns false where it was broken off by a stop. */
  private boolean complete(LoadPlan plan) {
    Instant started = Instant.now();
    try (TargetConnection connection = target.connect()) {
      TargetTableCompletion completion = new TargetTableCompletion(connection);
      completion.makeKeys(keysToMake);
      for (TableId table : plan.names()) {
        if (stopping) {
          return false;
        }
        completion.analyze(mappings.targetOf(table));
      }
    }
    LOG.info(
        "full load: {} created and {} analyzed in {}",
        Counted.of(keysToMake.size(), "key"),
        Counted.of(plan.tables().size(), "table"),
        Duration.between(started, Instant.now()));
    return true;
  }

  private static Problem notWritable(TableId table, TableColumn column) {
    return new Problem(
        "target table " + table,
        "has no column " + TableId.quote(column.name()) + " that can be written",
        "a column of type " + column.type() + ", as on the source",
        "Add it: ALTER TABLE %s ADD COLUMN %s %s;"
            .formatted(table.quoted(), TableId.quote(column.name()), column.type()));
  }
}
