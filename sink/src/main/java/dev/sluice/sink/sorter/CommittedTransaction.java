package dev.sluice.sink.sorter;

import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import java.util.Iterator;
import java.util.List;

/**
 * A whole source transaction, its changes still encoded, in memory or in swap. Immutable; its
 * changes may be read from any thread, any number of times, until {@link Sorter#release}.
 */
public final class CommittedTransaction {
  private final long term;
  private final long number;
  private final TransactionEnd end;
  private final long nextOffset;
  private final List<byte[]> records;
  private final SwapFile swapFile;
  private final long encodedBytes;

  CommittedTransaction(
      long term,
      long number,
      TransactionEnd end,
      long nextOffset,
      List<byte[]> records,
      SwapFile swapFile,
      long encodedBytes) {
    this.term = term;
    this.number = number;
    this.end = end;
    this.nextOffset = nextOffset;
    this.records = records;
    this.swapFile = swapFile;
    this.encodedBytes = encodedBytes;
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

  /** Bytes of its journal records. */
  public long encodedBytes() {
    return encodedBytes;
  }

  public boolean isInSwap() {
    return swapFile != null;
  }

  /** Opens its changes from the first; to be closed. */
  public TransactionChanges changes(SchemaLookup schemas) {
    return new TransactionChanges(
        swapFile != null ? swapFile.read() : new HeldRecords(records.iterator()), schemas);
  }

  SwapFile swapFile() {
    return swapFile;
  }

  long heldBytes() {
    return swapFile != null ? 0 : Sorter.heldBytes(encodedBytes, records.size());
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
