package dev.sluice.engine.cutover;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.RetainedChanges;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.fallback.ReturnToSource;
import dev.sluice.engine.journal.JournalBacklog;
import dev.sluice.engine.readiness.SequencesSet;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.engine.status.SourceWatchStatus;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the changes on the source after the cutover, which the target does not get. It reads them
 * from the task's slot, stores the counts on the target, and then advances the slot, so that the
 * source need not keep its log. Threadsafe.
 */
final class SourceWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SourceWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  private final TaskContext context;
  private final PhaseTracker phases;
  private final TaskRuntime runtime;
  private final Map<String, Object> kafka;
  private final Clock clock;
  private final PeriodicTask polling;
  private Optional<SourceWrites> noted = Optional.empty();
  private Optional<Map<TableId, Optional<Long>>> sequencesSet = Optional.empty();

  /** Sequences that returned values since the cutover, as text. */
  private List<String> moved = List.of();

  /** The cutover that closed the tables. */
  private Optional<UUID> decided = Optional.empty();

  private List<TableId> closed = List.of();

  private Optional<ReturnToSource> returned = Optional.empty();

  /** Problems of the tables that the cutover closed, and of their guards, as text. */
  private List<String> opened = List.of();

  SourceWatch(
      TaskContext context,
      PhaseTracker phases,
      TaskRuntime runtime,
      Map<String, Object> kafka,
      Clock clock) {
    this.context = context;
    this.phases = phases;
    this.runtime = runtime;
    this.kafka = kafka;
    this.clock = clock;
    this.polling =
        new PeriodicTask(
            "sluice-source-watch",
            INTERVAL,
            this::pollWhereCutOver,
            e -> LOG.debug("the source is not watched at present: {}", e.getMessage()));
  }

  /** Starts to poll; a poll does nothing before the task is cut over. */
  void start() {
    polling.start();
  }

  @Override
  public void close() {
    polling.close();
  }

  private void pollWhereCutOver() {
    if (phases.phase() == Phase.CUT_OVER) {
      poll();
    }
  }

  /** The changes known since the cutover, as text; empty if there are none. */
  synchronized Optional<String> written() {
    return words(noted.orElse(SourceWrites.NOTHING));
  }

  /**
   * Polls the source once.
   *
   * @return the changes since the cutover, as text; empty if there are none
   * @throws SluiceException if source or target does not answer
   */
  synchronized Optional<String> poll() {
    try {
      if (context.config().fallback().isPresent()) {
        if (returned.isEmpty()) {
          returned = ReturnToSource.of(context);
          returned.ifPresent(
              back -> LOG.info("{}; the source is not watched any more", back.words()));
        }
        if (returned.isPresent()) {
          showReturned(returned.get());
          return Optional.empty();
        }
        // The way back writes to the source, and no log is kept for this task.
        pollClosed();
        show(SourceWrites.NOTHING, null);
        return words(SourceWrites.NOTHING);
      }
      SourceWrites before = noted.isPresent() ? noted.get() : read();
      SourceWrites now = readFrom(before);
      pollSequences();
      pollClosed();
      show(now, null);
      return words(now);
    } catch (SluiceException e) {
      show(noted.orElse(SourceWrites.NOTHING), e.getMessage());
      throw e;
    }
  }

  /** Ends the watch, since the applications were brought back to the source. */
  private void showReturned(ReturnToSource back) {
    opened = List.of();
    // If the target answers and nothing has closed it, applications may still write to it.
    runtime.problem(
        ProblemKind.TARGET_LOST,
        Optional.of(back.words()).filter(words -> back == ReturnToSource.TARGET_LOST));
    show(SourceWrites.NOTHING, null);
  }

  /**
   * Compares the sequences. A sequence that has moved is reported, even if it is set back later.
   */
  private void pollSequences() {
    if (sequencesSet.isEmpty()) {
      sequencesSet = Optional.of(SequencesSet.read(context));
    }
    if (moved.isEmpty() && !sequencesSet.get().isEmpty()) {
      moved = SequencesSet.moved(sequencesSet.get(), context.source().sequenceValues());
      if (!moved.isEmpty()) {
        LOG.error("sequences of the source return values after the cutover: {}", moved);
      }
    }
  }

  /** Checks whether somebody has opened a closed table: the target would not get its writes. */
  private void pollClosed() {
    List<String> before = opened;
    if (decided.isEmpty()) {
      decided = Decision.made(context).map(Decision::cutover);
      closed =
          decided
              .flatMap(made -> CutoverPlan.read(context))
              .map(CutoverPlan::tables)
              .orElse(closed);
    }
    opened =
        context.source().writers().stream()
            .flatMap(writers -> writers.opened(decided, closed).stream())
            .map(Problem::toString)
            .toList();
    if (!opened.isEmpty() && !opened.equals(before)) {
      LOG.error("the source is not closed any more as the cutover has left it: {}", opened);
    }
  }

  private Optional<String> words(SourceWrites now) {
    List<String> found = new ArrayList<>();
    now.words().ifPresent(found::add);
    if (!moved.isEmpty()) {
      found.add(
          "sequences of the source returned values after the cutover, which the target also"
              + " returns: "
              + String.join(", ", moved)
              + ". Stop the applications that use them there");
    }
    found.addAll(opened);
    return found.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", found));
  }

  private SourceWrites readFrom(SourceWrites before) {
    RetainedChanges retained = context.source().retainedChanges();
    RetainedChanges.Found found = retained.after(before.upTo());
    Map<TableId, Long> more = selected(found.changes());
    SourceWrites now = before.and(more, found.upTo());
    if (!more.isEmpty()) {
      tell(more);
    }
    if (!more.isEmpty() || noted.isEmpty()) {
      note(now);
    }
    noted = Optional.of(now);
    retained.giveUp(found.upTo());
    return now;
  }

  /** Keeps only the selected tables: a user's own publication may have others. */
  private Map<TableId, Long> selected(Map<TableId, Long> changes) {
    if (changes.isEmpty()) {
      return changes;
    }
    SourceCatalog catalog = context.source().catalog(context.config().tableMappings()::selects);
    return changes.entrySet().stream()
        .filter(
            table ->
                catalog.table(table.getKey()).isPresent()
                    || context.config().tableMappings().selects(table.getKey()))
        .collect(
            Collectors.toMap(
                table ->
                    catalog.table(table.getKey()).map(CatalogTable::root).orElse(table.getKey()),
                Map.Entry::getValue,
                Long::sum));
  }

  /** Reads the counts of an earlier daemon, or begins at the last change on the target. */
  private SourceWrites read() {
    Optional<SourceWrites> before =
        context
            .steps()
            .read(context.task(), TaskStepNames.SOURCE_WRITES)
            .map(step -> SourceWrites.parse(step.detail()));
    return before.orElseGet(this::first);
  }

  /** Counts changes that were captured and not applied: the slot may no longer have them. */
  private SourceWrites first() {
    Checkpoint last = checkpoint();
    JournalBacklog tail =
        JournalBacklog.read(kafka, context.topics(), last.position(), last.nextOffset());
    if (!tail.changes().isEmpty()) {
      tell(tail.changes());
    }
    return new SourceWrites(tail.upTo(), tail.changes());
  }

  private static void tell(Map<TableId, Long> changes) {
    LOG.error(
        "the source is written to after the cutover, and the target does not get it: {}",
        SourceWrites.words(changes));
  }

  private void note(SourceWrites now) {
    context
        .steps()
        .record(
            checkpoint(),
            TaskStepNames.SOURCE_WRITES,
            TaskStepNames.SOURCE_WRITES_SEEN,
            now.detail());
  }

  private Checkpoint checkpoint() {
    return context
        .checkpoints()
        .read(context.task())
        .orElseThrow(
            () -> new SluiceException.Retryable("the target has no record of the task", null));
  }

  private void show(SourceWrites now, String unwatched) {
    runtime.sourceWatch(
        new SourceWatchStatus(
            clock.instant(),
            now.changes().values().stream().mapToLong(Long::longValue).sum(),
            now.changes().entrySet().stream()
                .map(
                    table ->
                        new SourceWatchStatus.Written(
                            table.getKey().schema(), table.getKey().name(), table.getValue()))
                .toList(),
            moved,
            unwatched));
    runtime.problem(ProblemKind.SOURCE_WRITTEN, words(now));
  }
}
