package dev.sluice.engine.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.postgres.catalog.SourceCatalog;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.connector.postgres.slot.ReplicationSlot;
import dev.sluice.connector.postgres.slot.SlotState;
import dev.sluice.connector.postgres.slot.StartRule;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides from where on a source is followed when no load comes first, and starts the capture
 * there. Owned by the daemon's main thread.
 */
public final class FollowStart {
  private static final Logger LOG = LoggerFactory.getLogger(FollowStart.class);

  private final TaskContext parts;
  private final CaptureStart captureStart;
  private final Journal journal;
  private final LaneLayout layout;

  public FollowStart(
      TaskContext parts, CaptureStart captureStart, Journal journal, LaneLayout layout) {
    this.parts = parts;
    this.captureStart = captureStart;
    this.journal = journal;
    this.layout = layout;
  }

  /**
   * For the first time, without a load: from the slot that is there, or a new one.
   *
   * @param claimed the checkpoint with the epoch that is held
   * @throws SluiceException.Fatal where the slot does not reach back to where it is to begin
   */
  public Started first(Checkpoint claimed) throws InterruptedException {
    captureStart.installDefinitions();
    captureStart.holdDefinitions();
    SourceCatalog catalog = captureStart.catalog(List.of());
    captureStart.beginDefinitions(catalog);
    captureStart.publish(claimed, catalog);
    Position from = beginSlot(claimed);
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
    return new Started(begin, captureStart.startCapture(begin, from, catalog), catalog);
  }

  /** From here on its positions count in the timeline of the standby that took over. */
  private Checkpoint onTimelineOfNow(Checkpoint claimed) {
    Checkpoint.SourceServer now = captureStart.sourceServer();
    if (claimed.source().equals(Optional.of(now))) {
      return claimed;
    }
    LOG.warn(
        "the source was failed over: it was {}, and is {}; slot and history have all that the"
            + " target lacks, so the task goes on",
        claimed.source().orElse(null),
        now);
    Checkpoint moved = claimed.ofSource(now);
    parts.checkpoints().write(moved);
    return moved;
  }

  /** Where the task's slot begins, the one that is there or a new one. */
  private Position beginSlot(Checkpoint claimed) {
    TaskSlot own = new TaskSlot(parts);
    Optional<SlotState> taken = own.take(claimed).flatMap(ReplicationSlot::state);
    if (taken.isPresent()) {
      return taken.get().confirmed();
    }
    try (ExportedSnapshot snapshot = own.make(claimed, captureStart.consistencyTimeout())) {
      return snapshot.position();
    }
  }

  /**
   * From where the target is.
   *
   * @param claimed as it stands, with the epoch that is held
   * @throws SluiceException.Fatal where the source's log or the journal lacks what comes next
   */
  public Started again(Checkpoint claimed, List<TaskStep> steps) throws InterruptedException {
    captureStart.installDefinitions();
    SourceCatalog catalog = captureStart.catalog(steps);
    captureStart.nameNewTables(steps);
    captureStart.keepTaken(claimed, steps);
    parts.source().slot().release();
    captureStart.publishAgain(claimed, steps, catalog);
    captureStart.followDefinitions(catalog);
    StartRule.Facts facts =
        captureStart.facts(layout.lowest(claimed), layout.highestOffset(claimed));
    StartRule.Decision decision = StartRule.decide(facts);
    if (decision instanceof StartRule.Decision.Stop stopped) {
      throw new SluiceException.Fatal(stopped.problem());
    }
    StartRule.Decision.GoOn on = (StartRule.Decision.GoOn) decision;
    Checkpoint start = onTimelineOfNow(claimed);
    if (on.offset().isEmpty()) {
      // Kept at once: a later start must not believe an offset that is filled anew by then.
      start = captureStart.readingFrom(start, facts.journalStart());
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
    return new Started(start, captureStart.startCapture(start, on.start(), catalog), catalog);
  }

  /**
   * A source that is followed.
   *
   * @param checkpoint from which changes are applied, under the epoch that is held
   * @param capture the receiver's to close
   */
  public record Started(Checkpoint checkpoint, Capture capture, SourceCatalog catalog) {}
}
