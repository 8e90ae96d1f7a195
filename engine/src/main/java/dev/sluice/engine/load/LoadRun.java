package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.api.source.load.TableChanged;
import dev.sluice.load.SegmentLoader;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One attempt of a load: the segments left, the workers that take them, and the first failure.
 * Threadsafe: shared by the load's owner, its workers and the status.
 */
final class LoadRun {

  private final Map<TableId, RecordedTable> tables = new LinkedHashMap<>();
  private final Map<TableId, TableLoadCounter> progress = new LinkedHashMap<>();
  private final Map<TableId, CopyLayout> layouts;
  private final UnaryOperator<TableId> targetOf;
  private final AttemptMarks marks;
  private final Set<TableId> keptInParts = new HashSet<>();
  private final LoadThrottle throttle;
  private final Consumer<TableId> whole;
  private final List<RecordedTable> withoutSegment = new ArrayList<>();
  private final WaitingSegments waiting;
  private final WorkerGate gate = new WorkerGate();
  private volatile boolean ending;

  // These fields are protected by this object's lock.
  private final List<LoadWorker> workers = new ArrayList<>();
  private Optional<SluiceException> failure = Optional.empty();
  private Optional<TableChanged> change = Optional.empty();
  private boolean stopped;

  /**
   * @param whole receives each source table whose rows are all on the target
   */
  LoadRun(
      LoadPlan plan,
      Map<TableId, CopyLayout> layouts,
      UnaryOperator<TableId> targetOf,
      AttemptMarks marks,
      LoadThrottle throttle,
      Consumer<TableId> whole) {
    this.layouts = Map.copyOf(layouts);
    this.targetOf = targetOf;
    this.marks = marks;
    this.throttle = throttle;
    this.whole = whole;
    for (PlannedTable table : plan.tables()) {
      TableId name = table.table();
      tables.put(name, table.recorded());
      if (marks.keepWholeTables() && table.isKeptInParts()) {
        keptInParts.add(name);
      }
      progress.put(name, TableLoadCounter.of(table, targetOf.apply(name)));
      if (table.kept().isEmpty() && table.segments().isEmpty()) {
        withoutSegment.add(table.recorded());
      }
    }
    waiting = new WaitingSegments(plan.missing());
  }

  /** A run of no tables, for the time before the first attempt. */
  static LoadRun ofNothing() {
    return new LoadRun(
        new LoadPlan(List.of()),
        Map.of(),
        UnaryOperator.identity(),
        AttemptMarks.none(EpochFence.NONE),
        LoadThrottle.none(),
        table -> {});
  }

  /** Loads everything; returns when all workers have ended. Called by the load's owner, once. */
  LoadOutcome load(
      SourceReader source,
      TargetServer target,
      String snapshot,
      int workerCount,
      int commitRate,
      Instant started) {
    progress.values().forEach(table -> table.endIfEmpty(started));
    List<LoadWorker> opened = open(source, target, snapshot, workerCount, commitRate);
    opened.stream().findFirst().ifPresent(this::compareWithoutSegment);
    opened.forEach(Thread::start);
    boolean interrupted = awaitEnd(opened);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return outcome(started);
  }

  /**
   * Finds partitions that were added before the snapshot: they are in no segment and not in the
   * log.
   */
  private void compareWithoutSegment(LoadWorker worker) {
    try {
      for (RecordedTable table : withoutSegment) {
        worker.difference(table).ifPresent(this::changed);
      }
    } catch (SluiceException e) {
      failed(e);
    }
  }

  /** Decides how many of the workers may take segments. */
  WorkerGate gate() {
    return gate;
  }

  /**
   * A worker's next segment; waits where fewer workers may work than there are.
   *
   * @param before the one that it has finished; empty for its first
   * @return empty if none is left or the run ends early
   */
  Optional<Segment> next(Optional<Segment> before) {
    before.ifPresent(ended -> gate.leave());
    try {
      gate.enter();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    Optional<Segment> next = ending ? Optional.empty() : waiting.take(before);
    if (next.isEmpty()) {
      gate.leave();
      // Those that wait have nothing to wait for: they end, and give back their sessions.
      gate.open();
    }
    return next;
  }

  private static SluiceException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new SluiceException.Retryable("the load was interrupted", e);
  }

  RecordedTable table(Segment segment) {
    return tables.get(segment.table());
  }

  TableId targetOf(Segment segment) {
    return targetOf.apply(segment.table());
  }

  CopyLayout layout(Segment segment) {
    return layouts.get(segment.table());
  }

  /** Whether the segment is written in one transaction. */
  boolean isAtOnce(Segment segment) {
    return keptInParts.contains(segment.table());
  }

  StepMark mark(Segment segment) {
    return marks.of(segment);
  }

  /** Counts what a worker has read, and makes it wait if the load exceeds its limits. */
  void read(long rows, long bytes) {
    try {
      throttle.read(rows, bytes, () -> ending);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** How many rows a worker may read before it calls {@link #read}. */
  int rowsAtOnce() {
    return throttle.rowsAtOnce();
  }

  boolean isThrottled() {
    return throttle.isThrottling();
  }

  TableLoadCounter progressOf(Segment segment) {
    return progress.get(segment.table());
  }

  /** Called when the last segment of its table is on the target. */
  void lastSegmentEnded(Segment segment) {
    whole.accept(segment.table());
  }

  List<LoadProgress> progress() {
    return progress.values().stream().map(TableLoadCounter::snapshot).toList();
  }

  /**
   * Called when a table was changed on the source. It is not loaded further. Without marks the
   * whole run ends, since all tables must come from one snapshot.
   */
  synchronized void changed(TableChanged found) {
    if (ending) {
      return;
    }
    waiting.remove(found.table());
    change = change.or(() -> Optional.of(found));
    if (!marks.keepWholeTables()) {
      endEarly();
    }
  }

  /** The first failure ends the run; the failures that this causes are added as suppressed. */
  synchronized void failed(SluiceException error) {
    if (!ending) {
      failure = Optional.of(error);
      endEarly();
    } else {
      failure.ifPresent(first -> first.addSuppressed(error));
    }
  }

  synchronized void stop() {
    if (!ending) {
      stopped = true;
      endEarly();
    }
  }

  private void endEarly() {
    ending = true;
    gate.open();
    workers.forEach(LoadWorker::abort);
  }

  /** Opens all workers before the first one reads, so that each can import the snapshot. */
  private List<LoadWorker> open(
      SourceReader source, TargetServer target, String snapshot, int workerCount, int commitRate) {
    List<LoadWorker> opened = new ArrayList<>();
    try {
      for (int i = 1; i <= workerCount && !ending; i++) {
        SnapshotReader reader = source.open(snapshot);
        try {
          opened.add(new LoadWorker(i, this, reader, SegmentLoader.open(target, commitRate)));
        } catch (SluiceException e) {
          reader.close();
          throw e;
        }
      }
    } catch (SluiceException e) {
      opened.forEach(LoadWorker::close);
      throw e;
    }
    synchronized (this) {
      workers.addAll(opened);
      if (ending) {
        workers.forEach(LoadWorker::abort);
      }
    }
    return opened;
  }

  /** Returns whether the owner was interrupted, which ends the run. */
  private boolean awaitEnd(List<LoadWorker> opened) {
    boolean interrupted = false;
    for (LoadWorker worker : opened) {
      while (worker.isAlive()) {
        try {
          worker.join();
        } catch (InterruptedException e) {
          interrupted = true;
          stop();
        }
      }
    }
    return interrupted;
  }

  private synchronized LoadOutcome outcome(Instant started) {
    Instant now = Instant.now();
    progress.values().forEach(table -> table.cancelled(now));
    if (failure.isPresent()) {
      throw failure.get();
    }
    if (change.isPresent()) {
      return new LoadOutcome.SourceChanged(change.get());
    }
    if (stopped) {
      return new LoadOutcome.Stopped();
    }
    List<LoadProgress> ended = progress();
    return new LoadOutcome.Loaded(
        ended.size(),
        ended.stream().mapToLong(LoadProgress::rows).sum(),
        ended.stream().mapToLong(LoadProgress::bytes).sum(),
        Duration.between(started, now));
  }
}
