package dev.sluice.connector.generic.catalog;

import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.TableChanged;
import java.util.Optional;

/** The reader of a load whose tables have no segments. Stateless. */
final class NoRows implements SnapshotReader {
  @Override
  public Optional<TableChanged> hold(RecordedTable recorded, Segment segment) {
    throw noSegment();
  }

  @Override
  public Optional<TableChanged> difference(RecordedTable recorded, Segment segment) {
    throw noSegment();
  }

  /** Records with other columns are refused when they come. */
  @Override
  public Optional<TableChanged> difference(RecordedTable recorded) {
    return Optional.empty();
  }

  @Override
  public SegmentRange rangeOf(RowsByKey rows) {
    throw noSegment();
  }

  @Override
  public SegmentRows read(Segment segment, CopyLayout layout) {
    throw noSegment();
  }

  @Override
  public long countCut(Segment segment, CopyLayout layout) {
    throw noSegment();
  }

  private static IllegalStateException noSegment() {
    return new IllegalStateException("BUG: a segment of a source whose rows are in the log");
  }

  @Override
  public void release(Segment segment) {
    throw noSegment();
  }

  @Override
  public void abort() {
    // Nothing runs.
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
