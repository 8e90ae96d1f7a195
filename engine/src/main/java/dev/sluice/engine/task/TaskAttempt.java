package dev.sluice.engine.task;

import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.debezium.Journal;
import dev.sluice.connector.postgres.ExportedSnapshot;
import dev.sluice.connector.postgres.SlotState;
import dev.sluice.connector.postgres.SourceCatalog;
import dev.sluice.connector.postgres.StartRule;
import dev.sluice.engine.load.CompletionProgress;
import dev.sluice.engine.load.ConstraintCompletion;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.load.TableCompletion;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.TaskStep;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private final CachedChangesStop cachedChanges;

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
    this.cachedChanges = new CachedChangesStop(parts);
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
    board.completed(parts.completionJournal().read().stream().map(CompletionProgress::of).toList());
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
      case COMPLETE:
        return completeLoad(steps);
      case NOTHING_LEFT:
        LOG.info("all tables are loaded; to begin again: sluice stop --drop");
        return false;
      default:
        throw new IllegalStateException("BUG: no plan " + plan);
    }
  }

  private boolean load(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    if (life.phase() == Phase.FULL_LOAD) {
      life.enter(Phase.PREPARING, "another attempt at the load");
    }
    Optional<TaskLoad.Done> done =
        new TaskLoad(parts, life, board, stop, kafka, journal, captureStart, layout, guard, clock)
            .run(claimed, steps);
    return done.isPresent()
        && afterLoad(
            done.get().start(),
            done.get().capture(),
            done.get().catalog(),
            done.get().completion());
  }

  /** What comes after a load, by migration type and the StopTaskCachedChanges settings. */
  private boolean afterLoad(
      Checkpoint start,
      Optional<Capture> capture,
      SourceCatalog catalog,
      TableCompletion completion)
      throws InterruptedException {
    if (!parts.config().migrationType().captures()) {
      try {
        parts.source().slot().drop();
      } catch (RuntimeException e) {
        completion.close();
        throw e;
      }
      return completeLoad(completion, start);
    }
    LoadPhase.Loaded completed = complete(completion, start, capture, catalog);
    if (completed.stopped()) {
      return false;
    }
    if (cachedChanges.isDueBefore()) {
      completed.capture().ifPresent(Capture::close);
      return stopBeforeChanges(completed.claimed());
    }
    // A capture that failed just before the end is started anew with the next attempt.
    return completed.capture().isEmpty()
        || replicate(completed.claimed(), completed.capture().get(), catalog);
  }

  /** The last thing that is done, so that a kill before it leaves the stop to the next start. */
  private boolean stopBeforeChanges(Checkpoint claimed) {
    cachedChanges.stoppedBefore(claimed);
    life.enter(
        Phase.STOPPING,
        "loaded, and no change applied yet: StopTaskCachedChangesNotApplied; the next start goes"
            + " on");
    return false;
  }

  /** Makes what loaded tables need before changes are applied to them. */
  private LoadPhase.Loaded complete(
      TableCompletion completion,
      Checkpoint claimed,
      Optional<Capture> capture,
      SourceCatalog catalog)
      throws InterruptedException {
    LoadPhase.Loaded completed =
        new CompletionPhase(parts, life, board, stop, guard, clock)
            .run(
                completion,
                claimed,
                capture,
                (next, from) -> captureStart.startCapture(next, from, catalog));
    if (!completed.stopped()) {
      try {
        keepCompleted(completed.claimed());
      } catch (RuntimeException e) {
        completed.capture().ifPresent(Capture::close);
        throw e;
      }
    }
    return completed;
  }

  private void keepCompleted(Checkpoint claimed) {
    String mode =
        parts
            .steps()
            .read(parts.task(), Steps.COMPLETION)
            .map(TaskStep::detail)
            .orElseThrow(() -> new IllegalStateException("BUG: no step " + Steps.COMPLETION));
    parts.steps().record(claimed, Steps.COMPLETION, Steps.COMPLETION_DONE, mode);
  }

  private boolean completeLoad(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    captureStart.catalog(steps);
    return completeLoad(
        TableCompletion.ofWhole(parts.target(), parts.completionSettings(), Stage.TABLE), claimed);
  }

  /** What is left of a load without changes: indexes, constraints and triggers, sequences. */
  private boolean completeLoad(TableCompletion completion, Checkpoint claimed)
      throws InterruptedException {
    CompletionPhase phase = new CompletionPhase(parts, life, board, stop, guard, clock);
    KeptCapture.Starter none =
        (next, from) -> {
          throw new IllegalStateException("BUG: a capture for a load without changes");
        };
    if (phase.run(completion, claimed, Optional.empty(), none).stopped()) {
      return false;
    }
    TableMappings mappings = parts.config().tableMappings();
    if (StartPlan.madeTables(parts.steps().all(parts.task()))) {
      TableCompletion constraints =
          ConstraintCompletion.begin(
              parts.sourceServer(),
              parts.target(),
              board.tables(),
              mappings,
              parts.completionSettings());
      if (phase.run(constraints, claimed, Optional.empty(), none).stopped()) {
        return false;
      }
    }
    SequenceCopy.copy(parts.sourceServer(), parts.target(), board.tables(), mappings)
        .missing()
        .forEach(sequence -> LOG.warn("not set: {}", sequence));
    keepCompleted(claimed);
    LOG.info("all tables are loaded and complete");
    return false;
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
    if (!StartPlan.isIncomplete(steps) && cachedChanges.isDueBefore()) {
      return stopBeforeChanges(claimed);
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
    Capture capture = captureStart.startCapture(start, on.start(), catalog);
    if (StartPlan.isIncomplete(steps)) {
      LOG.info("the completion of the loaded tables goes on");
      return afterLoad(start, Optional.of(capture), catalog, completionOf(capture));
    }
    return replicate(start, capture, catalog);
  }

  private TableCompletion completionOf(Capture capture) {
    try {
      return TableCompletion.ofWhole(parts.target(), parts.completionSettings(), Stage.TABLE);
    } catch (RuntimeException e) {
      capture.close();
      throw e;
    }
  }

  private boolean replicate(Checkpoint claimed, Capture capture, SourceCatalog catalog)
      throws InterruptedException {
    return new ReplicationPhase(
            parts, life, board, stop, cutovers, kafka, guard, layout, cachedChanges, clock)
        .run(claimed, capture, catalog);
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
