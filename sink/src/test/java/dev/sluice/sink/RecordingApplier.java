package dev.sluice.sink;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.Rounds;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.WindowApplier;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/** A target in memory with one table of two columns. Its methods may be called by any thread. */
final class RecordingApplier implements WindowApplier {
  private final Map<String, String> items = new TreeMap<>();
  private final List<ClosedWindow> windows = new ArrayList<>();
  private final List<SluiceException> failures = new ArrayList<>();
  private final Semaphore gate = new Semaphore(1_000_000);
  private int rounds;
  private int durable;
  private boolean prepared;
  private boolean closed;
  private Error broken;

  /** From now on each window waits for {@link #letAll}. */
  void block() {
    gate.drainPermits();
  }

  void letAll() {
    gate.release(1_000_000);
  }

  synchronized void failNext(SluiceException failure) {
    failures.add(failure);
  }

  /** From now on whatever is asked of it ends so. */
  synchronized void breakWith(Error error) {
    broken = error;
  }

  synchronized Map<String, String> items() {
    return new TreeMap<>(items);
  }

  synchronized List<ClosedWindow> windows() {
    return List.copyOf(windows);
  }

  synchronized int rounds() {
    return rounds;
  }

  synchronized int durable() {
    return durable;
  }

  synchronized boolean isPrepared() {
    return prepared;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Reaches the target only at the second call, which nobody makes. */
  @Override
  public synchronized void prepare() {
    prepared = true;
    throw new SluiceException.Retryable("the target does not answer yet", null);
  }

  @Override
  public AppliedWindow apply(ClosedWindow window) {
    gate.acquireUninterruptibly();
    synchronized (this) {
      requireWhole();
      Optional<SluiceException> failure =
          failures.isEmpty() ? Optional.empty() : Optional.of(failures.remove(0));
      Map<String, String> before = new TreeMap<>(items);
      long netChanges = 0;
      try (Rounds opened = window.rounds().get()) {
        for (Round round = opened.next(); round != null; round = opened.next()) {
          rounds++;
          netChanges += apply(round);
        }
      }
      if (failure.isPresent()) {
        items.clear();
        items.putAll(before);
        throw failure.get();
      }
      windows.add(window);
      return new AppliedWindow(
          netChanges,
          1,
          Map.of(new TableId("shop", "items"), new TableCounters(netChanges, 0, 0, 0)),
          Map.of(),
          Optional.of(window.captured().get()));
    }
  }

  /** Each window takes 7 ms to commit. */
  @Override
  public synchronized Map<ApplyStage, Duration> stages() {
    return Map.of(
        ApplyStage.LOCK, Duration.ZERO, ApplyStage.COMMIT, Duration.ofMillis(7L * windows.size()));
  }

  @Override
  public synchronized void makeDurable() {
    durable++;
  }

  @Override
  public void breakOff() {
    letAll();
  }

  @Override
  public synchronized void close() {
    requireWhole();
    closed = true;
  }

  private long apply(Round round) {
    if (!round.truncate().isEmpty()) {
      items.clear();
    }
    if (round instanceof Round.Ordered ordered) {
      for (RowChange change : ordered.changes()) {
        apply(List.of(new NetChange(change.match(), change.row())));
      }
      return ordered.changes().size();
    }
    if (round instanceof Round.Definitions) {
      return 0;
    }
    long count = 0;
    for (TableChanges table : ((Round.Net) round).tables()) {
      if (table instanceof TableChanges.Ordered ordered) {
        ordered
            .changes()
            .forEach(change -> apply(List.of(new NetChange(change.match(), change.row()))));
      } else {
        apply(((TableChanges.Keyed) table).changes());
      }
      count += table.count();
    }
    return count;
  }

  private void apply(List<NetChange> changes) {
    Map<NetChange, String> old = new IdentityHashMap<>();
    for (NetChange change : changes) {
      if (change.match() != null) {
        String key = change.match().text(0);
        if (!items.containsKey(key)) {
          throw new IllegalStateException("no row " + key + " to match");
        }
        old.put(change, items.remove(key));
      }
    }
    for (NetChange change : changes) {
      Row row = change.row();
      if (row != null) {
        String name = row.isUnchanged(1) ? old.get(change) : row.text(1);
        if (items.put(row.text(0), name) != null) {
          throw new IllegalStateException("a second row " + row.text(0));
        }
      }
    }
  }

  private void requireWhole() {
    if (broken != null) {
      throw broken;
    }
  }
}
