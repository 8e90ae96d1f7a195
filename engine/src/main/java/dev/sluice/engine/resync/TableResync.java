package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The next step of one table's resync: its reload, or its catch-up. Retryable failures are retried
 * as the RecoverableError settings say; after any other failure the table stays suspended. Owned by
 * the resync thread; single use.
 */
final class TableResync {
  private static final Logger LOG = LoggerFactory.getLogger(TableResync.class);

  private final LaneContext context;
  private final SuspensionStore suspensions;
  private final Supplier<ApplyProgress> main;
  private final Consumer<TableId> replaced;
  private final ResyncState state;
  private final TableId name;
  private final Retries retries;
  private SuspendedTable table;

  TableResync(
      LaneContext context,
      SuspensionStore suspensions,
      Supplier<ApplyProgress> main,
      Consumer<TableId> replaced,
      ResyncState state,
      SuspendedTable table) {
    this.context = context;
    this.suspensions = suspensions;
    this.main = main;
    this.replaced = replaced;
    this.state = state;
    this.name = table.table();
    this.table = table;
    this.retries =
        new Retries(context.task().retryPolicy(), context.task().retries(), context.clock());
  }

  /**
   * Runs the step; ends early if the resync state is closed.
   *
   * @throws SluiceException.Fenced if another daemon has claimed the task
   * @throws SluiceException.Rewound if the target has lost commits
   */
  void run() throws InterruptedException {
    while (!state.isClosed()) {
      try {
        step();
        return;
      } catch (SluiceException.Fenced | SluiceException.Rewound e) {
        throw e;
      } catch (SluiceException.Retryable e) {
        if (state.isClosed() || !awaitNextTry(e)) {
          return;
        }
      } catch (SluiceException e) {
        suspendAgain(e);
        return;
      }
    }
  }

  private void step() throws InterruptedException {
    if (table.state() == SuspensionState.RELOADING) {
      reload();
    } else if (table.journaled()) {
      catchUp();
    } else {
      throw new SluiceException.Fatal(
          "the journal was created again and lacks changes of %s; make all tables equal again by difference with sluice stop, sluice resync and sluice run, or copy this one again with sluice reload"
              .formatted(name),
          null);
    }
  }

  private void reload() {
    TableReload running = new TableReload(context, suspensions, name);
    if (!state.begin(running)) {
      return;
    }
    replaced.accept(name);
    try {
      running.run();
    } finally {
      state.endReload();
    }
  }

  private void catchUp() throws InterruptedException {
    Supplier<AppliedPoint> others = () -> main.get().applied();
    JournalOffset from = suspensions.catchUpOffset(name);
    LOG.info(
        "table {} catches up from {}, journal offset {}; the others are at {}, offset {}",
        name,
        from.position(),
        from.nextOffset(),
        others.get().position(),
        others.get().nextOffset());
    try (TableCatchUp running = new TableCatchUp(context, suspensions, table, from, others)) {
      state.begin(running);
      try {
        if (running.run()) {
          state.joined(name, context.clock().instant());
        }
      } finally {
        state.endCatchUp();
      }
    }
  }

  /**
   * Waits for the next try. False if there is none, since the table stays suspended or has joined.
   */
  private boolean awaitNextTry(SluiceException reason) throws InterruptedException {
    Optional<Duration> wait = waitAfter(reason);
    if (wait.isEmpty()) {
      suspendAgain(reason);
      return false;
    }
    LOG.warn(
        "the resync of {} is tried again in {} s: {}",
        name,
        wait.get().toMillis() / 1000.0,
        reason.getMessage());
    state.retried();
    retries.await();
    state.know(suspensions::read);
    Optional<SuspendedTable> still = state.find(name);
    if (still.isEmpty()) {
      // The table has joined, but the confirmation of the commit was lost.
      state.joined(name, context.clock().instant());
      return false;
    }
    table = still.get();
    return true;
  }

  /**
   * The time to the next try. Empty if there is none, also if the target has failed without a known
   * reason for too long: the other tables continue.
   */
  private Optional<Duration> waitAfter(SluiceException reason) {
    try {
      return retries.failed(reason);
    } catch (SluiceException.Fatal e) {
      return Optional.empty();
    }
  }

  private void suspendAgain(SluiceException reason) {
    if (state.isClosed()) {
      return;
    }
    String why = String.valueOf(reason.getMessage());
    suspensions.suspend(name, why);
    LOG.warn("table {} stays suspended, the others continue: {}", name, why);
  }
}
