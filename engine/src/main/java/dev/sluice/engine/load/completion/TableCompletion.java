package dev.sluice.engine.load.completion;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.load.StepMaker;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import dev.sluice.sink.target.TargetServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the steps of one stage of the tables' completion, several at a time, each as soon as it may
 * run. Threadsafe: shared by the load, the workers and the status. Closed by its opener, which
 * cancels the steps in flight.
 */
public final class TableCompletion implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableCompletion.class);

  private final TargetServer target;
  private final CompletionSettings settings;
  private final Stage stage;
  private final Instant opened = Instant.now();

  // These fields are protected by this object's lock.
  private final CompletionQueue queue;
  private final Map<Integer, CompletionProgress> progress = new LinkedHashMap<>();
  private final List<CompletionWorker> workers = new ArrayList<>();
  private Optional<SluiceException> failure = Optional.empty();
  private boolean ending;

  private TableCompletion(
      TargetServer target, CompletionSettings settings, Stage stage, Collection<StoredStep> steps) {
    this.target = target;
    this.settings = settings;
    this.stage = stage;
    // If DDL is not part of a transaction, statements on one table run one after the other. On
    // MariaDB they would wait for each other, and the catalog may hide the table meanwhile, so that
    // a step would not find what it has created. YugabyteDB fails if it fills two indexes of one
    // table at the same time.
    this.queue = new CompletionQueue(steps, !target.dialect().ddl().isTransactional());
    steps.forEach(step -> progress.put(step.number(), CompletionProgress.tried(step)));
  }

  /**
   * Reads the stage's steps and starts the workers. No step starts before its table has all rows.
   *
   * @param tables the target tables to complete
   */
  public static TableCompletion open(
      TargetServer target, CompletionSettings settings, Stage stage, Predicate<TableId> tables) {
    List<StoredStep> steps =
        settings.journal().read().stream()
            .filter(step -> step.step().stage() == stage && tables.test(step.step().table()))
            .toList();
    TableCompletion completion = new TableCompletion(target, settings, stage, steps);
    completion.start();
    return completion;
  }

  /** Opens a stage for tables that already have all rows. */
  public static TableCompletion ofWhole(
      TargetServer target, CompletionSettings settings, Stage stage) {
    TableCompletion completion = open(target, settings, stage, table -> true);
    completion.allRowsWhole();
    return completion;
  }

  /** Called when a target table has all its rows. */
  public synchronized void rowsWhole(TableId table) {
    queue.rowsWhole(table);
    notifyAll();
  }

  private synchronized void allRowsWhole() {
    queue.allRowsWhole();
    notifyAll();
  }

  /**
   * Waits until all steps have ended.
   *
   * @return false after the timeout, or if it was closed
   * @throws SluiceException if it cannot continue
   */
  public synchronized boolean await(Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!queue.isEmpty() && failure.isEmpty() && !ending) {
      long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    return queue.isEmpty();
  }

  /** All steps in the order in which they were planned. */
  public synchronized List<CompletionProgress> progress() {
    return List.copyOf(progress.values());
  }

  /** How many steps have not ended. */
  public synchronized int open() {
    return queue.open();
  }

  /** Whether only steps of this kind are left. */
  public synchronized boolean isDoneBut(Kind kind) {
    return progress.values().stream()
        .allMatch(step -> step.isSettled() || step.kind().equals(kind.text()));
  }

  /** A summary of all steps in one line. */
  public synchronized String summary() {
    long failed = progress.values().stream().filter(CompletionProgress::isFailed).count();
    long skipped = progress.values().stream().filter(CompletionProgress::isSkipped).count();
    return "%d steps, of which %d failed and %d were skipped, in %.1f s"
        .formatted(
            progress.size(),
            failed,
            skipped,
            Duration.between(opened, Instant.now()).toMillis() / 1000.0);
  }

  /** Idempotent; returns when no worker is left. */
  @Override
  public void close() {
    List<CompletionWorker> running;
    synchronized (this) {
      ending = true;
      running = List.copyOf(workers);
      notifyAll();
    }
    running.forEach(CompletionWorker::abort);
    boolean interrupted = false;
    for (CompletionWorker worker : running) {
      while (worker.isAlive()) {
        try {
          worker.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      progress.replaceAll((number, step) -> step.interrupted());
    }
  }

  /** Opens a connection for a worker. */
  StepMaker maker() {
    return StepMaker.open(target, settings.journal(), stage, settings.memory());
  }

  /** Waits for a step that may run; empty if none is left. */
  synchronized Optional<StoredStep> take() throws InterruptedException {
    while (!ending && failure.isEmpty() && !queue.isEmpty()) {
      Optional<StoredStep> next = queue.next();
      if (next.isPresent()) {
        progress.computeIfPresent(next.get().number(), (number, step) -> step.begun(Instant.now()));
        return next;
      }
      wait();
    }
    return Optional.empty();
  }

  void ended(StoredStep step, StepMaker.Made made) {
    boolean stops =
        made.state() == State.FAILED
            && (settings.stopsAtFailure() || step.step().kind() == Kind.KEY);
    switch (made.state()) {
      case FAILED -> LOG.warn("{} failed: {}", step.thing(), made.detail());
      case SKIPPED -> LOG.warn("{} is skipped: {}", step.thing(), made.detail());
      default ->
          LOG.info(
              "{} of {} done in {} ms",
              step.thing(),
              step.step().table(),
              Duration.between(made.started(), made.ended()).toMillis());
    }
    synchronized (this) {
      queue.ended(step);
      progress.computeIfPresent(
          step.number(), (number, shown) -> shown.ended(made.state(), made.detail(), made.ended()));
      if (stops) {
        failed(refused(step, made));
      }
      notifyAll();
    }
  }

  /** The first failure ends the completion; failures that this causes are added as suppressed. */
  synchronized void failed(SluiceException error) {
    if (ending) {
      return;
    }
    failure.ifPresentOrElse(
        first -> first.addSuppressed(error), () -> failure = Optional.of(error));
    notifyAll();
  }

  private synchronized void start() {
    int count = Math.min(settings.threads(), queue.open());
    for (int i = 1; i <= count; i++) {
      workers.add(new CompletionWorker(i, this));
    }
    workers.forEach(Thread::start);
  }

  private static SluiceException refused(StoredStep step, StepMaker.Made made) {
    DefinitionStatement last = step.step().statements().get(step.step().statements().size() - 1);
    return new SluiceException.Fatal(
        new Problem(
            step.thing() + " on the target",
            made.detail(),
            step.step().kind() == Kind.VALIDATION
                ? "rows that fulfil the constraint"
                : "the same definition as on the source: " + last.sql(),
            step.step().kind() == Kind.KEY
                ? "Remove the cause and start the task again: it continues there"
                : "Remove the cause and start the task again: it continues there. Or set"
                    + " TableErrorPolicy to SUSPEND_TABLE: the task then reports it and"
                    + " continues"));
  }
}
