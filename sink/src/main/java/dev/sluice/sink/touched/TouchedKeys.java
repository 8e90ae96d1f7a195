package dev.sluice.sink.touched;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.lane.ChangeObserver;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the keys of applied transactions, for two questions. Which rows may the target have that a
 * snapshot of the source does not show? And which rows were touched since they were compared?
 * Tables are named as on the source.
 *
 * <p>Made with each replication, and fed by the threads that fill windows, before anything is
 * applied. Each table is fed by one thread at a time. Memory is bounded: what does not fit makes a
 * table's answers {@link NotShown.Unknown} or dirty, never wrong. Threadsafe.
 */
public final class TouchedKeys implements ChangeObserver.Factory {
  private final TouchedLimits limits;
  private final Map<TableId, TableTouches> tables = new ConcurrentHashMap<>();
  private final AtomicLong memory = new AtomicLong();

  /** No snapshot is covered until it is known. */
  private volatile long complete = Long.MAX_VALUE;

  /** What was forgotten as shown: a snapshot that shows less cannot be answered. */
  private volatile VisibleTransactions forgotten;

  /** Answers nothing until {@link #completeFrom} was called. */
  public TouchedKeys(TouchedLimits limits) {
    this.limits = limits;
  }

  /**
   * States that each transaction with this id or a later one is recorded if it is decoded. Called
   * once, when changes are recorded already.
   *
   * @param id was taken on the source after the checkpoint was claimed, and after changes began to
   *     be recorded: what was decoded before has a lower one. The next id of a snapshot does not
   *     do, as commits that wait for a standby are in the log, and may have higher ones
   */
  public void completeFrom(long id) {
    complete = id;
  }

  /** Records one transaction, or the part of it that a lane takes. */
  @Override
  public ChangeObserver of(TransactionEnd end) {
    return new Recording(end);
  }

  /**
   * Whether a snapshot can be compared: all that is not recorded had ended before it, and nothing
   * was forgotten that it does not show.
   */
  public boolean covers(VisibleTransactions snapshot) {
    VisibleTransactions shown = forgotten;
    return snapshot.oldest() >= complete && (shown == null || snapshot.showsAllOf(shown));
  }

  /**
   * The rows of a table that the target may have otherwise than the snapshot shows them. They count
   * as touched since they were compared.
   *
   * @param upTo the position up to which the target has the table's changes; {@link Position#MAX}
   *     for all that is recorded
   */
  public NotShown notShown(TableId table, VisibleTransactions snapshot, Position upTo) {
    TableTouches touches = tables.get(table);
    NotShown found =
        touches == null ? new NotShown.Rows(TouchedRows.NONE) : touches.notShown(snapshot, upTo);
    // Asked last: what is forgotten meanwhile would be missing in the answer.
    return covers(snapshot)
        ? found
        : new NotShown.Unknown(
            "transactions that began before changes were recorded are still running on the source, or a later snapshot was compared already");
  }

  /** Forgets what a snapshot shows, as far as the first question goes. */
  public synchronized void shownBy(VisibleTransactions snapshot) {
    if (forgotten == null || snapshot.showsAllOf(forgotten)) {
      forgotten = snapshot;
      tables.values().forEach(touches -> touches.shownBy(snapshot));
    }
  }

  /** The last TRUNCATE or DDL of a table after a position, in words; empty if there was none. */
  public Optional<String> voidedAfter(TableId table, Position position) {
    return Optional.ofNullable(tables.get(table)).flatMap(touches -> touches.voidedAfter(position));
  }

  /**
   * The rows of a table that were touched since they were compared.
   *
   * @param most how many keys to return at most
   * @param upTo only those whose last change is not after this position
   */
  public Uncompared uncompared(TableId table, int most, Position upTo) {
    TableTouches touches = tables.get(table);
    return touches == null
        ? new Uncompared(TouchedRows.NONE, 0, Optional.empty())
        : touches.uncompared(most, upTo);
  }

  /** Records that rows were compared as of a position; later changes of them still count. */
  public void compared(TableId table, List<Row> keys, Position upTo) {
    Optional.ofNullable(tables.get(table)).ifPresent(touches -> touches.compared(keys, upTo));
  }

  /**
   * Records that every row of a table was compared, but for those that are returned by {@link
   * #uncompared}.
   *
   * @param began the position at which the first of them was
   */
  public void readAll(TableId table, Position began) {
    Optional.ofNullable(tables.get(table)).ifPresent(touches -> touches.readAll(began));
  }

  /**
   * The lowest of the positions at which rows that are not compared since were touched last; empty
   * if all are compared.
   */
  public Optional<Position> oldestUncompared(TableId table) {
    return Optional.ofNullable(tables.get(table)).flatMap(TableTouches::oldestUncompared);
  }

  /** Adds rows that an earlier record has not kept; changes are recorded meanwhile. */
  public EarlierKeys earlier() {
    return new EarlierKeys(this::touches, this::bound);
  }

  /** Heap bytes of all that is kept. */
  public long memory() {
    return memory.get();
  }

  private TableTouches touches(TableId table) {
    return tables.computeIfAbsent(table, any -> new TableTouches(limits, memory));
  }

  /** Forgets the largest tables' keys if all together are too many. */
  private void bound() {
    while (memory() > limits.ofAll().bytes()) {
      TableTouches largest =
          tables.values().stream()
              .max(Comparator.comparingLong(TableTouches::memory))
              .orElseThrow();
      long before = largest.memory();
      largest.forgetAll();
      if (largest.memory() >= before) {
        // So many tables that even without keys they are too large.
        return;
      }
    }
  }

  /** Records one transaction. Owned by the thread that decodes it. */
  private final class Recording implements ChangeObserver {
    private final TransactionEnd end;
    private RowSchema schema;
    private TableTouches table;
    private boolean hasKey;

    Recording(TransactionEnd end) {
      this.end = end;
    }

    @Override
    public void observe(ChangeEvent event) {
      if (event instanceof RowChange change) {
        add(change);
      } else if (event instanceof Truncate truncate) {
        truncate
            .tables()
            .forEach(emptied -> touches(emptied.table()).voided(end, "it was truncated"));
      } else if (event instanceof Definition definition) {
        definition.changes().changes().stream()
            .flatMap(altered -> altered.concerned().stream())
            .forEach(altered -> touches(altered).voided(end, "it was altered"));
      }
    }

    @Override
    public void complete() {
      bound();
    }

    private void add(RowChange change) {
      if (change.schema() != schema) {
        begin(change.schema());
      }
      if (hasKey) {
        ChangedKeys.of(change, key -> table.add(end, key));
      }
    }

    private void begin(RowSchema next) {
      schema = next;
      table = touches(next.table());
      hasKey = next.hasKey();
      if (hasKey) {
        table.columns(end, ChangedKeys.columns(next));
      } else {
        table.addUnknown(end);
      }
    }
  }
}
