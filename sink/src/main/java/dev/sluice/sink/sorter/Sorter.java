package dev.sluice.sink.sorter;

import dev.sluice.config.Counted;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.lane.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the transaction that is being read, in memory or, when it is too large or too old, in swap,
 * and gives it out when it is whole. The journal has one partition in commit order, so one
 * transaction is open at a time: it is the largest and the oldest, and which of several would go to
 * swap first is no question. Records of which the lane takes nothing are not held. Owned by the
 * intake thread.
 *
 * <p>Memory: up to the budget's limit plus one record, and a block of swap.
 */
public final class Sorter {
  private static final Logger LOG = LoggerFactory.getLogger(Sorter.class);

  /** What a record keeps on the heap beside its bytes: array header, list entry. */
  private static final int RECORD_OVERHEAD = 24;

  private final MemoryBudget memory;
  private Duration keepTime;
  private final SwapSpace swap;
  private final Lane lane;
  private final RecordScan scan;

  private List<byte[]> held = new ArrayList<>();
  private SwapWriter writer;
  private Instant openedAt;
  private long encodedBytes;
  private long bytesTaken;
  private long changes;
  private volatile SpillCounts spilled = SpillCounts.NONE;

  /**
   * @param memory the pool of MemoryLimitTotal
   * @param keepTime MemoryKeepTime: an open transaction older than this goes to swap
   * @param lane tells which changes are taken
   */
  public Sorter(
      MemoryBudget memory, Duration keepTime, SwapSpace swap, SchemaLookup schemas, Lane lane) {
    this.memory = memory;
    this.keepTime = keepTime;
    this.swap = swap;
    this.lane = lane;
    this.scan = new RecordScan(schemas, lane.tables());
  }

  /** From now on a transaction older than this goes to swap. */
  public void keepTime(Duration other) {
    keepTime = other;
  }

  /** How many transactions went to swap; may be read from any thread. */
  public SpillCounts spilled() {
    return spilled;
  }

  /** Changes that are taken of the open transaction. */
  public long openChanges() {
    return changes;
  }

  /**
   * Adds a record to the open transaction, or opens it.
   *
   * @throws SwapFullException where it does not fit into memory nor swap; it was not added then and
   *     may be offered again
   */
  public void add(JournalRecord record, byte[] value, Instant now) throws SwapFullException {
    if (openedAt == null) {
      openedAt = now;
    }
    spillWhereDue(now);
    scan.look(record);
    // Only at its end is it known whether a transaction alters tables.
    if (!scan.takes() && !lane.actsForAll()) {
      return;
    }
    if (writer != null) {
      writer.add(value);
    } else {
      held.add(value);
      memory.reserve(heldBytes(value.length, 1));
    }
    encodedBytes += value.length;
    changes += scan.changes();
    bytesTaken += scan.takes() ? value.length : 0;
  }

  /** Moves the open transaction to swap where it is kept too long. */
  public void spillWhereDue(Instant now) throws SwapFullException {
    if (openedAt == null || held.isEmpty()) {
      return;
    }
    boolean tooOld = Duration.between(openedAt, now).compareTo(keepTime) > 0;
    // Once begun, the move has to be finished before anything newer follows into the file.
    if (writer != null || tooOld || memory.isExceeded()) {
      spill(tooOld);
    }
  }

  /**
   * Closes the open transaction and gives it out.
   *
   * @param last its last record, already added
   * @throws SwapFullException where its last block cannot be written; to be called again
   */
  public CommittedTransaction commit(Frame last, TransactionEnd end, long nextOffset)
      throws SwapFullException {
    SwapFile file = writer == null ? null : writer.finish();
    boolean whole = scan.altersTables() && lane.actsForAll();
    CommittedTransaction transaction =
        new CommittedTransaction(
            last.term(),
            last.transaction(),
            end,
            nextOffset,
            held,
            file,
            encodedBytes,
            new CommittedTransaction.Taken(
                whole ? end.changes() : changes,
                whole ? encodedBytes : bytesTaken,
                scan.altersTables(),
                whole ? lane.tables().ofAllTables() : lane.tables()));
    reset();
    return transaction;
  }

  /** Forgets the open transaction, which will never be whole. */
  public void discard() {
    for (byte[] value : held) {
      memory.free(heldBytes(value.length, 1));
    }
    if (writer != null) {
      writer.discard();
    }
    reset();
  }

  /** Frees what a committed transaction holds; its changes cannot be read any more. */
  public void release(CommittedTransaction transaction) {
    memory.free(transaction.heldBytes());
    if (transaction.swapFile() != null) {
      transaction.swapFile().delete();
    }
  }

  /** What does not fit into the swap, why, and what helps. */
  public String whySwapIsFull(SwapFullException full) {
    return "an open transaction, %s so far, does not fit into swap: %s. %s"
        .formatted(Counted.of(changes, "change"), full.getMessage(), fix(full.reason()));
  }

  private String fix(SwapFullException.Reason reason) {
    long own = writer == null ? 0 : writer.size();
    long others = swap.bytes() - own;
    String comesFree =
        others > 0
            ? DataSize.ofBytes(others)
                + " of it are of a transaction that is being applied, and come free with it. "
            : "";
    if (reason == SwapFullException.Reason.DISK) {
      return comesFree
          + "It goes on when there is room: free some on that disk, or stop the task and name"
          + " another in Sluice.SwapDirectory";
    }
    long megabytes = Math.max(1, swap.limit().bytes() >> 20);
    return comesFree
        + (others > 0
            ? "A higher limit helps at once"
            : "Nothing else is in swap: it goes on only with a higher limit")
        + ": sluice tune TASK.yaml SwapLimit="
        + 2 * megabytes
        + ", or Sluice.SwapLimit in the task settings";
  }

  static long heldBytes(long encodedBytes, int records) {
    return encodedBytes + (long) records * RECORD_OVERHEAD;
  }

  private void spill(boolean tooOld) throws SwapFullException {
    if (writer == null) {
      writer = swap.create();
      spilled = spilled.plusOne(tooOld);
      LOG.info(
          "open transaction of {}, {}, goes to swap: {}",
          Counted.of(changes, "change"),
          DataSize.ofBytes(encodedBytes),
          tooOld ? "older than MemoryKeepTime, " + keepTime.toSeconds() + " s" : memory);
    }
    // Where the swap gets full on the way, what it has taken is no longer held.
    int moved = 0;
    try {
      for (byte[] value : held) {
        writer.add(value);
        memory.free(heldBytes(value.length, 1));
        moved++;
      }
    } finally {
      held.subList(0, moved).clear();
    }
  }

  private void reset() {
    held = new ArrayList<>();
    writer = null;
    openedAt = null;
    encodedBytes = 0;
    bytesTaken = 0;
    changes = 0;
    scan.reset();
  }
}
