package dev.sluice.engine.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStart;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the capture without a full load before it, and decides from which position. Owned by the
 * daemon's main thread.
 */
public final class FollowStart {
  private static final Logger LOG = LoggerFactory.getLogger(FollowStart.class);

  private final TaskContext context;
  private final CaptureStart captureStart;
  private final Journal journal;
  private final LaneLayout layout;

  public FollowStart(
      TaskContext context, CaptureStart captureStart, Journal journal, LaneLayout layout) {
    this.context = context;
    this.captureStart = captureStart;
    this.journal = journal;
    this.layout = layout;
  }

  /**
   * Starts a task for the first time, from the log that is kept already, or from now on.
   *
   * @param claimed the checkpoint with the epoch that is held
   * @throws SluiceException.Fatal if the log that is kept starts after the position that the task
   *     file names
   */
  public Started first(Checkpoint claimed) throws InterruptedException {
    SourceCatalog catalog = capturedTables(claimed, List.of());
    Position kept = keepLog(claimed, () -> {});
    captureStart.ddl().follow(catalog);
    Optional<CdcStart> where = context.config().cdcStart();
    Position start = where.isPresent() ? startAt(where.get()) : kept;
    boolean earlier = kept.isAfter(start);
    if (earlier && !context.source().retention().hasFrom(start)) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-start-position " + start,
              "the " + context.source().retention().shown() + " starts later, at " + kept,
              "a position that it still has",
              "Create a "
                  + context.source().retention().kind()
                  + " before that position, or start at "
                  + kept));
    }
    Position from = earlier ? start : kept;
    context
        .source()
        .retention()
        .keepStart(
            catalog.tables().stream().map(CatalogTable::table).toList(),
            journal.client(),
            context.topics());
    captureStart.keepTables(claimed);
    Checkpoint begin = startingAt(claimed, start);
    new TaskRetention(context).ownFrom(begin);
    return new Started(begin, captureStart.startCapture(begin, from, catalog), catalog);
  }

  /**
   * Starts a task from the current end of the log, whatever it has applied: the resync repairs the
   * rows. The position of the task file is ignored, since earlier changes are repaired as well.
   *
   * @param claimed the checkpoint with the epoch that is held
   * @param steps recorded on the target
   */
  public Started resync(Checkpoint claimed, List<TaskStep> steps) throws InterruptedException {
    TaskRetention retention = new TaskRetention(context);
    // If no log is kept yet, other tables and other filters can be captured.
    retention.drop(claimed);
    SourceCatalog catalog = capturedTables(claimed, steps);
    Position from;
    try (SourceSnapshot snapshot = retention.make(claimed, captureStart.consistencyTimeout())) {
      from = snapshot.position();
    }
    captureStart.ddl().follow(catalog);
    new ResyncStart(context).forgetProgress(claimed);
    captureStart.keepTables(claimed);
    Checkpoint begin = startingAt(claimed, from);
    context.checkpoints().write(begin);
    // Recorded after the checkpoint: if the daemon is killed in between, the next start begins
    // again.
    context
        .steps()
        .record(
            begin,
            TaskStepNames.RESYNC,
            TaskStepNames.RESYNC_RUNNING,
            TaskResync.detail(TaskResync.of(steps).deleteExtra()));
    LOG.info("the resync begins: changes are applied from {} on", from);
    return new Started(begin, captureStart.startCapture(begin, from, catalog), catalog);
  }

  /**
   * Prepares a first start, so that the tables are registered and the log is kept, without
   * starting. Can be repeated.
   *
   * @param claimed the checkpoint with the epoch that is held
   * @param beforeKeeping called before the log begins to be kept, if it was not kept yet
   * @return the captured tables
   */
  public SourceCatalog arm(Checkpoint claimed, Runnable beforeKeeping) {
    SourceCatalog catalog = capturedTables(claimed, List.of());
    keepLog(claimed, beforeKeeping);
    new TaskRetention(context).own(claimed);
    captureStart.ddl().follow(catalog);
    captureStart.keep(claimed, catalog);
    return catalog;
  }

  /**
   * Starts a task that was armed.
   *
   * @param claimed the checkpoint with the epoch that is held
   * @param steps recorded on the target since it was armed
   * @param start changes that were committed up to here are not applied
   * @throws SluiceException.Fatal if the log is not kept from there on
   */
  public Started fromArmed(Checkpoint claimed, List<TaskStep> steps, Position start)
      throws InterruptedException {
    captureStart.ddl().install();
    SourceCatalog catalog = captureStart.catalog(steps);
    TaskRetention own = new TaskRetention(context);
    Optional<Position> kept =
        own.take().flatMap(LogRetention::state).map(RetentionState::confirmed);
    if (kept.isEmpty() || kept.get().isAfter(start)) {
      throw new SluiceException.Fatal(
          new Problem(
              context.source().retention().shown(),
              kept.map(from -> "it begins at " + from).orElse("it is gone"),
              "the log from " + start + " on, where the way back begins",
              "There is no way back any more: sluice stop TASK.yaml --drop --fallback removes what"
                  + " is left of it"));
    }
    own.own(claimed);
    captureStart.inLog().publishAgain(claimed, steps, catalog);
    captureStart.ddl().follow(catalog);
    Checkpoint begin = startingAt(claimed, start);
    context.checkpoints().write(begin);
    return new Started(begin, captureStart.startCapture(begin, kept.get(), catalog), catalog);
  }

  private Position startAt(CdcStart where) throws InterruptedException {
    Source source = context.source();
    LogRetention retention = source.retention();
    if (where instanceof CdcStart.AtPosition at) {
      return retention.named(at.position());
    }
    Instant time = ((CdcStart.AtCommitTime) where).time();
    Instant now = source.log().clock();
    if (now.isBefore(time)) {
      throw new SluiceException.Fatal(
          new Problem(
              "cdc-start-position " + where,
              "the source's clock is at " + now,
              "a time that has passed",
              "Correct it, or remove it to start from now on"));
    }
    Position fence = source.notFenced().isPresent() ? Position.MAX : source.log().emitFence();
    LOG.info("looking in the {} for the first commit at {} or later", retention.shown(), time);
    Position start = retention.before(time, fence);
    LOG.info("the task starts after {}, found by the time {}", start, time);
    return start;
  }

  /** Registers the tables, so that their changes are in the log from now on. */
  private SourceCatalog capturedTables(Checkpoint claimed, List<TaskStep> steps) {
    captureStart.ddl().install();
    captureStart.ddl().hold();
    SourceCatalog catalog = captureStart.catalog(steps);
    captureStart.ddl().begin(catalog);
    captureStart.inLog().publish(claimed, catalog);
    return catalog;
  }

  /** The checkpoint with which the task begins; the caller writes it. */
  private Checkpoint startingAt(Checkpoint claimed, Position start) {
    Checkpoint begin =
        claimed.startingAt(
            start,
            journal.endOffset(),
            captureStart.topicId(),
            ServerOfSource.now(context.source()));
    layout.clear(begin);
    return begin;
  }

  /** Records the timeline of the promoted standby, to which later positions belong. */
  private Checkpoint onTimelineOfNow(Checkpoint claimed) {
    if (claimed.source().isPresent() && !ServerOfSource.isAnother(context.source(), claimed)) {
      return claimed;
    }
    Checkpoint.SourceServer now = ServerOfSource.now(context.source());
    LOG.warn(
        "the source was failed over from {} to {}; the source's log and its history have all that"
            + " the target lacks, so the task continues",
        claimed.source().orElse(null),
        now);
    Checkpoint moved = claimed.ofSource(now);
    context.checkpoints().write(moved);
    return moved;
  }

  /** The position from which the log is kept; begins to keep it if it is not. */
  private Position keepLog(Checkpoint claimed, Runnable beforeKeeping) {
    TaskRetention own = new TaskRetention(context);
    Optional<RetentionState> taken = own.take().flatMap(LogRetention::state);
    if (taken.isPresent()) {
      return taken.get().confirmed();
    }
    beforeKeeping.run();
    try (SourceSnapshot snapshot = own.make(claimed, captureStart.consistencyTimeout())) {
      return snapshot.position();
    }
  }

  /**
   * Continues a task from its checkpoint.
   *
   * @param claimed the checkpoint, with the epoch that is held
   * @throws SluiceException.Fatal if the source's log or the journal lacks the next changes
   */
  public Started again(Checkpoint claimed, List<TaskStep> steps) throws InterruptedException {
    captureStart.ddl().install();
    SourceCatalog catalog = captureStart.catalogBesideNewTables(steps);
    captureStart.keepTaken(claimed, steps);
    context.source().retention().release();
    captureStart.inLog().publishAgain(claimed, steps, catalog);
    captureStart.ddl().follow(catalog);
    StartFacts known = captureStart.facts(layout, claimed);
    StartRule.Facts facts = known.facts();
    StartRule.Decision decision = context.source().startRule().decide(facts);
    if (decision instanceof StartRule.Decision.Stop stopped) {
      throw new SluiceException.Fatal(stopped.problem());
    }
    StartRule.Decision.GoOn on = (StartRule.Decision.GoOn) decision;
    Checkpoint start = onTimelineOfNow(captureStart.aboveJournal(claimed, known));
    if (on.offset().isEmpty()) {
      // Stored at once, since at a later start other records may have the old offset.
      start = captureStart.readingFrom(start, facts.journalStart());
      layout.readFrom(start, facts.journalStart());
      context.checkpoints().write(start);
      LOG.warn(
          "offset {} of topic {} is not valid (the topic has {} to {}): the journal is read from"
              + " its start, and what was applied is dropped by position",
          claimed.nextOffset(),
          claimed.journalTopicId().orElse("-"),
          facts.journalStart(),
          facts.journalEnd());
    }
    RecordedSource recorded = new RecordedSource(context);
    Capture capture = captureStart.startCapture(start, on.start(), catalog);
    try {
      return new Started(recorded.renew(start), capture, catalog);
    } catch (RuntimeException e) {
      capture.close();
      throw e;
    }
  }

  /**
   * A started capture.
   *
   * @param checkpoint from which changes are applied, under the epoch that is held
   * @param capture to be closed by the caller
   */
  public record Started(Checkpoint checkpoint, Capture capture, SourceCatalog catalog) {}
}
