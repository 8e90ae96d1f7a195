package dev.sluice.engine.fallback;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.load.postgres.OwnedSequences;
import dev.sluice.sink.control.report.StatusTable;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The old source after the new side was lost: what it has, what the journal still has for it, and
 * how it is opened for applications. Asks the new side nothing. Used by one command, which holds
 * the lock of the way back, and for that long holds the journal open.
 */
public final class LostSide implements AutoCloseable {
  private final TaskContext context;
  private final ForwardTask forward;
  private final Checkpoint checkpoint;
  private final List<TaskStep> steps;

  /** Empty if it is given up, and once the old source is open: then nothing is applied any more. */
  private final Optional<LeftInJournal> journal;

  private final IncompleteTables incomplete;

  private LostSide(
      TaskContext context, ForwardTask forward, Checkpoint checkpoint, boolean skipped) {
    this.context = context;
    this.forward = forward;
    this.checkpoint = checkpoint;
    this.steps = context.steps().all(context.task());
    this.journal =
        skipped || isOpened()
            ? Optional.empty()
            : Optional.of(LeftInJournal.open(context, checkpoint));
    this.incomplete = readIncomplete();
  }

  private IncompleteTables readIncomplete() {
    try {
      return IncompleteTables.of(context, steps, journal);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Reads what the old source knows, and opens the journal.
   *
   * @param skipped whether the journal is given up
   * @throws SluiceException if the journal cannot be read
   * @throws SluiceException.Fatal if the way back never began: the old source then has nothing that
   *     was written since the cutover
   */
  public static LostSide read(TaskConfig back, boolean skipped) {
    TaskContext context = TaskContext.of(back);
    ForwardTask forward = ForwardTask.of(back).orElseThrow();
    Checkpoint checkpoint =
        context
            .checkpoints()
            .read(context.task())
            .filter(known -> known.journalTopicId().isPresent())
            .orElseThrow(
                () ->
                    new SluiceException.Fatal(
                        new Problem(
                            "way back of task " + forward.task(),
                            "it never began: nothing was carried back",
                            "a way back that has applied changes",
                            "To use the old source as it was at the cutover, run sluice stop"
                                + " TASK.yaml --drop --source-gone --fallback, and sluice stop"
                                + " TASK.yaml --drop --reopen-source --yes")));
    return new LostSide(context, forward, checkpoint, skipped);
  }

  /**
   * What the old source has and what it may lack, in words.
   *
   * @throws SluiceException if the journal cannot be read
   */
  public List<String> known() {
    Optional<Map<TableId, Long>> waiting = journal.map(left -> left.waiting(checkpoint));
    waiting.ifPresent(changes -> changes.keySet().removeAll(incomplete.tables()));
    List<String> lines = new ArrayList<>();
    lines.add(
        "the old source has every change of the new side up to position "
            + LaneLayout.lowest(context, checkpoint).position()
            + StatusTable.lastApplied(context.target(), context.controlSchema(), context.task())
                .map(at -> "; the last of them that was noted was committed at " + at)
                .orElse(""));
    waiting.ifPresent(changes -> lines.add(words(changes)));
    lines.add(
        "it may lack what was committed on the new side after all of that; nothing can prove what"
            + " that was, and how much");
    lines.addAll(incomplete.lines());
    lines.add("rejected changes, if any, are in the table of exceptions of the control schema");
    return lines;
  }

  /** What may be missing whatever the position says; empty once the old source is open. */
  public List<String> missing() {
    return isOpened() ? List.of() : incomplete.lines();
  }

  private static String words(Map<TableId, Long> waiting) {
    return waiting.isEmpty()
        ? "its journal has nothing more: all that was read of the new side is applied"
        : "its journal has changes that are not applied yet, and are applied before it is opened: "
            + waiting.entrySet().stream()
                .map(table -> table.getKey() + " " + Counted.of(table.getValue(), "change"))
                .collect(Collectors.joining(", "));
  }

  /** Applications may write to it since: nothing is applied any more. */
  private boolean isOpened() {
    return steps.stream()
        .anyMatch(
            step ->
                step.step().equals(TaskStepNames.CUTOVER)
                    && step.state().equals(TaskStepNames.CUTOVER_DONE));
  }

  /**
   * Applies what the journal still has, if it is not given up. Can be repeated; does nothing once
   * the old source is open.
   *
   * @return what was done, in words
   * @throws SluiceException if not all of it could be applied: nothing is opened then
   */
  public List<String> applyJournal() throws InterruptedException {
    if (journal.isEmpty()) {
      return List.of();
    }
    Position end = journal.get().apply();
    return List.of(
        "the journal is applied to its end, up to position "
            + end
            + ", but for suspended tables and rejected changes");
  }

  /**
   * Opens the old source. No daemon of the way back can apply anything after that. Can be repeated.
   *
   * @return what was done, in words
   */
  public List<String> open() {
    UUID cutover = forward.cutover(context);
    Checkpoint claimed = context.claim().next();
    Set<TableId> tables = FollowedTables.of(steps).begunWith();
    ForwardTask.noteTargetLost(context, claimed, cutover);
    context.cutOverTables().record(context.task(), tables, Instant.now());
    context
        .steps()
        .record(
            claimed,
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_DONE,
            "the new side was lost; the old source was opened");
    List<String> done = new ArrayList<>(raiseSequences(tables));
    List<TableId> opened = forward.openOldSource(context);
    done.add("opened for writers: " + Counted.of(opened.size(), "table"));
    return done;
  }

  /** The new side may have returned more values since they were copied from there last. */
  private List<String> raiseSequences(Set<TableId> tables) {
    OwnedSequences.Result result =
        OwnedSequences.raise(context.target(), tables, SequencesAhead.MARGIN);
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s of its columns: at least %d values above the rows; others were kept so far ahead of the new side's while changes were carried back"
            .formatted(Counted.of(result.raised(), "sequence"), SequencesAhead.MARGIN));
    result.notRaised().forEach(problem -> lines.add(problem.toString()));
    return lines;
  }

  @Override
  public void close() {
    journal.ifPresent(LeftInJournal::close);
  }
}
