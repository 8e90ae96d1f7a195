package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.engine.context.TaskCounters;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The suspended tables, and the resync in flight of one of them. Written by {@link TableResyncs}
 * and {@link TableResync}. Threadsafe.
 */
public final class ResyncState {
  private final Supplier<ApplyProgress> main;

  /** Held while the target is read. */
  private final Object reading = new Object();

  // These fields are protected by this object's lock.
  private Map<TableId, SuspendedTable> known;
  private final Map<TableId, Instant> joined = new HashMap<>();
  private TableReload reload;
  private TableCatchUp catchUp;
  private TaskCounters ended = TaskCounters.NONE;
  private boolean closed;

  /**
   * @param main the progress of the task's lanes, with the tables that they skip
   */
  ResyncState(Supplier<ApplyProgress> main) {
    this.main = main;
    this.known = byName(main.get().suspended());
  }

  /** The suspended tables as they are now, by name. */
  public synchronized List<SuspendedTable> suspended() {
    Map<TableId, SuspendedTable> all = new TreeMap<>(known);
    for (SuspendedTable table : main.get().suspended()) {
      // The lanes read the suspended tables again with their next window.
      Instant back = joined.get(table.table());
      if (back == null || table.since().isAfter(back)) {
        all.putIfAbsent(table.table(), table);
      }
    }
    return List.copyOf(all.values());
  }

  /** The reload in flight. */
  public synchronized Optional<TableReload> reloading() {
    return Optional.ofNullable(reload);
  }

  /** The catch-up in flight. */
  public synchronized Optional<CatchingUp> catchingUp() {
    return Optional.ofNullable(catchUp).map(lane -> new CatchingUp(lane.table(), lane.applied()));
  }

  /** Counters of what all catch-ups have applied. */
  public synchronized TaskCounters applied() {
    return catchUp == null ? ended : ended.plus(catchUp.applied());
  }

  /** Counts that a resync is tried again. */
  synchronized void retried() {
    ended = ended.retried(RetriedWork.RESYNC);
  }

  /**
   * Replaces the suspended tables by what the target has.
   *
   * @param read reads the target. Only another read waits meanwhile, so that the later result is
   *     kept
   */
  void know(Supplier<List<SuspendedTable>> read) {
    synchronized (reading) {
      Map<TableId, SuspendedTable> now = byName(read.get());
      synchronized (this) {
        known = now;
      }
    }
  }

  /** The table that has waited longest for its resync. */
  synchronized Optional<SuspendedTable> next() {
    return known.values().stream()
        .filter(table -> table.state() != SuspensionState.SUSPENDED)
        .min(Comparator.comparing(SuspendedTable::since));
  }

  synchronized Optional<SuspendedTable> find(TableId table) {
    return Optional.ofNullable(known.get(table));
  }

  synchronized void joined(TableId table, Instant now) {
    joined.put(table, now);
    known.remove(table);
  }

  /** Returns whether the reload may start; false after {@link #close}. */
  synchronized boolean begin(TableReload copy) {
    if (!closed) {
      reload = copy;
    }
    return !closed;
  }

  synchronized void endReload() {
    reload = null;
  }

  synchronized void begin(TableCatchUp lane) {
    catchUp = lane;
  }

  synchronized void endCatchUp() {
    ended = ended.plus(catchUp.applied());
    catchUp = null;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** From now on no resync is started. Idempotent. */
  synchronized void close() {
    closed = true;
  }

  private static Map<TableId, SuspendedTable> byName(List<SuspendedTable> tables) {
    Map<TableId, SuspendedTable> byName = new TreeMap<>();
    tables.forEach(table -> byName.put(table.table(), table));
    return byName;
  }

  /**
   * A catch-up in flight. Immutable.
   *
   * @param applied what its lane has applied since its start
   */
  public record CatchingUp(TableId table, ApplyProgress applied) {}
}
