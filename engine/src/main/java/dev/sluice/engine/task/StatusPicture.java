package dev.sluice.engine.task;

import dev.sluice.config.Problem;
import dev.sluice.config.RunningSettings;
import dev.sluice.config.TableId;
import dev.sluice.config.TaskSettings;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.SlotState;
import dev.sluice.engine.guard.GuardState;
import dev.sluice.engine.load.CompletionProgress;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.engine.load.LoadState;
import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.engine.task.TaskMonitor.Measured;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.checkpoint.SuspendedTable;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.progress.TableProgress;
import java.time.Duration;
import java.time.Instant;
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

/** Puts one status page together from what all parts tell. Used for one page, by one thread. */
final class StatusPicture {
  private final TaskParts parts;
  private final TaskLife.State life;
  private final TaskBoard board;
  private final Measured measured;
  private final Totals totals;
  private final Optional<Replication> replication;
  private final Optional<SinkProgress> sink;
  private final Optional<CaptureProgress> captured;
  private final Map<TableId, SuspendedTable> suspended = new LinkedHashMap<>();

  StatusPicture(TaskParts parts, TaskLife.State life, TaskBoard board, Measured measured) {
    this.parts = parts;
    this.life = life;
    this.board = board;
    this.measured = measured;
    this.totals = board.totals();
    this.replication = board.replication();
    this.sink = replication.map(Replication::sink);
    this.captured = board.captured();
    replication.stream()
        .flatMap(running -> running.returns().suspended().stream())
        .forEach(table -> suspended.put(table.table(), table));
  }

  TaskStatus draw(Instant started) {
    return new TaskStatus(
        parts.task(),
        life.phase().text(),
        life.since(),
        life.reason(),
        problem(),
        board.definitions(),
        board.epoch(),
        ProcessHandle.current().pid(),
        started,
        source(),
        target(),
        new TaskStatus.Latency(
            seconds(measured.sourceLag()),
            Math.max(seconds(measured.targetLag()), seconds(measured.sourceLag()))),
        new TaskStatus.Throughput(
            rounded(measured.capturedPerSecond()),
            rounded(measured.appliedPerSecond()),
            rounded(measured.loadedPerSecond()),
            board.isLoadThrottled()),
        backlog(),
        memory(),
        swap(),
        journal(),
        measured.guards().states().map(StatusPicture::guard).toList(),
        windows(),
        lanes(),
        board.cutover().map(Cutover::status).orElse(null),
        board.completionProgress().stream().map(StatusPicture::completion).toList(),
        suspended(),
        measured.load().tables().isEmpty() ? null : load(measured.load().all()),
        tables(),
        settings());
  }

  private String problem() {
    if (board.problem() != null) {
      return board.problem();
    }
    return sink.filter(progress -> progress.state() != SinkState.RUNNING)
        .map(progress -> progress.state() + ": " + progress.detail())
        .or(() -> measured.guards().problem())
        .orElse(null);
  }

  private TaskStatus.Source source() {
    return new TaskStatus.Source(
        captured.map(CaptureProgress::acknowledged).map(Position::toString).orElse(null),
        measured.sourceEnd().toString(),
        parts.config().source().slotName(),
        measured.slot().map(SlotState::confirmed).map(Position::toString).orElse(null),
        measured.slot().map(SlotState::retainedBytes).orElse(0L),
        totals.captured(),
        totals.transactions());
  }

  private TaskStatus.Target target() {
    return new TaskStatus.Target(
        sink.map(progress -> progress.apply().applied().position().toString()).orElse(null),
        sink.map(progress -> progress.apply().durable().position().toString()).orElse(null),
        totals.applied(),
        totals.netChanges());
  }

  /** What is not read yet is estimated from the changes that a record has had on average. */
  private TaskStatus.Backlog backlog() {
    if (replication.isEmpty()) {
      return new TaskStatus.Backlog(captured.map(CaptureProgress::changes).orElse(0L), 0);
    }
    long changes =
        replication.get().lanes().stream().mapToLong(StatusPicture::backlogChanges).sum();
    return new TaskStatus.Backlog(changes, replication.get().unread().orElse(0));
  }

  private static long backlogChanges(LaneRun lane) {
    SinkProgress progress = lane.progress();
    long inMemory = progress.intake().backlogChanges();
    long read = lane.reading().records();
    double changesPerRecord =
        read == 0 ? 1 : (double) (inMemory + progress.apply().changes()) / read;
    return inMemory + Math.round(lane.reading().lag().orElse(0) * changesPerRecord);
  }

  /** None where one lane has all tables. */
  private List<TaskStatus.Lane> lanes() {
    List<LaneRun> lanes = replication.map(Replication::lanes).orElse(List.of());
    return lanes.size() < 2 ? List.of() : lanes.stream().map(this::lane).toList();
  }

  private TaskStatus.Lane lane(LaneRun lane) {
    return new TaskStatus.Lane(
        lane.lane().id().text(),
        lane.tables().stream().map(TableId::toString).toList(),
        lane.progress().apply().applied().position().toString(),
        lane.progress().apply().durable().position().toString(),
        seconds(measured.laneLags().getOrDefault(lane.lane().id(), Duration.ZERO)),
        lane.progress().apply().changes(),
        backlogChanges(lane));
  }

  private TaskStatus.Memory memory() {
    SinkSettings settings = parts.sinkSettings();
    Runtime runtime = Runtime.getRuntime();
    return new TaskStatus.Memory(
        sink.map(progress -> progress.intake().memory().bytes()).orElse(0L),
        settings.effectiveMemoryLimitTotal().bytes()
            + 2 * settings.effectiveBatchApplyMemoryLimit().bytes(),
        runtime.totalMemory() - runtime.freeMemory(),
        runtime.maxMemory());
  }

  private TaskStatus.Swap swap() {
    IntakeProgress intake = sink.map(SinkProgress::intake).orElse(IntakeProgress.NOTHING);
    return new TaskStatus.Swap(
        intake.swap().bytes(),
        parts.sinkSettings().swapLimit().bytes(),
        intake.swapFiles(),
        intake.transactionsSpilled().total(),
        intake.transactionsSpilled().byLimit(),
        intake.transactionsSpilled().byAge());
  }

  private TaskStatus.Journal journal() {
    boolean embedded = parts.config().kafka().isEmpty();
    return new TaskStatus.Journal(
        parts.topics().journal(),
        embedded,
        measured.journal().startOffset(),
        measured.journal().endOffset(),
        measured.journal().bytes(),
        parts.journalLimit().bytes());
  }

  private static TaskStatus.Guard guard(GuardState state) {
    OptionalLong room = state.reading().room();
    return new TaskStatus.Guard(
        state.name(),
        state.level().text(),
        state.reading().used(),
        room.isPresent() ? room.getAsLong() : null,
        state.reading().limitedBy(),
        Math.round(state.bytesPerSecond() * 3600),
        state.left().map(GuardState::hours).map(StatusPicture::rounded).orElse(null),
        state.words());
  }

  private TaskStatus.Windows windows() {
    Optional<LastWindow> last = sink.flatMap(progress -> progress.apply().lastWindow());
    return new TaskStatus.Windows(
        totals.windows(),
        last.map(
                window ->
                    new TaskStatus.LastWindow(
                        window.reason().name(),
                        window.changes(),
                        window.netChanges(),
                        window.took().toMillis()))
            .orElse(null));
  }

  private static TaskStatus.CompletionStep completion(CompletionProgress step) {
    return new TaskStatus.CompletionStep(
        step.kind(),
        step.name(),
        step.table().schema(),
        step.table().name(),
        step.state(),
        step.started().orElse(null),
        seconds(step.took(Instant.now())),
        step.detail());
  }

  private List<TaskStatus.Suspended> suspended() {
    return suspended.values().stream().map(this::suspended).toList();
  }

  private TaskStatus.Suspended suspended(SuspendedTable table) {
    AppliedPoint main = sink.orElseThrow().apply().applied();
    Optional<AppliedPoint> lane =
        replication
            .flatMap(running -> running.returns().catchingUp())
            .filter(catchingUp -> catchingUp.table().equals(table.table()))
            .map(catchingUp -> catchingUp.applied().applied());
    Position position = lane.map(AppliedPoint::position).orElse(table.applied().position());
    long offset = lane.map(AppliedPoint::nextOffset).orElse(table.applied().nextOffset());
    Double behind =
        lane.flatMap(AppliedPoint::lastCommit)
            .flatMap(
                reached ->
                    main.lastCommit()
                        .map(last -> Math.max(0, seconds(Duration.between(reached, last)))))
            .orElse(null);
    return new TaskStatus.Suspended(
        table.table().schema(),
        table.table().name(),
        table.state().text(),
        table.since(),
        table.reason(),
        table.firstMissing().toString(),
        position.toString(),
        offset,
        table.rowsWhole(),
        reload(table.table()).map(LoadProgress::rows).orElse(0L),
        Math.max(0, main.nextOffset() - offset),
        behind);
  }

  /** The copy of the table that is under way. */
  private Optional<LoadProgress> reload(TableId table) {
    return replication
        .flatMap(running -> running.returns().reloading())
        .filter(reload -> reload.table().equals(table))
        .flatMap(TableReload::progress);
  }

  private List<TaskStatus.Table> tables() {
    Map<TableId, LoadProgress> loads =
        board.loadProgress().stream()
            .collect(Collectors.toMap(LoadProgress::table, Function.identity()));
    Set<TableId> tables = new LinkedHashSet<>(board.tables());
    // Those that were made since.
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

  private TaskStatus.Table table(
      TableId table, Optional<LoadProgress> load, TableProgress changes) {
    return new TaskStatus.Table(
        table.schema(),
        table.name(),
        Optional.ofNullable(suspended.get(table))
            .map(StatusPicture::words)
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
        load.map(LoadProgress::valuesCut).orElse(0L) + parts.cutCounts().of(table),
        load.map(LoadProgress::rows).orElse(0L),
        load.map(LoadProgress::bytes).orElse(0L),
        load.isPresent() && board.isReloaded() || reload(table).isPresent(),
        Optional.ofNullable(measured.load().tables().get(table))
            .map(StatusPicture::load)
            .orElse(null),
        load.flatMap(LoadProgress::started).orElse(null),
        load.flatMap(LoadProgress::ended).orElse(null),
        measured.updated().get(table));
  }

  private static TaskStatus.Load load(ProgressItem item) {
    OptionalLong expected = item.expectedRows();
    return new TaskStatus.Load(
        item.name(),
        item.state(),
        rounded(item.fraction() * 100),
        item.rows(),
        expected.isPresent() ? expected.getAsLong() : null,
        item.bytes(),
        rounded(item.rowsPerSecond()),
        rounded(item.bytesPerSecond()),
        item.left().map(StatusPicture::seconds).orElse(null));
  }

  /** DMS's words, as far as it has one. */
  private static String words(SuspendedTable table) {
    return switch (table.state()) {
      case SUSPENDED -> LoadState.ERROR.words();
      case RELOADING -> "Table is being reloaded";
      case CATCHING_UP -> "Catching up";
    };
  }

  /** DMS's words; a table that was loaded by an earlier daemon is completed as well. */
  private String state(Optional<LoadProgress> load) {
    if (load.isPresent()) {
      return load.get().state().words();
    }
    return life.phase().applies() || life.phase() == Phase.CUT_OVER
        ? LoadState.COMPLETED.words()
        : LoadState.BEFORE_LOAD.words();
  }

  private TaskStatus.Settings settings() {
    LiveSettings.Picture picture = parts.live().picture();
    Set<String> live = Set.copyOf(RunningSettings.live());
    Map<String, TaskStatus.Setting> inEffect = new LinkedHashMap<>();
    for (TaskSettings.EffectiveSetting setting : picture.running().inEffect().inEffect()) {
      if (setting.effect().equals("in effect")) {
        inEffect.put(
            setting.path(),
            new TaskStatus.Setting(
                setting.value(),
                picture.running().originOf(setting.path()).toString(),
                live.contains(setting.path()),
                picture.sink().loweredByHeap(setting.path()).orElse(null)));
      }
    }
    return new TaskStatus.Settings(
        inEffect,
        picture.running().batchApply().shown(),
        picture.changes().stream().map(StatusPicture::change).toList(),
        picture.problems().stream().map(Problem::toString).toList(),
        picture.running().waitingForRestart());
  }

  private static TaskStatus.SettingChange change(LiveSettings.Change change) {
    return new TaskStatus.SettingChange(
        change.at(),
        change.origin().toString(),
        change.change().path(),
        change.change().before(),
        change.change().after());
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
