package dev.sluice.connector.api.source.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyLayout;
import java.util.Optional;

/**
 * Reads segments under a snapshot. Owned by the reading thread; only {@link #abort} may be called
 * from another one.
 */
public interface SnapshotReader extends AutoCloseable {

  /**
   * Holds the segment's leaf, or the tables that a view reads, against rewriting, truncating and
   * dropping until {@link #release}. Waits for sessions that do so, and logs them. Waiting for this
   * does not block the application's statements.
   *
   * @return the difference if the leaf was dropped
   */
  Optional<TableChanged> hold(RecordedTable recorded, Segment segment);

  /**
   * Compares the table of a held segment with its record from before the snapshot.
   *
   * @return the first difference
   */
  Optional<TableChanged> difference(RecordedTable recorded, Segment segment);

  /** Compares a partitioned table without partitions, of which there is nothing to hold. */
  Optional<TableChanged> difference(RecordedTable recorded);

  /** A range by which rows with given keys can be read like a segment. */
  SegmentRange rangeOf(RowsByKey rows);

  /**
   * Begins to read a held segment; one at a time.
   *
   * @throws SluiceException if the source refuses, for example because row security would hide rows
   *     from this user
   */
  SegmentRows read(Segment segment, CopyLayout layout);

  /** Counts the values of a held segment that the layout truncates; after its rows were read. */
  long countCut(Segment segment, CopyLayout layout);

  /** Lets go of the segment's leaf; the snapshot stays open. */
  void release(Segment segment);

  /** Aborts the owner's running statement, which then throws an exception. From any thread. */
  void abort();

  /** Idempotent. */
  @Override
  void close();
}
