package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;

/**
 * An event that was read from a table's topic. Immutable.
 *
 * @param membership null for a row of a snapshot
 * @param offset its offset in its partition
 */
record ReadEvent(DebeziumRecord record, Membership membership, long offset) {
  /** Heap bytes of an event in addition to its rows. */
  private static final int OVERHEAD = 200;

  static ReadEvent of(RowEvent event, long offset) {
    return new ReadEvent(event, event.membership(), offset);
  }

  static ReadEvent of(Truncated event, long offset) {
    return new ReadEvent(event, event.membership(), offset);
  }

  static ReadEvent of(SnapshotRow row, long offset) {
    return new ReadEvent(row, null, offset);
  }

  /** The LSN of the change; 0 for a row of a snapshot. */
  long lsn() {
    if (record instanceof RowEvent event) {
      return event.lsn();
    }
    return record instanceof Truncated truncated ? truncated.lsn() : 0;
  }

  /** Approximate heap bytes. */
  int retainedBytes() {
    int bytes = OVERHEAD;
    if (record instanceof RowEvent event) {
      bytes += event.match() == null ? 0 : event.match().retainedBytes();
      bytes += event.row() == null ? 0 : event.row().retainedBytes();
    } else if (record instanceof SnapshotRow row) {
      bytes += row.row().retainedBytes();
    }
    return bytes;
  }
}
