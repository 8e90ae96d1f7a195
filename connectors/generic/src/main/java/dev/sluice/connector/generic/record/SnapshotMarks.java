package dev.sluice.connector.generic.record;

import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** Distinguishes the records of a snapshot from those of the log. Stateless. */
final class SnapshotMarks {
  private SnapshotMarks() {}

  /** An offset of which Debezium would begin its snapshot again. */
  static boolean isInSnapshot(SourceRecord record) {
    Object snapshot = record.sourceOffset().get("snapshot");
    return snapshot != null
        && !snapshot.equals(false)
        && !Boolean.TRUE.equals(record.sourceOffset().get("snapshot_completed"));
  }

  /** The last definition that is read for a place has an offset as if it came behind it. */
  static boolean isOfSnapshot(Struct value) {
    Struct source = value.schema().field("source") == null ? null : value.getStruct("source");
    if (source == null || source.schema().field("snapshot") == null) {
      return false;
    }
    String snapshot = source.getString("snapshot");
    return snapshot != null && !snapshot.equals("false");
  }
}
