package dev.sluice.engine.monitor;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StatusNumbers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskCounters;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.engine.load.LoadState;
import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.resync.TableReload;
import dev.sluice.engine.status.LoadStatus;
import dev.sluice.engine.status.SuspendedStatus;
import dev.sluice.engine.status.TableStatus;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.TableProgress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Builds the part of one status page about tables: all, and the suspended ones. Used for one page,
 * by one thread.
 */
final class TableStatusReport {
  private final TaskContext context;
  private final PhaseTracker.State life;
  private final TaskRuntime runtime;
  private final MonitorSnapshot measured;
  private final TaskCounters totals;
  private final Optional<Replication> replication;
  private final Map<TableId, SuspendedTable> suspended = new LinkedHashMap<>();

  /**
   * @param totals the counters of the whole page
   */
  TableStatusReport(
      TaskContext context,
      PhaseTracker.State life,
      CurrentReplication current,
      MonitorSnapshot measured,
      TaskCounters totals) {
    this.context = context;
    this.life = life;
    this.runtime = current.runtime();
    this.measured = measured;
    this.totals = totals;
    this.replication = current.get();
    replication.stream()
        .flatMap(running -> running.resyncs().state().suspended().stream())
        .forEach(table -> suspended.put(table.table(), table));
  }

  List<SuspendedStatus> suspended() {
    return suspended.values().stream().map(this::suspended).toList();
  }

  private SuspendedStatus suspended(SuspendedTable table) {
    AppliedPoint main = replication.orElseThrow().sink().apply().applied();
    Optional<AppliedPoint> lane =
        replication
            .flatMap(running -> running.resyncs().state().catchingUp())
            .filter(catchingUp -> catchingUp.table().equals(table.table()))
            .map(catchingUp -> catchingUp.applied().applied());
    Position position = lane.map(AppliedPoint::position).orElse(table.applied().position());
    long offset = lane.map(AppliedPoint::nextOffset).orElse(table.applied().nextOffset());
    Double behind =
        lane.flatMap(AppliedPoint::lastCommit)
            .flatMap(
                reached ->
                    main.lastCommit()
                        .map(
                            last ->
                                Math.max(
                                    0, StatusNumbers.seconds(Duration.between(reached, last)))))
            .orElse(null);
    return new SuspendedStatus(
        table.table().schema(),
        table.table().name(),
        table.state().text(),
        table.since(),
        table.reason(),
        table.firstMissing().toString(),
        position.toString(),
        offset,
        table.rowsWhole(),
        reload(table.table()).map(LoadProgress::rows).orElse(null),
        Math.max(0, main.nextOffset() - offset),
        behind);
  }

  /** The progress of the table's running reload. */
  private Optional<LoadProgress> reload(TableId table) {
    return replication
        .flatMap(running -> running.resyncs().state().reloading())
        .filter(reload -> reload.table().equals(table))
        .flatMap(TableReload::progress);
  }

  List<TableStatus> tables() {
    Map<TableId, LoadProgress> loads =
        runtime.loadProgress().stream()
            .collect(Collectors.toMap(LoadProgress::table, Function.identity()));
    Set<TableId> tables = new LinkedHashSet<>(runtime.tables());
    // Views, and tables created since the start.
    tables.addAll(new TreeSet<>(loads.keySet()));
    tables.addAll(new TreeSet<>(totals.tables().keySet()));
    return tables.stream()
        .map(
            table ->
                table(
                    table,
                    reload(table).or(() -> Optional.ofNullable(loads.get(table))),
                    totals.tables().getOrDefault(table, TableProgress.NONE)))
        .toList();
  }

  private TableStatus table(TableId table, Optional<LoadProgress> load, TableProgress changes) {
    return new TableStatus(
        table.schema(),
        table.name(),
        Optional.ofNullable(suspended.get(table))
            .map(TableStatusReport::words)
            .orElseGet(() -> state(load)),
        changes.captured().inserts(),
        changes.captured().updates(),
        changes.captured().deletes(),
        changes.captured().ddls(),
        changes.applied().inserts(),
        changes.applied().updates(),
        changes.applied().deletes(),
        changes.applied().ddls(),
        changes.errors().conflicts(),
        changes.errors().upserts(),
        changes.errors().suspended(),
        load.map(LoadProgress::valuesCut).orElse(0L) + context.cutCounts().of(table),
        load.map(LoadProgress::rows).orElse(0L),
        load.map(LoadProgress::bytes).orElse(0L),
        load.isPresent() && runtime.isReloaded() || reload(table).isPresent(),
        Optional.ofNullable(measured.load().tables().get(table))
            .map(TableStatusReport::load)
            .orElse(null),
        load.flatMap(LoadProgress::started).orElse(null),
        load.flatMap(LoadProgress::ended).orElse(null),
        measured.updated().get(table),
        changes.errors().lastRejection().orElse(null));
  }

  /** The state in DMS's words, where DMS has one. */
  private static String words(SuspendedTable table) {
    return switch (table.state()) {
      case SUSPENDED -> LoadState.ERROR.words();
      case RELOADING -> "Table is being reloaded";
      case CATCHING_UP -> "Catching up";
    };
  }

  /** The state in DMS's words; a table that an earlier daemon loaded is completed as well. */
  private String state(Optional<LoadProgress> load) {
    if (load.isPresent()) {
      return load.get().state().words();
    }
    return life.phase().applies() || life.phase() == Phase.CUT_OVER
        ? LoadState.COMPLETED.words()
        : LoadState.BEFORE_LOAD.words();
  }

  /** Converts the progress of a copy. */
  static LoadStatus load(ProgressItem item) {
    OptionalLong expected = item.expectedRows();
    return new LoadStatus(
        item.name(),
        item.state(),
        StatusNumbers.rounded(item.fraction() * 100),
        item.rows(),
        expected.isPresent() ? expected.getAsLong() : null,
        item.bytes(),
        StatusNumbers.rounded(item.rowsPerSecond()),
        StatusNumbers.rounded(item.bytesPerSecond()),
        item.left().map(StatusNumbers::seconds).orElse(null));
  }
}
