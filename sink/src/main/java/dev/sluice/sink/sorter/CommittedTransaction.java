package dev.sluice.sink.sorter;

import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.intake.JournalOffset;
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
  private final TransactionEnd end;
  private final JournalOffset place;
  private final Contents contents;
  private final Taken taken;

  /**
   * The journal records of a transaction.
   *
   * @param records empty if they are in swap
   * @param swapFile null if they are in memory
   * @param bytes their size
   */
  record Contents(List<byte[]> records, SwapFile swapFile, long bytes) {}

  /**
   * The part of a transaction that a lane takes.
   *
   * @param changes number of changes; 0 if the transaction only moves the position
   * @param encodedBytes size of the journal records that contain them
   * @param altersTables true if the transaction has DDL; false if it was not looked for
   * @param filter selects the changes
   */
  record Taken(long changes, long encodedBytes, boolean altersTables, TableFilter filter) {}

  /**
   * @param place the journal offset after its last record
   */
  CommittedTransaction(TransactionEnd end, JournalOffset place, Contents contents, Taken taken) {
    this.end = end;
    this.place = place;
    this.contents = contents;
    this.taken = taken;
  }

  public TransactionEnd end() {
    return end;
  }

  /** The journal offset after the transaction's last record: the checkpoint once it is applied. */
  public JournalOffset place() {
    return place;
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
    return contents.swapFile() != null;
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
        isInSwap() ? swapFile().read() : new HeldRecords(contents.records().iterator()),
        schemas,
        taken.filter().at(end.position()),
        observers.of(end));
  }

  SwapFile swapFile() {
    return contents.swapFile();
  }

  long heldBytes() {
    return isInSwap() ? 0 : Sorter.heldBytes(contents.bytes(), contents.records().size());
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
