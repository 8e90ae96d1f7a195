package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadExpectation;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.engine.load.completion.CompletionProgress;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.status.TaskStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What runs at present, put up by the daemon's main thread and read by the status and the orders'
 * threads. Threadsafe: each method is one step.
 */
public final class TaskRuntime {
  private List<TableId> tables = List.of();
  private FullLoad load;
  private boolean reloaded;
  private Capture capture;
  private RunningReplication replication;
  private Supplier<TaskStatus.Cutover> cutover = () -> null;
  private TaskStatus.SourceWatch sourceWatch;
  private TaskCounters ended = TaskCounters.NONE;
  private long epoch;
  private String problem;
  private String definitions;
  private final Map<Integer, CompletionProgress> completed = new TreeMap<>();
  private TableCompletion completion;

  public synchronized void tables(List<TableId> names) {
    tables = List.copyOf(names);
  }

  public synchronized List<TableId> tables() {
    return tables;
  }

  /** How the task learns of DDL. */
  public synchronized void definitions(String how) {
    definitions = how;
  }

  /** Null before it was looked at. */
  public synchronized String definitions() {
    return definitions;
  }

  public synchronized void epoch(long claimed) {
    epoch = claimed;
  }

  public synchronized long epoch() {
    return epoch;
  }

  /**
   * A load.
   *
   * @param again whether an attempt before it was broken off
   */
  public synchronized void load(FullLoad running, boolean again) {
    load = running;
    reloaded = again;
  }

  /** How far the completion of the tables was when it was looked up. */
  public synchronized void completed(List<CompletionProgress> steps) {
    completion = null;
    completed.clear();
    steps.forEach(step -> completed.put(step.number(), step));
  }

  /** The completion that runs from now on. */
  public synchronized void completion(TableCompletion running) {
    completionProgress().forEach(step -> completed.put(step.number(), step));
    completion = running;
  }

  /** All steps in the order in which they were planned. */
  public synchronized List<CompletionProgress> completionProgress() {
    Map<Integer, CompletionProgress> all = new TreeMap<>(completed);
    Optional.ofNullable(completion)
        .or(() -> Optional.ofNullable(load).map(FullLoad::completion))
        .ifPresent(running -> running.progress().forEach(step -> all.put(step.number(), step)));
    return List.copyOf(all.values());
  }

  public synchronized boolean isReloaded() {
    return reloaded;
  }

  public synchronized List<LoadProgress> loadProgress() {
    return load == null ? List.of() : load.progress();
  }

  /** What was expected of the tables of the load. */
  public synchronized Map<TableId, LoadExpectation> loadExpectations() {
    return load == null ? Map.of() : load.expectations();
  }

  /** Whether a load or a reload is held up by its limits. */
  public synchronized boolean isLoadThrottled() {
    return load != null && load.isThrottled()
        || replication != null && replication.isReloadThrottled();
  }

  /** A capture that runs while the load does. */
  public synchronized void capture(Capture running) {
    capture = running;
  }

  /** That capture's end: what it captured stays counted. */
  public synchronized void captureEnded() {
    if (capture != null) {
      ended = ended.plus(capture.progress());
      capture = null;
    }
  }

  /** A replication, which has the capture from here on. */
  public synchronized void replication(RunningReplication running) {
    capture = null;
    replication = running;
    problem = null;
  }

  /** What it captured and applied stays counted. */
  public synchronized void replicationEnded() {
    if (replication != null) {
      ended = ended.plus(replication.captured()).plus(replication.applied());
      replication = null;
    }
  }

  public synchronized Optional<CaptureProgress> captured() {
    return replication != null
        ? Optional.of(replication.captured())
        : Optional.ofNullable(capture).map(Capture::progress);
  }

  /** Everything since the daemon's start. */
  public synchronized TaskCounters totals() {
    TaskCounters totals = ended;
    Optional<CaptureProgress> captured = captured();
    if (captured.isPresent()) {
      totals = totals.plus(captured.get());
    }
    return replication == null ? totals : totals.plus(replication.applied());
  }

  public synchronized void problem(String what) {
    problem = what;
  }

  /** What keeps the task from going on at present; null where nothing does. */
  public synchronized String problem() {
    return problem;
  }

  /** What was written on the source after the cutover, as it was looked at last. */
  public synchronized void sourceWatch(TaskStatus.SourceWatch latest) {
    sourceWatch = latest;
  }

  /** Null before it was looked at. */
  public synchronized TaskStatus.SourceWatch sourceWatch() {
    return sourceWatch;
  }

  /** The cutover that runs, or ran last. */
  public synchronized void cutover(Supplier<TaskStatus.Cutover> latest) {
    cutover = latest;
  }

  /** Null before the first one. */
  public synchronized TaskStatus.Cutover cutover() {
    return cutover.get();
  }
}
