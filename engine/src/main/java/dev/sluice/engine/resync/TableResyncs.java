package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings suspended tables back, one at a time, while the main stream goes on: reloads those that
 * are to be reloaded, lets them catch up, and join. What is to be done is read from the target, so
 * that it goes on after any end of the daemon. A thread of its own under one claimed epoch; orders
 * come from any.
 */
public final class TableResyncs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableResyncs.class);

  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(15);

  private final LaneContext parts;
  private final SuspensionStore suspensions;
  private final Supplier<ApplyProgress> main;
  private final ResyncState board;
  private final Thread thread;

  private volatile SluiceException failure;
  private volatile boolean takenIn;

  // These fields are protected by this object's lock.
  private boolean ordered = true;

  /** Nothing more is begun under this capture. */
  private boolean newCapture;

  private TableResyncs(
      LaneContext parts, SuspensionStore suspensions, Supplier<ApplyProgress> main) {
    this.parts = parts;
    this.suspensions = suspensions;
    this.main = main;
    this.board = new ResyncState(main);
    this.thread = new Thread(this::run, "sluice-return-" + parts.task().task());
    thread.setDaemon(true);
  }

  /**
   * Starts to look for tables that are to be brought back.
   *
   * @param main what the main stream has done
   */
  public static TableResyncs start(
      LaneContext parts, SuspensionStore suspensions, Supplier<ApplyProgress> main) {
    TableResyncs returns = new TableResyncs(parts, suspensions, main);
    returns.thread.start();
    return returns;
  }

  /**
   * Orders that tables catch up from where they stand.
   *
   * @throws SluiceException.Fatal naming what cannot be
   */
  public void resume(List<TableId> tables) {
    suspensions.resume(tables);
    lookAgain();
    LOG.info("ordered: {} catch up from where they stand", tables);
  }

  /**
   * Orders that tables are copied anew.
   *
   * @throws SluiceException.Fatal naming what cannot be
   */
  public void reload(List<TableId> tables) {
    suspensions.reload(tables);
    lookAgain();
    LOG.info("ordered: {} are reloaded, and passed over from here on", tables);
  }

  /**
   * Orders that tables are copied, and followed from then on, that the capture does not know: it
   * has to be begun anew before.
   *
   * @throws SluiceException.Fatal naming what cannot be
   */
  public void takeIn(List<TableId> tables) {
    synchronized (this) {
      newCapture = true;
    }
    try {
      suspensions.reload(tables);
    } catch (SluiceException e) {
      synchronized (this) {
        // What was ordered meanwhile was not begun.
        newCapture = false;
        ordered = true;
        notifyAll();
      }
      throw e;
    }
    takenIn = true;
    LOG.info("ordered: {} are taken in, and copied when the capture follows them", tables);
  }

  /** Whether tables wait for a capture that follows them. */
  public boolean wantsNewCapture() {
    return takenIn;
  }

  /** Why it ended by itself. */
  public Optional<SluiceException> failure() {
    return Optional.ofNullable(failure);
  }

  /** What is known, and under way. */
  public ResyncState board() {
    return board;
  }

  /** Ends what is under way, which goes on at the next start. Idempotent. */
  @Override
  public void close() {
    board.close();
    board.reloading().ifPresent(TableReload::stop);
    thread.interrupt();
    try {
      thread.join(CLOSE_PATIENCE.toMillis());
      if (thread.isAlive()) {
        LOG.warn("what brings tables back does not end within {} s", CLOSE_PATIENCE.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (awaitOrder()) {
        for (Optional<SuspendedTable> next = next(); next.isPresent(); next = next()) {
          new TableResync(parts, suspensions, main, board, next.get()).run();
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("ends, since the replication does");
    } catch (SluiceException e) {
      ended(e);
    } catch (RuntimeException | Error e) {
      LOG.error("what brings tables back fails: {}", e.toString(), e);
      ended(new SluiceException.Fatal("BUG: what brings tables back failed: " + e, e));
    }
  }

  private void ended(SluiceException reason) {
    if (!board.isClosed()) {
      failure = reason;
    }
  }

  private synchronized boolean awaitOrder() throws InterruptedException {
    while (!ordered && !board.isClosed()) {
      wait();
    }
    ordered = false;
    return !board.isClosed();
  }

  private void lookAgain() {
    board.know(suspensions::read);
    synchronized (this) {
      ordered = true;
      notifyAll();
    }
  }

  /** The table that has waited longest; empty where none waits, or none is to be begun. */
  private Optional<SuspendedTable> next() {
    board.know(suspensions::read);
    return board.isClosed() || awaitsNewCapture() ? Optional.empty() : board.next();
  }

  private synchronized boolean awaitsNewCapture() {
    return newCapture;
  }
}
