package dev.sluice.load;

import dev.sluice.connector.api.load.RowChunk;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of a step that were sent and not committed, as long as they are few. Owned by the thread
 * that loads.
 */
final class KeptRows {
  private final long limit;
  private final List<RowChunk> chunks = new ArrayList<>();
  private long bytes;

  /**
   * @param limit in bytes; with 0 none are kept
   */
  KeptRows(long limit) {
    this.limit = limit;
  }

  /** Whether these are all rows of the step, so that it may start again. */
  boolean isWhole() {
    return bytes < limit;
  }

  List<RowChunk> chunks() {
    return chunks;
  }

  /** Adds rows, which may be used for others after it. */
  void add(RowChunk chunk) {
    bytes += chunk.length();
    if (isWhole()) {
      chunks.add(copied(chunk));
    } else {
      chunks.clear();
    }
  }

  private static RowChunk copied(RowChunk chunk) {
    RowChunk copy = new RowChunk(chunk.length());
    System.arraycopy(chunk.bytes(), 0, copy.bytes(), 0, chunk.length());
    copy.added(chunk.length());
    for (int row = 0; row < chunk.rows(); row++) {
      copy.rowEnded();
    }
    return copy;
  }

  /** The step is committed. */
  void clear() {
    chunks.clear();
    bytes = 0;
  }
}
