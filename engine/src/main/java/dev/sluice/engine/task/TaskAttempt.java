package dev.sluice.engine.task;

import dev.sluice.config.Counted;
import dev.sluice.config.MigrationType;
import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.debezium.Journal;
import dev.sluice.connector.postgres.ExportedSnapshot;
import dev.sluice.connector.postgres.SlotState;
import dev.sluice.connector.postgres.SourceCatalog;
import dev.sluice.connector.postgres.StartRule;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.TaskStep;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a task after the other: each decides from the target's memory where the task is,
 * and runs that until it is asked to stop, has nothing left to do, or fails. Owned by the daemon's
 * main thread.
 */
final class TaskAttempt {
  private static final Logger LOG = LoggerFactory.getLogger(TaskAttempt.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final TaskParts parts;
  private final TaskLife life;
  private final TaskBoard board;
  private final StopRequest stop;
  private final CutoverDesk cutovers;
  private final Map<String, Object> kafka;
  private final Journal journal;
  private final JournalGuard guard;
  private final Clock clock;
  private final CaptureStart captureStart;
  private final LaneLayout layout;

  TaskAttempt(
      TaskParts parts,
      TaskLife life,
      TaskBoard board,
      StopRequest stop,
      CutoverDesk cutovers,
      Map<String, Object> kafka,
      Journal journal,
      JournalGuard guard,
      Clock clock) {
    this.parts = parts;
    this.life = life;
    this.board = board;
    this.stop = stop;
    this.cutovers = cutovers;
    this.kafka = kafka;
    this.journal = journal;
    this.guard = guard;
    this.clock = clock;
    this.captureStart = new CaptureStart(parts, board, cutovers, kafka, journal);
    this.layout = new LaneLayout(parts, kafka, stop, clock);
  }

  /** Goes on from where the target says; says whether there is more to do. */
  boolean run() throws InterruptedException {
    if (parts.config().migrationType().captures()) {
      journal.create();
    }
    parts.checkpoints().create();
    List<TaskStep> steps = parts.steps().all(parts.task());
    Optional<Checkpoint> checkpoint = parts.checkpoints().read(parts.task());
    StartPlan plan = StartPlan.of(parts.config().migrationType(), checkpoint, steps);
    LOG.info("task {} starts: {}, checkpoint {}", parts.task(), plan, checkpoint.orElse(null));
    switch (plan) {
      case LOAD:
        return load(steps);
      case FOLLOW:
        return follow();
      case GO_ON:
        return goOn(steps);
      case FINISH_CUTOVER:
        return finishCutover();
      case CUT_OVER:
        life.enter(Phase.CUT_OVER, "the cutover is done; stop ends the daemon");
        return awaitStop();
      case NOTHING_LEFT:
        LOG.info("all tables are loaded; to begin again: sluice stop --drop");
        return false;
      default:
        throw new IllegalStateException("BUG: no plan " + plan);
    }
  }

  private boolean load(List<TaskStep> steps) throws InterruptedException {
    boolean captures = parts.config().migrationType().captures();
    Checkpoint claimed = captureStart.claim();
    if (life.phase() == Phase.FULL_LOAD) {
      life.enter(Phase.PREPARING, "the load begins again");
    }
    if (captures) {
      captureStart.installDefinitions();
      captureStart.holdDefinitions();
    }
    SourceCatalog catalog = captureStart.catalog(List.of());
    if (captures) {
      captureStart.beginDefinitions(catalog);
      captureStart.publish(catalog);
    }
    LoadPhase phase = new LoadPhase(parts, board, stop, clock);
    LoadPlan plan = phase.plan(claimed, board.tables(), steps);
    LoadStart start = captures ? loadStart(claimed, plan) : LoadStart.ANEW;
    LOG.info("the full load {}", start);
    Loading loading =
        start instanceof LoadStart.GoOn on
            ? goOnLoading(phase, claimed, on, catalog)
            : beginLoading(phase, claimed, plan, catalog);
    if (loading.loaded().stopped()) {
      return false;
    }
    Checkpoint begin;
    try {
      begin = keepLoaded(loading);
    } catch (RuntimeException e) {
      loading.loaded().capture().ifPresent(Capture::close);
      throw e;
    }
    return afterLoad(begin, loading.loaded().capture(), catalog);
  }

  /**
   * A load that came to its end.
   *
   * @param begun the checkpoint with the place from which changes are to be applied
   */
  private record Loading(Checkpoint begun, LoadPhase.Loaded loaded) {}

  private LoadStart loadStart(Checkpoint claimed, LoadPlan plan) {
    return LoadStart.of(
        claimed,
        plan,
        parts.loadMarks().whole(),
        () ->
            StartRule.decide(
                captureStart.facts(layout.lowest(claimed), layout.highestOffset(claimed))));
  }

  /** Everything is loaded from the snapshot of a new slot, from which on the log is captured. */
  private Loading beginLoading(
      LoadPhase phase, Checkpoint claimed, LoadPlan plan, SourceCatalog catalog)
      throws InterruptedException {
    boolean captures = parts.config().migrationType().captures();
    parts.source().slot().drop();
    phase.prepare(plan);
    try (ExportedSnapshot snapshot =
        parts.source().slot().create(captureStart.consistencyTimeout())) {
      Checkpoint begun = claimed;
      Optional<Capture> capture = Optional.empty();
      if (captures) {
        begun =
            claimed.startingAt(
                snapshot.position(),
                journal.endOffset(),
                captureStart.topicId(),
                captureStart.sourceServer());
        captureStart.followDefinitions(catalog);
        // Kept before anything is captured: what goes on with the load applies changes from here.
        layout.clear(begun);
        parts.checkpoints().write(begun);
        capture = Optional.of(captureStart.startCapture(begun, snapshot.position(), catalog));
      }
      return new Loading(begun, load(phase, snapshot, capture, catalog));
    }
  }

  /**
   * What is missing is loaded from a snapshot of its own, and the log is captured from where it
   * was.
   */
  private Loading goOnLoading(
      LoadPhase phase, Checkpoint claimed, LoadStart.GoOn on, SourceCatalog catalog)
      throws InterruptedException {
    parts.source().slot().release();
    phase.prepare(on.plan());
    Capture capture = captureStart.startCapture(claimed, on.capturedFrom(), catalog);
    try (ExportedSnapshot snapshot =
        parts.source().reloadSlot().createTemporary(captureStart.consistencyTimeout())) {
      captureStart.followDefinitions(catalog);
      return new Loading(claimed, load(phase, snapshot, Optional.of(capture), catalog));
    } catch (RuntimeException | InterruptedException e) {
      capture.close();
      throw e;
    }
  }

  private LoadPhase.Loaded load(
      LoadPhase phase, ExportedSnapshot snapshot, Optional<Capture> capture, SourceCatalog catalog)
      throws InterruptedException {
    life.enter(Phase.FULL_LOAD, "snapshot " + snapshot.name() + " at " + snapshot.position());
    return phase.run(
        snapshot, capture, (next, from) -> captureStart.startCapture(next, from, catalog));
  }

  /** From here on a start goes on after the load instead of with it. */
  private Checkpoint keepLoaded(Loading loading) {
    // The capture may have failed and been started again under a later epoch.
    Checkpoint start =
        loading.begun().journalTopicId().isPresent()
            ? loading
                .loaded()
                .claimed()
                .startingAt(
                    loading.begun().position(),
                    loading.begun().nextOffset(),
                    loading.begun().journalTopicId().get(),
                    loading.begun().source().get())
            : loading.loaded().claimed();
    layout.clear(start);
    parts.checkpoints().write(start);
    captureStart.keepTables(start);
    parts.steps().record(start, Steps.LOAD, Steps.LOAD_DONE, start.position().toString());
    LOG.info("full load done: the target is at {}", start.position());
    return start;
  }

  /** What comes after a load, by migration type and the StopTaskCachedChanges settings. */
  private boolean afterLoad(Checkpoint start, Optional<Capture> capture, SourceCatalog catalog)
      throws InterruptedException {
    if (!parts.config().migrationType().captures()) {
      parts.source().slot().drop();
      return false;
    }
    if (parts.config().taskSettings().fullLoadSettings().stopTaskCachedChangesNotApplied()) {
      LOG.info("stops before any change is applied, as StopTaskCachedChangesNotApplied asks");
      capture.ifPresent(Capture::close);
      return false;
    }
    // A capture that failed just before the load's end is started anew with the next attempt.
    return capture.isEmpty() || replicate(start, capture.get(), catalog);
  }

  /** Migration type cdc, for the first time: from the slot that is there, or a new one. */
  private boolean follow() throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    captureStart.installDefinitions();
    captureStart.holdDefinitions();
    SourceCatalog catalog = captureStart.catalog(List.of());
    captureStart.beginDefinitions(catalog);
    captureStart.publish(catalog);
    Optional<SlotState> slot = parts.source().slot().state();
    Position from;
    if (slot.isPresent()) {
      parts.source().slot().release();
      from = slot.get().confirmed();
    } else {
      try (ExportedSnapshot snapshot =
          parts.source().slot().create(captureStart.consistencyTimeout())) {
        from = snapshot.position();
      }
    }
    captureStart.followDefinitions(catalog);
    Position start = parts.config().cdcStartPosition().map(Position::parse).orElse(from);
    if (from.isAfter(start)) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-start-position " + start,
              "the slot " + parts.source().slot().name() + " begins later, at " + from,
              "a position that the slot still gives",
              "Create a slot before that position, or begin at " + from));
    }
    Checkpoint begin =
        claimed.startingAt(
            start, journal.endOffset(), captureStart.topicId(), captureStart.sourceServer());
    captureStart.keepTables(begin);
    layout.clear(begin);
    parts.checkpoints().write(begin);
    return replicate(begin, captureStart.startCapture(begin, from, catalog), catalog);
  }

  private boolean goOn(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    if (StartPlan.brokeOffCutover(steps)) {
      cutovers.failBrokenOff();
    }
    captureStart.installDefinitions();
    SourceCatalog catalog = captureStart.catalog(steps);
    captureStart.nameNewTables(steps);
    captureStart.keepTaken(claimed, steps);
    parts.source().slot().release();
    captureStart.publish(catalog);
    captureStart.followDefinitions(catalog);
    StartRule.Facts facts =
        captureStart.facts(layout.lowest(claimed), layout.highestOffset(claimed));
    StartRule.Decision decision = StartRule.decide(facts);
    if (decision instanceof StartRule.Decision.Stop stopped) {
      throw new SluiceException.Fatal(stopped.problem());
    }
    StartRule.Decision.GoOn on = (StartRule.Decision.GoOn) decision;
    Checkpoint start = claimed;
    if (on.offset().isEmpty()) {
      // Kept at once: a later start must not believe an offset that is filled anew by then.
      start = captureStart.readingFrom(claimed, facts.journalStart());
      layout.readFrom(claimed, facts.journalStart());
      parts.checkpoints().write(start);
      LOG.warn(
          "offset {} of topic {} is not believed (log from {} to {}): read from the start, dropped"
              + " by position",
          claimed.nextOffset(),
          claimed.journalTopicId().orElse("-"),
          facts.journalStart(),
          facts.journalEnd());
    }
    return replicate(start, captureStart.startCapture(start, on.start(), catalog), catalog);
  }

  private boolean replicate(Checkpoint claimed, Capture capture, SourceCatalog catalog)
      throws InterruptedException {
    Replication running;
    try {
      Optional<LaneLayout.Start> start = layout.prepare(claimed, catalog);
      if (start.isEmpty()) {
        capture.close();
        return false;
      }
      running = Replication.start(parts, kafka, start.get(), capture, clock);
    } catch (RuntimeException | InterruptedException e) {
      capture.close();
      throw e;
    }
    try (running) {
      board.replication(running);
      if (life.phase() != Phase.CUTTING_OVER) {
        life.enter(Phase.CATCHING_UP, "from " + claimed.position());
      }
      String caughtUp = "caught up " + UUID.randomUUID();
      parts.source().log().emitFence(caughtUp);
      return watch(running, caughtUp);
    } finally {
      board.replicationEnded();
    }
  }

  private boolean watch(Replication running, String caughtUp) throws InterruptedException {
    while (!stop.await(LOOK)) {
      Optional<SluiceException> failure = running.failure();
      if (failure.isPresent()) {
        throw failure.get();
      }
      if (life.phase() == Phase.CATCHING_UP && running.sink().hasPassed(caughtUp)) {
        if (parts.config().taskSettings().fullLoadSettings().stopTaskCachedChangesApplied()
            && parts.config().migrationType() == MigrationType.FULL_LOAD_AND_CDC) {
          LOG.info("stops now that the cached changes are applied: StopTaskCachedChangesApplied");
          running.drain();
          return false;
        }
        life.enter(Phase.REPLICATING, "caught up with the source");
      }
      if (running.returns().wantsNewCapture()) {
        LOG.info("the capture begins again, to follow the tables that are taken in");
        running.drain();
        return true;
      }
      if (cutovers.wantsEnd()) {
        running.drain();
        board.replicationEnded();
        cutovers.ended();
        return awaitStop();
      }
      if (guard.isFull() && !running.isCaptureClosed()) {
        String problem = guard + keptForSuspended(running);
        LOG.warn("{}: the capture pauses, the source keeps its log meanwhile", problem);
        board.problem(problem);
        running.closeCapture();
      } else if (running.isCaptureClosed() && guard.hasRoom()) {
        LOG.info("the journal has room again: the capture goes on");
        running.drain();
        return true;
      }
    }
    life.enter(Phase.STOPPING, "asked to");
    running.drain();
    return false;
  }

  private static String keptForSuspended(Replication running) {
    ApplyProgress apply = running.sink().apply();
    return apply.neededOffset() < apply.durable().nextOffset()
        ? "; it is kept from offset %d on for %s"
            .formatted(
                apply.neededOffset(), Counted.of(apply.suspended().size(), "suspended table"))
        : "";
  }

  private boolean finishCutover() throws InterruptedException {
    captureStart.claim();
    life.enter(Phase.CUTTING_OVER, "both sides were seen equal, the last steps are left");
    cutovers.finish();
    while (!stop.await(LOOK)) {
      if (cutovers.isGivenUp()) {
        life.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "the cutover failed");
        return true;
      }
    }
    return false;
  }

  private boolean awaitStop() throws InterruptedException {
    stop.awaitAsked();
    return false;
  }
}
