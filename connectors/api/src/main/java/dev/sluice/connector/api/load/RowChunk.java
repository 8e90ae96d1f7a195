package dev.sluice.connector.api.load;

/**
 * A reusable buffer of rows between the source's COPY and the target's: as many rows as fit, or a
 * piece of a larger row. Owned by the thread that copies.
 *
 * <p>Rows are in the layout's format: lines with their ends in the text format, tuples without
 * header and trailer in the binary format.
 */
public final class RowChunk {
  /** Large enough that the cost of each chunk is small, small enough for the processor's cache. */
  public static final int BYTES = 64 * 1024;

  private final byte[] bytes;
  private int length;
  private int rows;

  public RowChunk() {
    this(BYTES);
  }

  /**
   * @param size in bytes; at least 2, so that the trailer of the binary format is never split
   */
  public RowChunk(int size) {
    this.bytes = new byte[size];
  }

  /** The buffer's array; its first {@link #length} bytes are rows. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** Free bytes. */
  public int room() {
    return bytes.length - length;
  }

  public boolean isEmpty() {
    return length == 0;
  }

  /** Number of rows that end in this chunk. */
  public int rows() {
    return rows;
  }

  /** Adds bytes that were written after {@link #length}. */
  public void added(int count) {
    length += count;
  }

  /** Removes the bytes that were added last. */
  public void removed(int count) {
    length -= count;
  }

  /** Marks the end of a row after the last added byte. */
  public void rowEnded() {
    rows++;
  }

  public void clear() {
    length = 0;
    rows = 0;
  }
}
