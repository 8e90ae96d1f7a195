package dev.sluice.sink.sorter;

import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.TableFilter;
import java.util.Iterator;
import java.util.List;

/**
 * A committed source transaction, or the part of it that a lane takes. Its changes are still
 * encoded, in memory or in swap. Immutable; any thread may read the changes, any number of times,
 * until {@link Sorter#release}.
 */
public final class CommittedTransaction {
  private final long term;
  private final long number;
  private final TransactionEnd end;
  private final long nextOffset;
  private final List<byte[]> records;
  private final SwapFile swapFile;
  private final long encodedBytes;
  private final Taken taken;

  /**
   * The part of a transaction that a lane takes.
   *
   * @param changes number of changes; 0 if the transaction only moves the position
   * @param encodedBytes size of the journal records that contain them
   * @param altersTables true if the transaction has DDL; false if the lane takes everything, as
   *     this is then not checked
   * @param filter selects the changes
   */
  record Taken(long changes, long encodedBytes, boolean altersTables, TableFilter filter) {}

  CommittedTransaction(
      long term,
      long number,
      TransactionEnd end,
      long nextOffset,
      List<byte[]> records,
      SwapFile swapFile,
      long encodedBytes,
      Taken taken) {
    this.term = term;
    this.number = number;
    this.end = end;
    this.nextOffset = nextOffset;
    this.records = records;
    this.swapFile = swapFile;
    this.encodedBytes = encodedBytes;
    this.taken = taken;
  }

  public long term() {
    return term;
  }

  /** The transaction's number in its term. */
  public long number() {
    return number;
  }

  public TransactionEnd end() {
    return end;
  }

  /** The journal offset after the transaction's last record. */
  public long nextOffset() {
    return nextOffset;
  }

  /** The number of changes that are taken; 0 if the transaction only moves the position. */
  public long changesTaken() {
    return taken.changes();
  }

  /** True if the lanes of the task wait for each other before this transaction. */
  public boolean altersTables() {
    return taken.altersTables();
  }

  /** Selects the changes that are taken. */
  public TableFilter filter() {
    return taken.filter();
  }

  /** Size of the journal records that contain taken changes, in bytes. */
  public long encodedBytes() {
    return taken.encodedBytes();
  }

  public boolean isInSwap() {
    return swapFile != null;
  }

  /** Opens the taken changes from the first one. The caller closes them. */
  public TransactionChanges changes(SchemaLookup schemas) {
    return changes(schemas, ChangeObserver.Factory.NONE);
  }

  /**
   * The same, observed.
   *
   * @param observers makes the observer of this transaction
   */
  public TransactionChanges changes(SchemaLookup schemas, ChangeObserver.Factory observers) {
    return new TransactionChanges(
        isInSwap() ? swapFile.read() : new HeldRecords(records.iterator()),
        schemas,
        taken.filter().at(end.position()),
        observers.of(end));
  }

  SwapFile swapFile() {
    return swapFile;
  }

  long heldBytes() {
    return isInSwap() ? 0 : Sorter.heldBytes(encodedBytes, records.size());
  }

  private record HeldRecords(Iterator<byte[]> records) implements RecordReader {
    @Override
    public byte[] next() {
      return records.hasNext() ? records.next() : null;
    }

    @Override
    public void close() {}
  }
}
