package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.FullLoadSettings;
import dev.sluice.config.Problem;
import dev.sluice.config.RowFilter;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.postgres.SourceServer;
import dev.sluice.connector.postgres.load.DefinitionReader;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.RowEstimates;
import dev.sluice.connector.postgres.load.SourceErrors;
import dev.sluice.connector.postgres.load.TableRecorder;
import dev.sluice.sink.load.StepMaker;
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
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
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

  private static final Duration LOOK = Duration.ofMillis(50);

  private final SourceServer source;
  private final TargetServer target;
  private final List<TableId> tables;
  private final TableMappings mappings;
  private final FullLoadSettings settings;
  private final CompletionSettings completionSettings;

  private LoadAttempt attempt;
  private volatile TableCompletion completion;
  private volatile LoadRun run = LoadRun.ofNothing();
  private volatile Map<TableId, LoadExpectation> expectations = Map.of();
  private volatile boolean stopping;

  /**
   * @param tables names on the source, roots where tables are partitioned
   */
  public FullLoad(
      SourceServer source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      FullLoadSettings settings,
      CompletionSettings completionSettings) {
    this.source = source;
    this.target = target;
    this.tables = List.copyOf(tables);
    this.mappings = mappings;
    this.settings = settings;
    this.completionSettings = completionSettings;
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
      expectations = expectations(connection, recorded);
      return new LoadPlan(recorded);
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  /**
   * Brings the target's tables into the state that TargetTablePrepMode asks for, and plans what
   * they need after their rows.
   *
   * @throws SluiceException.Fatal naming every table that is missing or has rows, and every column
   *     that is missing
   */
  public void prepare(LoadPlan plan, LoadAttempt attempt) {
    this.attempt = attempt;
    List<TableId> targets = plan.names().stream().map(mappings::targetOf).toList();
    List<CompletionStep> analyses = targets.stream().map(StepMaker::analysis).toList();
    try (TargetConnection connection = target.connect()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection);
      if (attempt == LoadAttempt.RELOAD && fits(plan, connection)) {
        completionSettings.journal().plan(targets, EnumSet.of(Kind.ANALYZE), analyses);
        preparation.empty(targets);
        return;
      }
      switch (settings.targetTablePrepMode()) {
        case DROP_AND_CREATE -> {
          TableDefinitions definitions = definitions(plan, connection.majorVersion());
          boolean keysFirst = !settings.createPkAfterFullLoad();
          preparation.create(
              targets, definitions, keysFirst, completionSettings.journal(), analyses);
        }
        case TRUNCATE_BEFORE_LOAD -> {
          requireColumns(plan, connection);
          completionSettings.journal().plan(targets, EnumSet.allOf(Kind.class), analyses);
          preparation.empty(targets);
        }
        case DO_NOTHING -> {
          requireColumns(plan, connection);
          completionSettings.journal().plan(targets, EnumSet.allOf(Kind.class), analyses);
          switch (attempt) {
            case FIRST -> preparation.requireEmpty(targets);
            case AGAIN, RELOAD -> preparation.empty(targets);
          }
        }
      }
    }
  }

  /**
   * Loads all tables. What a table needs after its rows is begun as soon as it has them; a reload
   * waits for that, any other load leaves it to {@link #completion}.
   *
   * @param snapshot the name of the snapshot that the slot exported; it must stay open until this
   *     returns
   * @throws SluiceException where a table cannot be read or written; the load of all is broken off
   */
  public LoadOutcome load(LoadPlan plan, String snapshot) {
    Instant started = Instant.now();
    Set<TableId> targets =
        plan.names().stream().map(mappings::targetOf).collect(Collectors.toSet());
    TableCompletion begun =
        TableCompletion.open(
            target, completionSettings, CompletionStep.Stage.TABLE, targets::contains);
    completion = begun;
    boolean whole = false;
    try {
      run =
          new LoadRun(
              plan,
              layouts(plan),
              mappings::targetOf,
              table -> begun.rowsWhole(mappings.targetOf(table)));
      if (stopping) {
        return new LoadOutcome.Stopped();
      }
      int workers = Math.max(1, Math.min(settings.maxFullLoadSubTasks(), plan.segments().size()));
      LOG.info(
          "full load: {} in {}, about {} bytes, {}, snapshot {}",
          Counted.of(plan.tables().size(), "table"),
          Counted.of(plan.segments().size(), "segment"),
          plan.bytes(),
          Counted.of(workers, "worker"),
          snapshot);
      LoadOutcome outcome =
          run.load(source, target, snapshot, workers, settings.commitRate(), started);
      LOG.info("full load: {}", outcome);
      whole = outcome instanceof LoadOutcome.Loaded;
      if (whole) {
        targets.forEach(begun::rowsWhole);
        if (attempt == LoadAttempt.RELOAD) {
          whole = false;
          return complete(plan, begun) ? outcome : new LoadOutcome.Stopped();
        }
      }
      return outcome;
    } finally {
      if (!whole) {
        begun.close();
      }
    }
  }

  /** What makes the rest of the loaded tables; open after a load that came to its end. */
  public TableCompletion completion() {
    return completion;
  }

  /** How far each table is, in load order; empty before {@link #load}. From any thread. */
  public List<LoadProgress> progress() {
    return run.progress();
  }

  /** What the catalog said of each table at {@link #plan}. From any thread. */
  public Map<TableId, LoadExpectation> expectations() {
    return expectations;
  }

  /** Makes {@link #load} return soon, with what is on the target as it is. From any thread. */
  public void stop() {
    stopping = true;
    run.stop();
  }

  private Map<TableId, LoadExpectation> expectations(
      Connection connection, List<RecordedTable> recorded) {
    Map<TableId, Long> rows =
        new RowEstimates(connection)
            .of(recorded, table -> mappings.filter(table).map(RowFilter::condition));
    Map<TableId, LoadExpectation> found = new HashMap<>();
    for (RecordedTable table : recorded) {
      Long estimate = rows.get(table.table());
      found.put(
          table.table(),
          new LoadExpectation(
              estimate == null ? OptionalLong.empty() : OptionalLong.of(estimate), table.bytes()));
    }
    return Map.copyOf(found);
  }

  private TableDefinitions definitions(LoadPlan plan, int targetMajorVersion) {
    try (Connection connection = source.connect()) {
      TableDefinitions definitions =
          new DefinitionReader(connection, mappings::targetOf, targetMajorVersion)
              .tables(plan.names());
      return mappings.mapsColumns()
          ? AdaptedTables.of(definitions, plan.tables(), mappings)
          : definitions;
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  /** Whether each table is on the target with the columns it is to have, no more and no fewer. */
  private boolean fits(LoadPlan plan, TargetConnection connection) {
    TargetTables targetTables = new TargetTables(connection);
    for (RecordedTable table : plan.tables()) {
      TargetShape shape = TargetShape.of(table, mappings);
      TableId name = shape.table();
      Optional<List<TableColumn>> columns = targetTables.find(name);
      if (columns.isEmpty() || !Set.copyOf(columns.get()).equals(Set.copyOf(shape.columns()))) {
        LOG.info("table {} does not fit {} of the source", name, table.table());
        return false;
      }
      Set<String> leaves =
          table.partitioned()
              ? table.segments().stream()
                  .map(segment -> mappings.targetOf(segment.leaf()).name())
                  .collect(Collectors.toSet())
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
    for (RecordedTable table : plan.tables()) {
      TargetShape shape = TargetShape.of(table, mappings);
      TableId name = shape.table();
      Set<String> writable =
          columns.get(name).stream()
              .filter(column -> !column.generated())
              .map(TableColumn::name)
              .collect(Collectors.toSet());
      for (TableColumn column : shape.columns()) {
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
      for (RecordedTable table : plan.tables()) {
        mappings
            .filter(table.table())
            .ifPresent(rows -> LOG.info("table {}: the rows of {}", table.table(), rows));
        layouts.put(
            table.table(),
            CopyLayout.between(
                table.columns(),
                columns.get(mappings.targetOf(table.table())),
                column -> mappings.columns().of(table.table(), column),
                mappings.filter(table.table()).map(RowFilter::condition),
                !table.key().isEmpty()));
      }
      return layouts;
    }
  }

  private Map<TableId, List<TableColumn>> columns(LoadPlan plan, TargetConnection connection) {
    return new TargetTables(connection)
        .columns(plan.names().stream().map(mappings::targetOf).toList());
  }

  /**
   * Waits for the steps of the tables of this load.
   *
   * @return false where it was broken off by a stop
   */
  private boolean complete(LoadPlan plan, TableCompletion begun) {
    try {
      while (!stopping) {
        if (begun.await(LOOK)) {
          LOG.info("{} completed: {}", plan.names(), begun.summary());
          return true;
        }
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
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
