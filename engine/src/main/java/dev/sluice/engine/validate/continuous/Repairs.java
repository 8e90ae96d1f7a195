package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.repair.ConflictGroups;
import dev.sluice.engine.validate.repair.RepairOutcome;
import dev.sluice.engine.validate.repair.RepairedRows;
import dev.sluice.engine.validate.repair.TableRepair;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.apply.RowCorrections;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.control.validation.ValidationStore.RepairNote;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repairs the listed rows of tables. Owned by the thread of the validation. */
final class Repairs {
  private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

  /** How long the lane of a table may be held while a round of its rows is written. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(10);

  private final TaskContext context;
  private final Checkpoint claimed;
  private final JournalKeys journal;
  private final ValidationStore store;
  private final SessionLimits limits;
  private final HeldWindows held;
  private final RepairGate gate;

  /** Rows of all tables. */
  private long repairedRows;

  /**
   * When a repair writes.
   *
   * @param held windows that wait for it
   * @param gate closed while the source may decide a cutover
   */
  record WriteTimes(HeldWindows held, RepairGate gate) {}

  Repairs(
      TaskContext context,
      Checkpoint claimed,
      JournalKeys journal,
      ValidationStore store,
      SessionLimits limits,
      WriteTimes times) {
    this.context = context;
    this.claimed = claimed;
    this.journal = journal;
    this.store = store;
    this.limits = limits;
    this.held = times.held();
    this.gate = times.gate();
  }

  /**
   * Repairs what is due of a table.
   *
   * @param lane that applies the table's changes
   * @return what was done, in words
   */
  String repair(ValidatedTables tables, DueRepair due, LaneId lane) throws InterruptedException {
    TableState before = tables.get(due.table());
    RepairAttempts attempts = new RepairAttempts(() -> tables.get(due.table()), due);
    List<RowFailure> open = attempts.open();
    List<TargetIndex> indexes = open.isEmpty() ? List.of() : indexes(before.target());
    TableRepair repair = repair(lane, indexes);
    repair.expectMissing(missing(before, open));
    RepairRounds rounds = rounds(due.table(), indexes);
    for (int i = 0; i < RepairAttempts.MOST && !attempts.open().isEmpty(); i++) {
      for (List<RowFailure> round : rounds.of(attempts.open())) {
        attempt(tables, due, round, repair, attempts);
      }
    }
    boolean may = held.isDue();
    for (int i = 0; may && i < RepairAttempts.MOST && !attempts.hot().isEmpty(); i++) {
      if (held.begin(lane)) {
        attempts.held();
        try {
          attempt(tables, due, attempts.hot(), repair, attempts);
        } finally {
          held.end();
        }
      }
    }
    repairedRows += attempts.repaired();
    String words = attempts.words();
    LOG.info("repair of {}", words);
    return words;
  }

  /** The number of rows that were repaired so far. */
  long repaired() {
    return repairedRows;
  }

  private static List<RowKey> missing(TableState table, List<RowFailure> open) {
    return table.key().isEmpty()
        ? List.of()
        : open.stream()
            .filter(failure -> failure.kind() == FailureKind.MISSING_TARGET)
            .map(failure -> RowText.key(table.key(), failure.key()))
            .toList();
  }

  private RepairRounds rounds(TableId table, List<TargetIndex> indexes) {
    ColumnNames names = columns();
    return new RepairRounds(new ConflictGroups(indexes, name -> names.orSame(table, name)));
  }

  private List<TargetIndex> indexes(TableId target) {
    try (TargetConnection connection = context.target().borrow()) {
      return new TargetCatalog()
          .table(connection, target)
          .map(TargetTable::indexes)
          .orElse(List.of());
    } catch (SQLException e) {
      throw context.target().errors().classify("read the indexes of " + target, e);
    }
  }

  private TableRepair repair(LaneId lane, List<TargetIndex> indexes) {
    return new TableRepair(session(), positionOf(lane), journal, corrections(), columns(), indexes);
  }

  /** Tries to repair rows once. */
  private void attempt(
      ValidatedTables tables,
      DueRepair due,
      List<RowFailure> rows,
      TableRepair repair,
      RepairAttempts attempts)
      throws InterruptedException {
    gate.requireOpen();
    TableState table = tables.get(due.table());
    ComparisonPlan plan =
        table.key().isEmpty()
            ? ComparisonPlan.whole(table.table(), table.key())
            : ComparisonPlan.touched(
                table.table(),
                table.key(),
                rows.stream().map(row -> RowText.key(table.key(), row.key())).toList());
    RowsToRepair listed = new RowsToRepair(table.target(), table.table(), table.key(), rows);
    RepairOutcome outcome =
        repair.run(
            plan.withWholeValues(),
            (columns, found) -> listed.of(columns, found, due.deleteExtra()),
            undecided(new RepairNotes(store, table.table(), listed, UUID.randomUUID().toString())));
    List<RowFailure> repaired =
        outcome.repaired().stream()
            .flatMap(done -> listed.notes(done).stream())
            .map(RepairNote::row)
            .toList();
    tables.repaired(table.table(), repaired);
    List<RowFailure> refused = listed.refused(outcome.refused());
    if (!refused.isEmpty()) {
      // With the target's messages.
      store.list(claimed, table.table(), refused);
      tables.listed(table.table(), refused);
    }
    attempts.tried(table.key(), rows, outcome, keys(repaired), keys(refused));
  }

  private static Set<String> keys(List<RowFailure> rows) {
    return rows.stream().map(RowFailure::key).collect(Collectors.toSet());
  }

  /** Notes rows unless a cutover is decided. */
  private TableRepair.Audit undecided(RepairNotes notes) {
    return new TableRepair.Audit() {
      @Override
      public void check(TargetConnection connection, RepairedRows rows) throws SQLException {
        notes.check(connection, rows);
      }

      @Override
      public void write(TargetConnection connection, RepairedRows rows) throws SQLException {
        gate.requireUndecided(connection);
        notes.write(connection, rows);
      }
    };
  }

  private ComparisonSession session() {
    TableMappings mappings = context.config().tableMappings();
    return new ComparisonSession(
        context.source().comparison(),
        context.target().comparison(),
        mappings,
        journal,
        snapshot -> {
          held.from(snapshot);
          context.source().log().endWindows();
        },
        limits);
  }

  private CheckpointQuery positionOf(LaneId lane) {
    return new LaneCheckpoints(context.target(), context.controlSchema())
        .positionOf(context.task(), lane);
  }

  private RowCorrections corrections() {
    return new RowCorrections(
        context.target(),
        claimed,
        context.config().tableMappings()::targetOf,
        context.applySettings(),
        context.sinkSettings().windowTuning(),
        LONGEST_HOLD);
  }

  private ColumnNames columns() {
    return context.config().tableMappings().columns();
  }
}
