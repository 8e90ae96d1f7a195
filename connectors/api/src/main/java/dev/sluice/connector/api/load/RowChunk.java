package dev.sluice.connector.api.load;

/**
 * Rows on their way from one COPY to the other, as many as fit, or a piece of one that is too
 * large. Filled and emptied again and again; owned by the thread that copies.
 *
 * <p>Rows have the form of the layout's format, one behind the other: lines with their ends in the
 * text format, tuples without header and trailer in the binary format.
 */
public final class RowChunk {
  /** Large enough that what is done for each does not show, small enough to stay in the cache. */
  public static final int BYTES = 64 * 1024;

  private final byte[] bytes;
  private int length;
  private int rows;

  public RowChunk() {
    this(BYTES);
  }

  /**
   * @param size in bytes; at least 2, so that what ends the binary format is never cut
   */
  public RowChunk(int size) {
    this.bytes = new byte[size];
  }

  /** What the rows are written into and read from, up to {@link #length}. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** How many bytes there is room for. */
  public int room() {
    return bytes.length - length;
  }

  public boolean isEmpty() {
    return length == 0;
  }

  /** How many rows end in it. */
  public int rows() {
    return rows;
  }

  /** Counts bytes that were written behind {@link #length}. */
  public void added(int count) {
    length += count;
  }

  /** Takes back bytes that were added last. */
  public void removed(int count) {
    length -= count;
  }

  /** A row ends with what was added last. */
  public void rowEnded() {
    rows++;
  }

  public void clear() {
    length = 0;
    rows = 0;
  }
}
