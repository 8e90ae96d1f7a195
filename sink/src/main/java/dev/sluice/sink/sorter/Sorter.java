package dev.sluice.sink.sorter;

import dev.sluice.config.Counted;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the open transaction and returns it when it is complete. It is held in memory, or in swap
 * if it is too large or too old. The journal has one partition in commit order, so only one
 * transaction is open at a time. Records without changes for the lane are not held. Owned by the
 * intake thread.
 *
 * <p>Uses memory up to the budget's limit plus one record and one swap block.
 */
public final class Sorter {
  private static final Logger LOG = LoggerFactory.getLogger(Sorter.class);

  /** Heap bytes of a record in addition to its value: array header and list entry. */
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
   * @param memory the budget of MemoryLimitTotal
   * @param keepTime MemoryKeepTime: an older open transaction goes to swap
   * @param lane selects the changes that are taken
   */
  public Sorter(
      MemoryBudget memory, Duration keepTime, SwapSpace swap, SchemaLookup schemas, Lane lane) {
    this.memory = memory;
    this.keepTime = keepTime;
    this.swap = swap;
    this.lane = lane;
    this.scan = new RecordScan(schemas, lane.tables(), lane.meeting().isPresent());
  }

  /** Changes MemoryKeepTime: an older open transaction goes to swap. */
  public void keepTime(Duration other) {
    keepTime = other;
  }

  /** How many transactions went to swap. May be called from any thread. */
  public SpillCounts spilled() {
    return spilled;
  }

  /** The number of taken changes of the open transaction. */
  public long openChanges() {
    return changes;
  }

  /**
   * Adds a record to the open transaction; the first record opens it.
   *
   * @throws SwapFullException if it fits neither into memory nor into swap; it was not added, and
   *     the call may be repeated
   */
  public void add(JournalRecord record, byte[] value, Instant now) throws SwapFullException {
    if (openedAt == null) {
      openedAt = now;
    }
    spillIfDue(now);
    scan.scan(record);
    // Whether the transaction alters tables is known only at its end.
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

  /** Moves the open transaction to swap if it is too old or the memory limit is reached. */
  public void spillIfDue(Instant now) throws SwapFullException {
    if (openedAt == null || held.isEmpty()) {
      return;
    }
    boolean tooOld = Duration.between(openedAt, now).compareTo(keepTime) > 0;
    // A move that was begun must be finished before newer records go into the file.
    if (writer != null || tooOld || memory.isExceeded()) {
      spill(tooOld);
    }
  }

  /**
   * Completes the open transaction and returns it.
   *
   * @param last its last record, which was already added
   * @throws SwapFullException if its last block cannot be written; the call may be repeated
   */
  public CommittedTransaction commit(Frame last, TransactionEnd end, long nextOffset)
      throws SwapFullException {
    SwapFile file = writer == null ? null : writer.finish();
    boolean forAllLanes = scan.altersTables() && lane.actsForAll();
    CommittedTransaction transaction =
        new CommittedTransaction(
            end,
            new JournalOffset(end.position(), last.term(), last.transaction(), nextOffset),
            new CommittedTransaction.Contents(held, file, encodedBytes),
            new CommittedTransaction.Taken(
                forAllLanes ? end.changes() : changes,
                forAllLanes ? encodedBytes : bytesTaken,
                scan.altersTables(),
                forAllLanes ? lane.tables().ofAllTables() : lane.tables()));
    reset();
    return transaction;
  }

  /** Discards the open transaction, which will not be completed. */
  public void discard() {
    for (byte[] value : held) {
      memory.free(heldBytes(value.length, 1));
    }
    if (writer != null) {
      writer.discard();
    }
    reset();
  }

  /** Frees what a committed transaction holds. Its changes must not be read any more. */
  public void release(CommittedTransaction transaction) {
    memory.free(transaction.heldBytes());
    if (transaction.swapFile() != null) {
      transaction.swapFile().delete();
    }
  }

  /** The message about a full swap: what does not fit, why, and the fix. */
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
                + " of it belong to a transaction that is being applied, and are freed with it. "
            : "";
    if (reason == SwapFullException.Reason.DISK) {
      return comesFree
          + "Intake continues when there is room: free space on that disk, or stop the task and set"
          + " another directory in Sluice.SwapDirectory";
    }
    long megabytes = Math.max(1, swap.limit().bytes() >> 20);
    return comesFree
        + (others > 0
            ? "Raise the limit to continue at once"
            : "Raise the limit to continue: nothing else is in swap")
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
    // If swap gets full halfway, the records already written are no longer held in memory.
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
