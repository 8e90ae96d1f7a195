package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadExpectation;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.engine.load.completion.CompletionProgress;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.FallbackStatus;
import dev.sluice.engine.status.LoadedRows;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.engine.status.SourceWatchStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What runs in the daemon at present. Set by the daemon's main thread, read by the threads of the
 * status and of commands. Threadsafe: each method is atomic.
 */
public final class TaskRuntime {
  private List<TableId> tables = List.of();
  private FullLoad load;
  private LoadedRows loadedBefore = LoadedRows.NONE;
  private boolean reloaded;
  private Capture capture;
  private RunningReplication replication;
  private Supplier<CutoverStatus> cutover = () -> null;
  private Supplier<CutoverStatus> rehearsal = () -> null;
  private SourceWatchStatus sourceWatch;
  private FallbackStatus fallback;
  private TaskCounters ended = TaskCounters.NONE;
  private long epoch;
  private final OpenProblems problems = new OpenProblems();
  private String definitions;
  private final Map<Integer, CompletionProgress> completed = new TreeMap<>();
  private TableCompletion completion;

  public synchronized void tables(List<TableId> names) {
    tables = List.copyOf(names);
  }

  public synchronized List<TableId> tables() {
    return tables;
  }

  /** Sets how the task detects DDL, in words. */
  public synchronized void definitions(String how) {
    definitions = how;
  }

  /** Null before it was determined. */
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
   * Sets the load that runs.
   *
   * @param again whether it repeats an interrupted attempt
   */
  public synchronized void load(FullLoad running, boolean again) {
    loadedBefore = loaded();
    load = running;
    reloaded = again;
  }

  /** Sets the progress of the tables' completion as it was read from the target. */
  public synchronized void completed(List<CompletionProgress> steps) {
    completion = null;
    completed.clear();
    steps.forEach(step -> completed.put(step.number(), step));
  }

  /** Sets the completion that runs from now on. */
  public synchronized void completion(TableCompletion running) {
    completionProgress().forEach(step -> completed.put(step.number(), step));
    completion = running;
  }

  /** All completion steps in the order in which they were planned. */
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

  /** What all loads of this daemon have copied; what an earlier attempt left counts again. */
  public synchronized LoadedRows loaded() {
    LoadedRows loaded = loadedBefore;
    for (LoadProgress table : loadProgress()) {
      loaded = loaded.plus(table.rows(), table.bytes());
    }
    return loaded;
  }

  /** The expected sizes of the loaded tables. */
  public synchronized Map<TableId, LoadExpectation> loadExpectations() {
    return load == null ? Map.of() : load.expectations();
  }

  /** Whether the load limits slow down a load or a reload at present. */
  public synchronized boolean isLoadThrottled() {
    return load != null && load.isThrottled()
        || replication != null && replication.isReloadThrottled();
  }

  /** Sets the capture that has begun: what kept earlier attempts from it is over. */
  public synchronized void capture(Capture running) {
    capture = running;
    problems.atWork();
  }

  /** Ends that capture; its counters are kept. */
  public synchronized void captureEnded() {
    if (capture != null) {
      ended = ended.plus(capture.progress());
      capture = null;
    }
  }

  /** Sets the replication that runs; from now on the capture belongs to it. */
  public synchronized void replication(RunningReplication running) {
    capture = null;
    replication = running;
    problems.atWork();
  }

  /** Ends the replication; its counters are kept. */
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

  /** Counters since the daemon's start. */
  public synchronized TaskCounters totals() {
    TaskCounters totals = ended;
    Optional<CaptureProgress> captured = captured();
    if (captured.isPresent()) {
      totals = totals.plus(captured.get());
    }
    return replication == null ? totals : totals.plus(replication.applied());
  }

  /** Counts work that is tried again. */
  public synchronized void retried(RetriedWork work) {
    ended = ended.retried(work);
  }

  /** Sets the problem of this kind. Problems of other kinds stay. */
  public synchronized void problem(ProblemKind kind, String what) {
    problems.set(kind, what);
  }

  /** Sets or ends the problem of this kind. */
  public synchronized void problem(ProblemKind kind, Optional<String> what) {
    what.ifPresentOrElse(words -> problems.set(kind, words), () -> problems.end(kind));
  }

  /** Work without a capture has begun: what kept earlier attempts from it is over. */
  public synchronized void atWork() {
    problems.atWork();
  }

  public synchronized void noProblem(ProblemKind kind) {
    problems.end(kind);
  }

  /** All problems, in words; empty if there is none. */
  public synchronized Optional<String> problem() {
    return problems.words();
  }

  /** The problem of this kind, in words. */
  public synchronized Optional<String> problem(ProblemKind kind) {
    return problems.of(kind);
  }

  public synchronized Set<ProblemKind> problemKinds() {
    return problems.kinds();
  }

  /** Sets the last check of what was written on the source after the cutover. */
  public synchronized void sourceWatch(SourceWatchStatus latest) {
    sourceWatch = latest;
  }

  /** Null before the first check. */
  public synchronized SourceWatchStatus sourceWatch() {
    return sourceWatch;
  }

  /** Sets what was seen last of the way back. */
  public synchronized void fallback(FallbackStatus latest) {
    fallback = latest;
  }

  /** Null before the first look, and without a way back. */
  public synchronized FallbackStatus fallback() {
    return fallback;
  }

  /** Sets the rehearsal that runs, or ran last. */
  public synchronized void rehearsal(Supplier<CutoverStatus> latest) {
    rehearsal = latest;
  }

  /** Null before the first one. */
  public synchronized CutoverStatus rehearsal() {
    return rehearsal.get();
  }

  /** Sets the cutover that runs, or ran last. */
  public synchronized void cutover(Supplier<CutoverStatus> latest) {
    cutover = latest;
  }

  /** Null before the first one. */
  public synchronized CutoverStatus cutover() {
    return cutover.get();
  }
}
