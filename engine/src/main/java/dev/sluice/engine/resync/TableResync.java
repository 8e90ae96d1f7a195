package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.RetryRequests;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The next step of one table's return: its reload, or its way to the main stream. What may pass is
 * tried again as RecoverableError says; after anything else the table stays suspended. Owned by the
 * thread that brings tables back; single use.
 */
final class TableResync {
  private static final Logger LOG = LoggerFactory.getLogger(TableResync.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final LaneContext parts;
  private final SuspensionStore suspensions;
  private final Supplier<ApplyProgress> main;
  private final ResyncState board;
  private final TableId name;
  private SuspendedTable table;

  TableResync(
      LaneContext parts,
      SuspensionStore suspensions,
      Supplier<ApplyProgress> main,
      ResyncState board,
      SuspendedTable table) {
    this.parts = parts;
    this.suspensions = suspensions;
    this.main = main;
    this.board = board;
    this.name = table.table();
    this.table = table;
  }

  /**
   * Makes the step, or ends early where the board is closed.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   * @throws SluiceException.Rewound where the target has lost what it had
   */
  void run() throws InterruptedException {
    for (int failures = 1; !board.isClosed(); failures++) {
      try {
        step();
        return;
      } catch (SluiceException.Fenced | SluiceException.Rewound e) {
        throw e;
      } catch (SluiceException.Retryable e) {
        if (board.isClosed() || !awaitNextTry(failures, e)) {
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
          "the journal was made anew and lacks changes of %s; reload it".formatted(name), null);
    }
  }

  private void reload() {
    TableReload running = new TableReload(parts, suspensions, name);
    if (!board.begin(running)) {
      return;
    }
    try {
      running.run();
    } finally {
      board.endReload();
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
    try (TableCatchUp running = new TableCatchUp(parts, suspensions, table, from, others)) {
      board.begin(running);
      try {
        if (running.run()) {
          board.joined(name, parts.clock().instant());
        }
      } finally {
        board.endCatchUp();
      }
    }
  }

  /** Says whether there is another try; else the table stays suspended, or has joined. */
  private boolean awaitNextTry(int failures, SluiceException reason) throws InterruptedException {
    Optional<Duration> wait = parts.task().recoverableErrors().waitAfter(failures);
    if (wait.isEmpty()) {
      suspendAgain(reason);
      return false;
    }
    LOG.warn(
        "the return of {} is tried again in {} s: {}",
        name,
        wait.get().toMillis() / 1000.0,
        reason.getMessage());
    RetryRequests retries = parts.task().retries();
    long orders = retries.count();
    Instant due = parts.clock().instant().plus(wait.get());
    while (parts.clock().instant().isBefore(due) && retries.count() == orders) {
      Thread.sleep(LOOK.toMillis());
    }
    board.know(suspensions::read);
    Optional<SuspendedTable> still = board.find(name);
    if (still.isEmpty()) {
      // It joined although the answer was lost.
      board.joined(name, parts.clock().instant());
      return false;
    }
    table = still.get();
    return true;
  }

  private void suspendAgain(SluiceException reason) {
    if (board.isClosed()) {
      return;
    }
    String why = String.valueOf(reason.getMessage());
    suspensions.suspend(name, why);
    LOG.warn("table {} stays suspended, the others go on: {}", name, why);
  }
}
