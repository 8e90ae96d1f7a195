package dev.sluice.engine.fullload;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.RestartingCapture;
import dev.sluice.engine.capture.ServerOfSource;
import dev.sluice.engine.capture.StartFacts;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.StopPoint;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The full load of a task: decides what is kept of an earlier attempt, loads while the capture
 * runs, and records the result. Single use; owned by the daemon's main thread.
 */
public final class TaskLoad {
  private static final Logger LOG = LoggerFactory.getLogger(TaskLoad.class);

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final TaskContext context;
  private final StopPoint stopPoint;
  private final PhaseTracker phases;
  private final TaskRuntime runtime;
  private final Map<String, Object> kafka;
  private final Journal journal;
  private final CaptureStart captureStart;
  private final LaneLayout layout;
  private final LoadPhase phase;
  private final TaskRetention retention;
  private final boolean captures;

  public TaskLoad(
      RunningTask task,
      Journal journal,
      CaptureStart captureStart,
      LaneLayout layout,
      JournalGuard guard) {
    this.context = task.context();
    this.stopPoint = task.stopPoint();
    this.phases = task.phases();
    this.runtime = task.runtime();
    this.kafka = journal.client();
    this.journal = journal;
    this.captureStart = captureStart;
    this.layout = layout;
    this.retention = new TaskRetention(context);
    this.phase = new LoadPhase(task, guard);
    this.captures = context.config().migrationType().captures();
  }

  /**
   * A finished load.
   *
   * @param start the checkpoint from which changes are applied
   * @param capture running; empty if the task captures no changes, or if the capture still has to
   *     be restarted
   * @param completion creates the tables' indexes and constraints; open
   */
  public record Done(
      Checkpoint start,
      Optional<Capture> capture,
      SourceCatalog catalog,
      TableCompletion completion) {}

  /** A load with the checkpoint from which changes are applied after it. */
  private record Loading(Checkpoint begun, LoadPhase.Loaded loaded) {}

  /**
   * Loads. Releases the snapshot before it returns, since a snapshot keeps the source from removing
   * old row versions.
   *
   * @param claimed the checkpoint under the epoch that is held
   * @param steps recorded on the target
   * @return empty if a stop interrupted it
   */
  public Optional<Done> run(Checkpoint claimed, List<TaskStep> steps) throws InterruptedException {
    if (captures) {
      captureStart.ddl().install();
      captureStart.ddl().hold();
    }
    SourceCatalog catalog = captureStart.catalog(List.of());
    if (captures) {
      captureStart.ddl().begin(catalog);
      captureStart.inLog().publish(claimed, catalog);
    }
    List<TableId> tables = new ArrayList<>(runtime.tables());
    tables.addAll(context.viewsToLoad());
    LoadPlan plan = phase.plan(claimed, tables, steps);
    LoadStart start = captures ? decide(claimed, plan) : LoadStart.FIRST;
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
    if (ServerOfSource.isAnother(context.source(), claimed)) {
      return new LoadStart.FromBeginning("starts from the beginning: the source was failed over");
    }
    return LoadStart.of(
        claimed,
        plan,
        context.loadMarks().whole(),
        context.loadMarks().parts().read(),
        () -> decideByJournal(claimed));
  }

  private StartRule.Decision decideByJournal(Checkpoint claimed) {
    StartFacts known = captureStart.facts(layout, claimed);
    if (known.isTargetSetBack(claimed)) {
      return new StartRule.Decision.Stop(
          new Problem(
              "target",
              "it was set back: the journal has term %d, and the newest epoch is %d"
                  .formatted(known.newestTerm(), claimed.epoch()),
              "a target that knows all epochs of the task",
              "The load starts from the beginning"));
    }
    // With another server, a load that has not ended starts from the beginning.
    return context.source().startRule().decide(known.facts().withoutBookmark());
  }

  /** Loads everything from the snapshot of a new slot; the log is captured from its position. */
  private Loading begin(Checkpoint claimed, LoadPlan plan, SourceCatalog catalog)
      throws InterruptedException {
    if (captures) {
      retention.drop(claimed);
    }
    prepare(plan);
    try (SourceSnapshot snapshot = snapshot(claimed)) {
      Checkpoint begun = claimed;
      Optional<Capture> capture = Optional.empty();
      if (captures) {
        begun =
            claimed.startingAt(
                snapshot.position(),
                journal.endOffset(),
                captureStart.topicId(),
                ServerOfSource.now(context.source()));
        captureStart.ddl().follow(catalog);
        // Stored before the capture starts: a continued load applies changes from this position.
        layout.clear(begun);
        context.checkpoints().write(begun);
        capture = Optional.of(captureStart.startCapture(begun, snapshot.position(), catalog));
      }
      return new Loading(begun, load(snapshot, capture, catalog, Optional.empty()));
    }
  }

  /** A load without changes needs a slot only for its snapshot; a temporary one is enough. */
  private SourceSnapshot snapshot(Checkpoint claimed) {
    Duration timeout = captureStart.consistencyTimeout();
    return captures
        ? retention.make(claimed, timeout)
        : context.source().reloadSnapshots().open(timeout);
  }

  /**
   * Loads the missing tables from a new snapshot; the log is captured from the slot's old position.
   */
  private Loading goOn(Checkpoint claimed, LoadStart.GoOn on, SourceCatalog catalog)
      throws InterruptedException {
    context.source().retention().release();
    prepare(on.plan());
    Capture capture = captureStart.startCapture(claimed, on.capturedFrom(), catalog);
    try (SourceSnapshot snapshot =
            context.source().reloadSnapshots().open(captureStart.consistencyTimeout());
        SchemaTopic schemas = new SchemaTopic(kafka, context.topics().schemas(), TIMEOUT)) {
      stopPoint.requireBehind(snapshot.position());
      captureStart.ddl().follow(catalog);
      return new Loading(
          claimed,
          load(snapshot, Optional.of(capture), catalog, renewal(claimed, on, snapshot, schemas)));
    } catch (RuntimeException | InterruptedException e) {
      capture.close();
      throw e;
    }
  }

  /** For kept segments the journal needs all changes up to the snapshot; a fence speeds that up. */
  private Optional<PartRenewal> renewal(
      Checkpoint claimed, LoadStart.GoOn on, SourceSnapshot snapshot, SchemaTopic schemas) {
    if (on.plan().parts().isEmpty()) {
      return Optional.empty();
    }
    context.source().log().emitFence();
    return Optional.of(
        new PartRenewal(
            context.loadRoute(),
            context.loadMarks().parts(),
            hopeless ->
                new JournalReplay(
                    new JournalRereader(kafka, context.topics().journal(), hopeless), schemas),
            claimed.place(),
            snapshot.position(),
            phase::isCapturePaused));
  }

  private void prepare(LoadPlan plan) {
    phase.prepare(plan);
    runtime.completed(
        context.completionJournal().read().stream().map(CompletionProgress::of).toList());
  }

  private LoadPhase.Loaded load(
      SourceSnapshot snapshot,
      Optional<Capture> capture,
      SourceCatalog catalog,
      Optional<PartRenewal> renewal)
      throws InterruptedException {
    runtime.atWork();
    phases.enter(Phase.FULL_LOAD, "snapshot " + snapshot.name() + " at " + snapshot.position());
    RestartingCapture.Starter starter =
        (next, from) -> captureStart.startCapture(next, from, catalog);
    return phase.run(
        snapshot, capture, captures ? Optional.of(starter) : Optional.empty(), renewal);
  }

  /** Records that the load is done: from now on a start continues after it. */
  private Checkpoint keep(Loading loading) {
    Checkpoint begun = loading.begun();
    // The capture may have been started again under a later epoch.
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
    context.checkpoints().write(start);
    captureStart.keepTables(start);
    context
        .steps()
        .record(start, TaskStepNames.LOAD, TaskStepNames.LOAD_DONE, start.position().toString());
    LOG.info("full load done: the target is at {}", start.position());
    return start;
  }
}
