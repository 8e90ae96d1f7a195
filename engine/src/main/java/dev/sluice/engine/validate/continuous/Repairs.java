package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repairs the listed rows of tables. Owned by the thread of the validation. */
final class Repairs {
  private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

  /** How often rows that were changed meanwhile are tried again, and then while windows wait. */
  private static final int ATTEMPTS = 3;

  /** Rows that windows wait for: their sessions must be short. */
  private static final int MOST_HELD = 1_000;

  /** Rows that are left, of which the answer names the keys. */
  private static final int NAMED = 10;

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

  /** Repaired rows of the table at hand of which changes are listed as rejected. */
  private final Set<String> rejectedBefore = new HashSet<>();

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
   * Repairs what is listed of a table.
   *
   * @param lane that applies the table's changes
   * @param wanted the rows that are repaired now
   * @param deleteExtra whether rows that only the target has are deleted
   * @return what was done, in words
   */
  String repair(
      ValidatedTables tables,
      TableId name,
      LaneId lane,
      Predicate<RowFailure> wanted,
      boolean deleteExtra)
      throws InterruptedException {
    rejectedBefore.clear();
    Attempts attempts = new Attempts(tables, name, wanted, deleteExtra);
    List<RowFailure> open = attempts.open();
    List<TargetIndex> indexes = open.isEmpty() ? List.of() : indexes(tables.get(name).target());
    TableRepair repair = repair(lane, indexes);
    repair.expectMissing(missing(tables.get(name), open));
    RepairRounds rounds = rounds(name, indexes);
    for (int attempt = 0; attempt < ATTEMPTS && !open.isEmpty(); attempt++) {
      attempts.make(repair, rounds.of(open));
      open = attempts.open();
    }
    boolean may = held.isDue();
    for (int attempt = 0; may && attempt < ATTEMPTS && !attempts.hot().isEmpty(); attempt++) {
      if (held.begin(lane)) {
        attempts.held = true;
        try {
          attempts.make(repair, List.of(attempts.hot()));
        } finally {
          held.end();
        }
      }
    }
    open = attempts.open();
    repairedRows += attempts.repaired;
    int left = open(tables, name, wanted, true).size();
    String words =
        "%s: %s repaired%s%s"
            .formatted(
                name,
                Counted.of(attempts.repaired, "row"),
                stillListed(name),
                left == 0
                    ? ""
                    : ", %d left: %s"
                        .formatted(
                            left,
                            open.isEmpty() && attempts.refused.isEmpty()
                                ? "only the target has them; --delete-extra deletes them"
                                : attempts.words()));
    LOG.info("repair of {}", words);
    return words;
  }

  /** What the attempts to repair one table have done so far. Owned by the repair's thread. */
  private final class Attempts {
    private final ValidatedTables tables;
    private final TableId name;
    private final Predicate<RowFailure> wanted;
    private final boolean deleteExtra;
    private final Set<String> refused = new HashSet<>();

    /** How often each row was left because the source had changed it meanwhile. */
    private final Map<String, Integer> changed = new HashMap<>();

    /** Rows that others on the target were changing when they were tried last. */
    private final Set<String> inOthersHands = new HashSet<>();

    private Optional<String> why = Optional.empty();
    private long repaired;

    /** Whether windows were held for one of them. */
    private boolean held;

    Attempts(
        ValidatedTables tables, TableId name, Predicate<RowFailure> wanted, boolean deleteExtra) {
      this.tables = tables;
      this.name = name;
      this.wanted = wanted;
      this.deleteExtra = deleteExtra;
    }

    void make(TableRepair repair, List<List<RowFailure>> rounds) throws InterruptedException {
      for (List<RowFailure> each : rounds) {
        TableState table = tables.get(name);
        RepairOutcome outcome = round(tables, table, each, repair, deleteExtra);
        repaired += outcome.count();
        why = refused.isEmpty() ? outcome.why() : why;
        refused.addAll(Repairs.this.refused(tables, table, each, outcome));
        each.stream()
            .filter(row -> outcome.hot().contains(RowText.key(table.key(), row.key())))
            .forEach(row -> changed.merge(row.key(), 1, Integer::sum));
        for (RowFailure row : each) {
          if (outcome.inOthersHands().contains(RowText.key(table.key(), row.key()))) {
            inOthersHands.add(row.key());
          } else {
            inOthersHands.remove(row.key());
          }
        }
      }
    }

    /** The rows that another attempt may repair. */
    List<RowFailure> open() {
      return Repairs.open(
          tables, name, row -> wanted.test(row) && !refused.contains(row.key()), deleteExtra);
    }

    /** Those of them that had changed in each attempt. */
    List<RowFailure> hot() {
      return open().stream()
          .filter(row -> changed.getOrDefault(row.key(), 0) >= ATTEMPTS)
          .limit(MOST_HELD)
          .toList();
    }

    /** Why rows are left, and which of them others have. */
    String words() {
      List<String> open =
          open().stream()
              .map(RowFailure::key)
              .filter(inOthersHands::contains)
              .limit(NAMED)
              .toList();
      return open.isEmpty()
          ? why()
          : "%s; rows in open transactions of others: %s".formatted(why(), String.join(", ", open));
    }

    private String why() {
      List<String> hot = hot().stream().limit(NAMED).map(RowFailure::key).toList();
      return hot.isEmpty() || !held || !refused.isEmpty()
          ? why.orElse("they are different again")
          : "they keep changing, also while windows were held for a moment: "
              + String.join(", ", hot);
    }
  }

  /** A repair deletes no evidence: whoever did not see the rejection yet must find it. */
  private String stillListed(TableId name) {
    return rejectedBefore.isEmpty()
        ? ""
        : ("; sluice_apply_exceptions still lists rejected changes of %s of them: once the table is"
                + " proven equal, delete these entries, or let sluice resync of %s do it")
            .formatted(rejectedBefore.size(), name);
  }

  /** The number of rows that were repaired so far. */
  long repaired() {
    return repairedRows;
  }

  /** The listed rows that are to be repaired: those that were not already. */
  private static List<RowFailure> open(
      ValidatedTables tables, TableId name, Predicate<RowFailure> wanted, boolean deleteExtra) {
    return tables.get(name).failures().stream()
        .filter(failure -> failure.sessions() > 0)
        .filter(wanted)
        .filter(failure -> deleteExtra || failure.kind() != FailureKind.MISSING_SOURCE)
        // The complete table is searched for missing rows.
        .sorted(Comparator.comparing(failure -> failure.kind() == FailureKind.MISSING_TARGET))
        .toList();
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

  private RepairOutcome round(
      ValidatedTables tables,
      TableState table,
      List<RowFailure> failures,
      TableRepair repair,
      boolean deleteExtra)
      throws InterruptedException {
    gate.requireOpen();
    ComparisonPlan plan =
        table.key().isEmpty()
            ? ComparisonPlan.whole(table.table(), table.key())
            : ComparisonPlan.touched(
                table.table(),
                table.key(),
                failures.stream().map(failure -> RowText.key(table.key(), failure.key())).toList());
    RowsToRepair listed = new RowsToRepair(table.target(), table.table(), table.key(), failures);
    RepairOutcome outcome =
        repair.run(
            plan.withWholeValues(),
            (columns, found) -> listed.of(columns, found, deleteExtra),
            undecided(new RepairNotes(store, table.table(), listed, UUID.randomUUID().toString())));
    List<RowFailure> repaired =
        outcome.repaired().stream()
            .flatMap(rows -> listed.notes(rows).stream())
            .map(RepairNote::row)
            .toList();
    Set<String> keys = repaired.stream().map(RowFailure::key).collect(Collectors.toSet());
    failures.stream()
        .filter(row -> row.rejection().isPresent() && keys.contains(row.key()))
        .forEach(row -> rejectedBefore.add(row.key()));
    tables.repaired(table.table(), repaired);
    return outcome;
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

  /** Lists rows that the target refuses, with its messages; returns their keys. */
  private Set<String> refused(
      ValidatedTables tables, TableState table, List<RowFailure> tried, RepairOutcome outcome) {
    List<RowFailure> refused =
        new RowsToRepair(table.target(), table.table(), table.key(), tried)
            .refused(outcome.refused());
    if (!refused.isEmpty()) {
      store.list(claimed, table.table(), refused);
      tables.listed(table.table(), refused);
    }
    return refused.stream().map(RowFailure::key).collect(Collectors.toSet());
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
