package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resyncs suspended tables, one at a time, while the other tables continue: reloads a table if
 * needed, and lets it catch up and join. The work to do is recorded on the target, so a restart of
 * the daemon continues it. Runs in its own thread under one claimed epoch; requests may come from
 * any thread.
 */
public final class TableResyncs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableResyncs.class);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(15);

  private final LaneContext context;
  private final SuspensionStore suspensions;
  private final Supplier<ApplyProgress> main;
  private final Consumer<TableId> replaced;
  private final ResyncState state;
  private final Thread thread;

  private volatile SluiceException failure;
  private volatile boolean added;

  // These fields are protected by this object's lock.
  private boolean requested = true;

  /** True if no resync may start while this capture runs. */
  private boolean newCapture;

  private TableResyncs(
      LaneContext context,
      SuspensionStore suspensions,
      Supplier<ApplyProgress> main,
      Consumer<TableId> replaced) {
    this.context = context;
    this.suspensions = suspensions;
    this.main = main;
    this.replaced = replaced;
    this.state = new ResyncState(main);
    this.thread = new Thread(this::run, "sluice-resync-" + context.task().task());
    thread.setDaemon(true);
  }

  /**
   * Starts the thread.
   *
   * @param main the progress of the task's lanes
   * @param replaced gets each table whose rows are about to be loaded again
   */
  public static TableResyncs start(
      LaneContext context,
      SuspensionStore suspensions,
      Supplier<ApplyProgress> main,
      Consumer<TableId> replaced) {
    TableResyncs resyncs = new TableResyncs(context, suspensions, main, replaced);
    resyncs.thread.start();
    return resyncs;
  }

  /**
   * Requests that tables catch up from their positions.
   *
   * @throws SluiceException.Fatal naming the tables that cannot be resumed
   */
  public void resume(List<TableId> tables) {
    suspensions.resume(tables);
    startNow();
    LOG.info("requested: {} catch up from their positions", tables);
  }

  /**
   * Requests that tables are copied again.
   *
   * @throws SluiceException.Fatal naming the tables that cannot be reloaded
   */
  public void reload(List<TableId> tables) {
    noteLoaded(tables);
    suspensions.reload(tables);
    startNow();
    LOG.info("requested: {} are reloaded; their changes are skipped until then", tables);
  }

  /**
   * Notes tables whose rows are the task's own: those that are followed and not suspended, even if
   * they had no first load, since a resync of the task may have written the rows.
   */
  private void noteLoaded(List<TableId> tables) {
    Set<TableId> suspended =
        suspensions.read().stream().map(SuspendedTable::table).collect(Collectors.toSet());
    List<TaskStep> steps = context.task().steps().all(context.task().task());
    tables.stream()
        .filter(table -> !suspended.contains(table))
        .filter(table -> isRequested(steps, table))
        .forEach(table -> recordFirst(table, TaskStepNames.FIRST_LOAD_BEGUN));
  }

  private static boolean isRequested(List<TaskStep> steps, TableId table) {
    return steps.stream()
        .anyMatch(
            step ->
                step.step().equals(TaskStepNames.FIRST_LOAD + table)
                    && step.state().equals(TaskStepNames.FIRST_LOAD_REQUESTED));
  }

  private void recordFirst(TableId table, String state) {
    context.task().steps().record(context.claimed(), TaskStepNames.FIRST_LOAD + table, state, "");
  }

  /**
   * Requests that tables are added: copied, and replicated from then on. The capture must be
   * started again first, to follow them.
   *
   * @param unknown those of the tables that the task did not follow before
   * @throws SluiceException.Fatal naming the tables that cannot be added
   */
  public void takeIn(List<TableId> tables, List<TableId> unknown) {
    synchronized (this) {
      newCapture = true;
    }
    try {
      // Recorded before the reload, which may wait for long while others fill the table.
      unknown.forEach(table -> recordFirst(table, TaskStepNames.FIRST_LOAD_REQUESTED));
      suspensions.reload(tables, unknown);
    } catch (SluiceException e) {
      synchronized (this) {
        // Starts requests that came meanwhile.
        newCapture = false;
        requested = true;
        notifyAll();
      }
      throw e;
    }
    state.know(suspensions::read);
    added = true;
    LOG.info("requested: {} are added, and copied once the capture follows them", tables);
  }

  /** Whether added tables need a new capture that follows them. */
  public boolean wantsNewCapture() {
    return added;
  }

  /** The failure that ended the thread; empty while it runs. */
  public Optional<SluiceException> failure() {
    return Optional.ofNullable(failure);
  }

  /** The suspended tables, and the resync in flight. */
  public ResyncState state() {
    return state;
  }

  /** Ends the resync in flight; the next start continues it. Idempotent. */
  @Override
  public void close() {
    state.close();
    state.reloading().ifPresent(TableReload::stop);
    thread.interrupt();
    try {
      thread.join(CLOSE_TIMEOUT.toMillis());
      if (thread.isAlive()) {
        LOG.warn("the resync thread did not end within {} s", CLOSE_TIMEOUT.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (awaitRequest()) {
        for (Optional<SuspendedTable> next = next(); next.isPresent(); next = next()) {
          new TableResync(context, suspensions, main, replaced, state, next.get()).run();
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("the resync ends with the replication");
    } catch (SluiceException e) {
      ended(e);
    } catch (RuntimeException | Error e) {
      LOG.error("the resync failed: {}", e.toString(), e);
      ended(new SluiceException.Fatal("BUG: the resync failed: " + e, e));
    }
  }

  private void ended(SluiceException reason) {
    if (!state.isClosed()) {
      failure = reason;
    }
  }

  private synchronized boolean awaitRequest() throws InterruptedException {
    while (!requested && !state.isClosed()) {
      wait();
    }
    requested = false;
    return !state.isClosed();
  }

  private void startNow() {
    state.know(suspensions::read);
    synchronized (this) {
      requested = true;
      notifyAll();
    }
  }

  /** The table that has waited the longest; empty if none waits or may start. */
  private Optional<SuspendedTable> next() {
    state.know(suspensions::read);
    return state.isClosed() || awaitsNewCapture() ? Optional.empty() : state.next();
  }

  private synchronized boolean awaitsNewCapture() {
    return newCapture;
  }
}
