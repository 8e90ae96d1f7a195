package dev.sluice.engine.task;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.sink.checkpoint.SuspendedTable;
import dev.sluice.sink.checkpoint.SuspensionState;
import dev.sluice.sink.checkpoint.Suspensions;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings suspended tables back, one at a time, while the main stream goes on: reloads those that
 * are to be reloaded, lets them catch up, and join. What is to be done is read from the target, so
 * that it goes on after any end of the daemon. A thread of its own under one claimed epoch; orders
 * and questions come from any.
 */
final class TableReturns implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableReturns.class);

  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(15);

  private final TaskParts parts;
  private final LaneParts ofLanes;
  private final Suspensions suspensions;
  private final Supplier<ApplyProgress> main;
  private final Clock clock;
  private final Thread thread;

  private volatile SluiceException failure;
  private volatile boolean takenIn;

  // These fields are protected by this object's lock.
  private Map<TableId, SuspendedTable> known;
  private final Map<TableId, Instant> joined = new HashMap<>();
  private TableReload reload;
  private TableCatchUp catchUp;
  private Totals ended = Totals.NONE;
  private boolean ordered = true;

  /** Nothing more is begun under this capture. */
  private boolean newCapture;

  private boolean closing;

  private TableReturns(LaneParts ofLanes, Suspensions suspensions, Supplier<ApplyProgress> main) {
    this.parts = ofLanes.task();
    this.ofLanes = ofLanes;
    this.suspensions = suspensions;
    this.known = byName(main.get().suspended());
    this.main = main;
    this.clock = ofLanes.clock();
    this.thread = new Thread(this::run, "sluice-return-" + parts.task());
    thread.setDaemon(true);
  }

  /**
   * Starts to look for tables that are to be brought back.
   *
   * @param main what the main stream has done
   */
  static TableReturns start(
      LaneParts ofLanes, Suspensions suspensions, Supplier<ApplyProgress> main) {
    TableReturns returns = new TableReturns(ofLanes, suspensions, main);
    returns.thread.start();
    return returns;
  }

  /**
   * Orders that tables catch up from where they stand.
   *
   * @throws SluiceException.Fatal naming what cannot be
   */
  void resume(List<TableId> tables) {
    suspensions.resume(tables);
    lookAgain();
    LOG.info("ordered: {} catch up from where they stand", tables);
  }

  /**
   * Orders that tables are copied anew.
   *
   * @throws SluiceException.Fatal naming what cannot be
   */
  void reload(List<TableId> tables) {
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
  void takeIn(List<TableId> tables) {
    synchronized (this) {
      newCapture = true;
    }
    try {
      suspensions.reload(tables);
    } catch (SluiceException e) {
      synchronized (this) {
        newCapture = false;
        notifyAll();
      }
      throw e;
    }
    takenIn = true;
    LOG.info("ordered: {} are taken in, and copied when the capture follows them", tables);
  }

  /** Whether tables wait for a capture that follows them. */
  boolean wantsNewCapture() {
    return takenIn;
  }

  /** Why it ended by itself. */
  Optional<SluiceException> failure() {
    return Optional.ofNullable(failure);
  }

  /** The suspended tables as they are now, by name. */
  synchronized List<SuspendedTable> suspended() {
    Map<TableId, SuspendedTable> all = new TreeMap<>(known);
    for (SuspendedTable table : main.get().suspended()) {
      // The main stream hears of what has joined with its next window.
      Instant back = joined.get(table.table());
      if (back == null || table.since().isAfter(back)) {
        all.putIfAbsent(table.table(), table);
      }
    }
    return List.copyOf(all.values());
  }

  /** The copy that is under way. */
  synchronized Optional<TableReload> reloading() {
    return Optional.ofNullable(reload);
  }

  /** How far the lane is that is under way, with its table. */
  synchronized Optional<CatchingUp> catchingUp() {
    return Optional.ofNullable(catchUp).map(lane -> new CatchingUp(lane.table(), lane.applied()));
  }

  /** What the lanes have applied. */
  synchronized Totals applied() {
    return catchUp == null ? ended : ended.plus(catchUp.applied());
  }

  /** Ends what is under way, which goes on at the next start. Idempotent. */
  @Override
  public void close() {
    TableReload running;
    synchronized (this) {
      closing = true;
      running = reload;
      notifyAll();
    }
    if (running != null) {
      running.stop();
    }
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
          bringBack(next.get());
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("ends, since the replication does");
    } catch (SluiceException e) {
      ended(e);
    } catch (RuntimeException e) {
      LOG.error("what brings tables back fails: {}", e.toString(), e);
      ended(new SluiceException.Fatal("BUG: what brings tables back failed: " + e, e));
    }
  }

  private synchronized void ended(SluiceException reason) {
    if (!closing) {
      failure = reason;
    }
  }

  private synchronized boolean awaitOrder() throws InterruptedException {
    while (!ordered && !closing) {
      wait();
    }
    ordered = false;
    return !closing;
  }

  private void lookAgain() {
    refresh();
    synchronized (this) {
      ordered = true;
      notifyAll();
    }
  }

  /** The table that has waited longest; empty where none waits. */
  private Optional<SuspendedTable> next() {
    refresh();
    synchronized (this) {
      return closing || newCapture
          ? Optional.empty()
          : known.values().stream()
              .filter(table -> table.state() != SuspensionState.SUSPENDED)
              .min(Comparator.comparing(SuspendedTable::since));
    }
  }

  /** Not while the lock is held: the status must not wait for a target that is away. */
  private void refresh() {
    Map<TableId, SuspendedTable> now = byName(suspensions.read());
    synchronized (this) {
      known = now;
    }
  }

  private void bringBack(SuspendedTable table) throws InterruptedException {
    int failures = 0;
    boolean tried = false;
    while (!tried && !isClosing()) {
      try {
        tryToBringBack(table);
        tried = true;
      } catch (SluiceException.Fenced | SluiceException.Rewound e) {
        throw e;
      } catch (SluiceException.Retryable e) {
        if (isClosing()) {
          return;
        }
        failures++;
        Optional<Duration> wait = parts.recoverableErrors().waitAfter(failures);
        if (wait.isEmpty()) {
          suspendAgain(table.table(), e);
          return;
        }
        LOG.warn(
            "the return of {} is tried again in {} s: {}",
            table.table(),
            wait.get().toMillis() / 1000.0,
            e.getMessage());
        Thread.sleep(wait.get().toMillis());
        Optional<SuspendedTable> still = still(table.table());
        if (still.isEmpty()) {
          // It joined although the answer was lost.
          noteJoined(table.table());
          return;
        }
        table = still.get();
      } catch (SluiceException e) {
        suspendAgain(table.table(), e);
        return;
      }
    }
  }

  private Optional<SuspendedTable> still(TableId table) {
    refresh();
    synchronized (this) {
      return Optional.ofNullable(known.get(table));
    }
  }

  private void suspendAgain(TableId table, SluiceException reason) {
    if (isClosing()) {
      return;
    }
    String why = String.valueOf(reason.getMessage());
    suspensions.suspend(table, why);
    LOG.warn("table {} stays suspended, the others go on: {}", table, why);
  }

  private void tryToBringBack(SuspendedTable table) throws InterruptedException {
    if (table.state() == SuspensionState.RELOADING) {
      reload(table.table());
    } else if (table.journaled()) {
      catchUp(table);
    } else {
      throw new SluiceException.Fatal(
          "the journal was made anew and lacks changes of %s; reload it".formatted(table.table()),
          null);
    }
  }

  private void reload(TableId table) {
    TableReload running = new TableReload(ofLanes, suspensions, table);
    synchronized (this) {
      if (closing) {
        return;
      }
      reload = running;
    }
    try {
      running.run();
    } finally {
      synchronized (this) {
        reload = null;
      }
    }
  }

  private void catchUp(SuspendedTable table) throws InterruptedException {
    Supplier<AppliedPoint> lane = () -> main.get().applied();
    LOG.info(
        "table {} catches up from {}, journal offset {}; the others are at {}, offset {}",
        table.table(),
        table.applied().position(),
        table.applied().nextOffset(),
        lane.get().position(),
        lane.get().nextOffset());
    try (TableCatchUp running = new TableCatchUp(ofLanes, suspensions, table, lane)) {
      synchronized (this) {
        catchUp = running;
      }
      try {
        if (running.run()) {
          noteJoined(table.table());
        }
      } finally {
        synchronized (this) {
          ended = ended.plus(running.applied());
          catchUp = null;
        }
      }
    }
  }

  private synchronized void noteJoined(TableId table) {
    joined.put(table, clock.instant());
    known.remove(table);
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  private static Map<TableId, SuspendedTable> byName(List<SuspendedTable> tables) {
    Map<TableId, SuspendedTable> byName = new TreeMap<>();
    tables.forEach(table -> byName.put(table.table(), table));
    return byName;
  }

  /**
   * A lane under way. Immutable.
   *
   * @param applied what it has applied since it was started
   */
  record CatchingUp(TableId table, ApplyProgress applied) {}
}
