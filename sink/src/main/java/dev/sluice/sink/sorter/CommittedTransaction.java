package dev.sluice.sink.sorter;

import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.lane.TableFilter;
import java.util.Iterator;
import java.util.List;

/**
 * A whole source transaction, or what a lane takes of it, its changes still encoded, in memory or
 * in swap. Immutable; its changes may be read from any thread, any number of times, until {@link
 * Sorter#release}.
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
   * What a lane takes of it.
   *
   * @param changes 0 where it only moves the position
   * @param encodedBytes of the journal records that have them
   * @param altersTables whether the transaction has DDL; not known where everything is taken
   * @param filter which changes
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

  /** Its number in its term. */
  public long number() {
    return number;
  }

  public TransactionEnd end() {
    return end;
  }

  /** The journal offset after its last record. */
  public long nextOffset() {
    return nextOffset;
  }

  /** Changes that are taken of it; 0 where it only moves the position. */
  public long changesTaken() {
    return taken.changes();
  }

  /** Whether the lanes of a task meet for it. */
  public boolean altersTables() {
    return taken.altersTables();
  }

  /** Which of its changes are taken. */
  public TableFilter filter() {
    return taken.filter();
  }

  /** Bytes of its journal records that have changes that are taken. */
  public long encodedBytes() {
    return taken.encodedBytes();
  }

  public boolean isInSwap() {
    return swapFile != null;
  }

  /** Opens the changes that are taken from the first; to be closed. */
  public TransactionChanges changes(SchemaLookup schemas) {
    return new TransactionChanges(
        isInSwap() ? swapFile.read() : new HeldRecords(records.iterator()),
        schemas,
        taken.filter().at(end.position()));
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
