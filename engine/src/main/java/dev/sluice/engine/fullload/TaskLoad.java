package dev.sluice.engine.fullload;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.postgres.catalog.SourceCatalog;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.connector.postgres.slot.StartRule;
import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.RestartingCapture;
import dev.sluice.engine.capture.TaskSlot;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.PartRenewal;
import dev.sluice.engine.load.completion.CompletionProgress;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.replay.JournalRereader;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The full load of a task: decides whether it begins or goes on with what an attempt before has
 * left, loads with the capture beside it, and keeps what is loaded. Single use; owned by the
 * daemon's main thread.
 */
public final class TaskLoad {
  private static final Logger LOG = LoggerFactory.getLogger(TaskLoad.class);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TaskContext parts;
  private final PhaseTracker life;
  private final TaskRuntime board;
  private final Map<String, Object> kafka;
  private final Journal journal;
  private final CaptureStart captureStart;
  private final LaneLayout layout;
  private final LoadPhase phase;
  private final TaskSlot slot;
  private final boolean captures;

  public TaskLoad(
      TaskContext parts,
      PhaseTracker life,
      TaskRuntime board,
      StopRequest stop,
      Map<String, Object> kafka,
      Journal journal,
      CaptureStart captureStart,
      LaneLayout layout,
      JournalGuard guard,
      Clock clock) {
    this.parts = parts;
    this.life = life;
    this.board = board;
    this.kafka = kafka;
    this.journal = journal;
    this.captureStart = captureStart;
    this.layout = layout;
    this.slot = new TaskSlot(parts);
    this.phase = new LoadPhase(parts, board, stop, guard, clock);
    this.captures = parts.config().migrationType().captures();
  }

  /**
   * A load that came to its end.
   *
   * @param start from where changes are to be applied
   * @param capture running; empty for a task that follows no changes, and where it is still to be
   *     started again
   * @param completion makes the rest of the tables; open
   */
  public record Done(
      Checkpoint start,
      Optional<Capture> capture,
      SourceCatalog catalog,
      TableCompletion completion) {}

  /** A load with the checkpoint from which changes are to be applied after it. */
  private record Loading(Checkpoint begun, LoadPhase.Loaded loaded) {}

  /**
   * Loads. When this returns the snapshot is given back: it keeps the source from cleaning up
   * behind it.
   *
   * @param claimed the checkpoint under the epoch that is held
   * @param steps what the target remembers
   * @return empty where it was broken off by a stop
   */
  public Optional<Done> run(Checkpoint claimed, List<TaskStep> steps) throws InterruptedException {
    if (captures) {
      captureStart.installDefinitions();
      captureStart.holdDefinitions();
    }
    SourceCatalog catalog = captureStart.catalog(List.of());
    if (captures) {
      captureStart.beginDefinitions(catalog);
      captureStart.publish(claimed, catalog);
    }
    List<TableId> tables = new ArrayList<>(board.tables());
    tables.addAll(parts.viewsToLoad());
    LoadPlan plan = phase.plan(claimed, tables, steps);
    LoadStart start = captures ? decide(claimed, plan) : LoadStart.ANEW;
    LOG.info("the full load {}", start);
    Loading loading =
        start instanceof LoadStart.GoOn on
            ? goOn(claimed, on, catalog)
            : begin(claimed, plan, catalog);
    if (loading.loaded().stopped()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Done(keep(loading), loading.loaded().capture(), catalog, phase.completion()));
    } catch (RuntimeException e) {
      phase.completion().close();
      loading.loaded().capture().ifPresent(Capture::close);
      throw e;
    }
  }

  private LoadStart decide(Checkpoint claimed, LoadPlan plan) {
    if (claimed.source().filter(then -> !then.equals(captureStart.sourceServer())).isPresent()) {
      return new LoadStart.Anew("begins again: the source was failed over");
    }
    return LoadStart.of(
        claimed,
        plan,
        parts.loadMarks().whole(),
        parts.loadMarks().parts().read(),
        () ->
            StartRule.decide(
                captureStart.facts(layout.lowest(claimed), layout.highestOffset(claimed))));
  }

  /** Everything is loaded from the snapshot of a new slot, from which on the log is captured. */
  private Loading begin(Checkpoint claimed, LoadPlan plan, SourceCatalog catalog)
      throws InterruptedException {
    if (captures) {
      slot.drop(claimed);
    }
    prepare(plan);
    try (ExportedSnapshot snapshot = snapshot(claimed)) {
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
      return new Loading(begun, load(snapshot, capture, catalog, Optional.empty()));
    }
  }

  /** A load alone needs no slot but for its snapshot: that one goes with the session. */
  private ExportedSnapshot snapshot(Checkpoint claimed) {
    Duration timeout = captureStart.consistencyTimeout();
    return captures
        ? slot.make(claimed, timeout)
        : parts.source().reloadSlot().createTemporary(timeout);
  }

  /**
   * What is missing is loaded from a snapshot of its own, and the log is captured from where it
   * was.
   */
  private Loading goOn(Checkpoint claimed, LoadStart.GoOn on, SourceCatalog catalog)
      throws InterruptedException {
    parts.source().slot().release();
    prepare(on.plan());
    Capture capture = captureStart.startCapture(claimed, on.capturedFrom(), catalog);
    try (ExportedSnapshot snapshot =
            parts.source().reloadSlot().createTemporary(captureStart.consistencyTimeout());
        SchemaTopic schemas = new SchemaTopic(kafka, parts.topics().schemas(), PATIENCE)) {
      captureStart.followDefinitions(catalog);
      return new Loading(
          claimed,
          load(snapshot, Optional.of(capture), catalog, renewal(claimed, on, snapshot, schemas)));
    } catch (RuntimeException | InterruptedException e) {
      capture.close();
      throw e;
    }
  }

  /** With segments that are kept, the journal must have all up to the snapshot soon. */
  private Optional<PartRenewal> renewal(
      Checkpoint claimed, LoadStart.GoOn on, ExportedSnapshot snapshot, SchemaTopic schemas) {
    if (on.plan().parts().isEmpty()) {
      return Optional.empty();
    }
    parts.source().log().emitFence();
    return Optional.of(
        new PartRenewal(
            parts.sourceServer(),
            parts.target(),
            parts.config().tableMappings(),
            parts.loadMarks().parts(),
            hopeless ->
                new JournalReplay(
                    new JournalRereader(kafka, parts.topics().journal(), hopeless), schemas),
            claimed.place(),
            snapshot.position(),
            phase::isCapturePaused));
  }

  private void prepare(LoadPlan plan) {
    phase.prepare(plan);
    board.completed(parts.completionJournal().read().stream().map(CompletionProgress::of).toList());
  }

  private LoadPhase.Loaded load(
      ExportedSnapshot snapshot,
      Optional<Capture> capture,
      SourceCatalog catalog,
      Optional<PartRenewal> renewal)
      throws InterruptedException {
    life.enter(Phase.FULL_LOAD, "snapshot " + snapshot.name() + " at " + snapshot.position());
    RestartingCapture.Starter starter =
        (next, from) -> captureStart.startCapture(next, from, catalog);
    return phase.run(
        snapshot, capture, captures ? Optional.of(starter) : Optional.empty(), renewal);
  }

  /** From here on a start goes on after the load instead of with it. */
  private Checkpoint keep(Loading loading) {
    Checkpoint begun = loading.begun();
    // The capture may have failed and been started again under a later epoch.
    Checkpoint held = loading.loaded().claimed();
    Checkpoint start =
        captures
            ? held.startingAt(
                begun.position(),
                begun.nextOffset(),
                begun.journalTopicId().orElseThrow(),
                begun.source().orElseThrow())
            : held;
    layout.clear(start);
    parts.checkpoints().write(start);
    captureStart.keepTables(start);
    parts
        .steps()
        .record(start, TaskStepNames.LOAD, TaskStepNames.LOAD_DONE, start.position().toString());
    LOG.info("full load done: the target is at {}", start.position());
    return start;
  }
}
