package dev.sluice.connector.api.source.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.RowChunk;

/** The rows of a segment, in the format of COPY. Owned by the reading thread. */
public interface SegmentRows extends AutoCloseable {

  /**
   * Fills a chunk with the next rows, or with a piece of a row that is larger than a chunk.
   *
   * @param mostRows limit of the rows that end in the chunk, above 0
   * @return false after the last row, with the chunk empty
   * @throws SluiceException if the source fails
   */
  boolean next(RowChunk chunk, int mostRows);

  /** Ends the reading, also before the last row; the reader is usable afterwards. Idempotent. */
  @Override
  void close();
}
