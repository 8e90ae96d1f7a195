package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** Progress of a table's load. Threadsafe: the workers of its segments write, the status reads. */
final class TableLoadCounter {
  private final TableId table;
  private final TableId target;
  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder valuesCut = new LongAdder();

  // These fields are protected by this object's lock.
  private int segmentsLeft;
  private LoadState state = LoadState.BEFORE_LOAD;
  private Optional<Instant> started = Optional.empty();
  private Optional<Instant> ended = Optional.empty();

  private TableLoadCounter(TableId table, TableId target, int segments) {
    this.table = table;
    this.target = target;
    this.segmentsLeft = segments;
  }

  /** The counter of a table before its load; kept rows are counted already. */
  static TableLoadCounter of(PlannedTable table, TableId target) {
    TableLoadCounter progress = new TableLoadCounter(table.table(), target, table.missing().size());
    table.kept().ifPresent(kept -> progress.add(kept.rows(), kept.bytes()));
    table.part().ifPresent(part -> progress.add(part.rows(), part.bytes()));
    return progress;
  }

  private void add(long moreRows, long moreBytes) {
    rows.add(moreRows);
    bytes.add(moreBytes);
  }

  synchronized void segmentStarted(Instant now) {
    if (state == LoadState.BEFORE_LOAD) {
      state = LoadState.FULL_LOAD;
      started = Optional.of(now);
    }
  }

  void cut(long values) {
    valuesCut.add(values);
  }

  /** Counts rows and their bytes; a large row comes in pieces, and counts with its last one. */
  void loaded(int rowsEnded, int size) {
    rows.add(rowsEnded);
    bytes.add(size);
  }

  /** Returns whether it was the table's last segment. */
  synchronized boolean segmentEnded(Instant now) {
    segmentsLeft--;
    if (segmentsLeft == 0) {
      end(LoadState.COMPLETED, now);
    }
    return segmentsLeft == 0;
  }

  /**
   * Completes a table without segments to load: a kept one, or a partitioned one without
   * partitions.
   */
  synchronized void endIfEmpty(Instant now) {
    if (segmentsLeft == 0) {
      started = Optional.of(now);
      end(LoadState.COMPLETED, now);
    }
  }

  synchronized void failed(Instant now) {
    end(LoadState.ERROR, now);
  }

  /** Called if the load ended before this table did. */
  synchronized void cancelled(Instant now) {
    if (ended.isEmpty()) {
      end(LoadState.CANCELLED, now);
    }
  }

  synchronized LoadProgress snapshot() {
    return new LoadProgress(
        table, target, state, rows.sum(), bytes.sum(), valuesCut.sum(), started, ended);
  }

  private void end(LoadState last, Instant now) {
    state = last;
    ended = Optional.of(now);
  }
}
