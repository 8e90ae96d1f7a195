package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.Map;

/** The content of one record of Debezium's PostgreSQL connector. Immutable. */
public sealed interface DebeziumRecord {

  /**
   * The transaction of an event, from its transaction block.
   *
   * @param xid the transaction's id, without the event's LSN that Debezium appends
   * @param order the event's number in the transaction, from 1
   * @param collection the name under which END counts it
   * @param previous the source's last commit before this transaction's; zero if that was before
   *     Debezium's first start. It never decreases in Debezium's order of transactions
   */
  record Membership(String xid, long order, String collection, Position previous) {}

  /**
   * A row that was inserted, updated or deleted.
   *
   * @param membership null outside of transactions: in a snapshot, or without transaction metadata
   * @param lsn the LSN of the change; the same for both events of a key change
   * @param match the values that find the old row; null for a new row
   * @param row the new row; null for a deleted row
   * @param half which event of a key change this is
   */
  record RowEvent(
      Membership membership, long lsn, RowSchema schema, Row match, Row row, KeyChange half)
      implements DebeziumRecord {}

  /** Debezium writes a key change as two events. */
  enum KeyChange {
    NONE,
    /** The delete of the old key. */
    OLD_KEY,
    /** The insert with the new key. */
    NEW_KEY
  }

  /**
   * A row of Debezium's initial snapshot.
   *
   * @param first true for the first row of its table
   * @param last true for the last row of all tables
   * @param readMicros when it was read, microseconds since 1970
   */
  record SnapshotRow(RowSchema schema, Row row, boolean first, boolean last, long readMicros)
      implements DebeziumRecord {}

  /** A truncated table; the tables of one statement have the same LSN. */
  record Truncated(Membership membership, long lsn, TableId table) implements DebeziumRecord {}

  /**
   * A logical message; only its number in the transaction is used. Membership is null outside a
   * transaction.
   */
  record Message(Membership membership) implements DebeziumRecord {}

  /** A transaction begins. */
  record Begin(String xid) implements DebeziumRecord {}

  /**
   * A transaction was committed.
   *
   * @param position the position of its commit
   * @param events total number of events; a key change counts as two
   * @param counts number of events by collection
   * @param commitMicros microseconds since 1970
   */
  record End(
      String xid, Position position, long events, Map<String, Long> counts, long commitMicros)
      implements DebeziumRecord {}

  /** Nothing for the target: a tombstone or a heartbeat. */
  record Skipped(String what) implements DebeziumRecord {}
}
