package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.util.Map;

/** What one record of Debezium's PostgreSQL connector says. Immutable. */
public sealed interface DebeziumRecord {

  /**
   * The transaction that an event belongs to, as its transaction block says.
   *
   * @param xid without the place of the event that Debezium appends
   * @param order the event's number among all of the transaction, from 1
   * @param collection what END counts it under
   * @param previous the source's last commit before this transaction's; zero where that was before
   *     Debezium's first start. Never falls in Debezium's order of the transactions
   */
  record Membership(String xid, long order, String collection, Position previous) {}

  /**
   * A row that was written or taken away.
   *
   * @param membership null outside of transactions: in a snapshot, or without transaction metadata
   * @param lsn of the change, which the two halves of a key's change share
   * @param match what finds the old row; null for a row that is new
   * @param row null for a row that is gone
   * @param half what part of a change of the key this is
   */
  record RowEvent(
      Membership membership, long lsn, RowSchema schema, Row match, Row row, KeyChange half)
      implements DebeziumRecord {}

  /** A change of a row's key comes as two events. */
  enum KeyChange {
    NONE,
    /** The row leaves its old key. */
    OLD_KEY,
    /** The row comes under its new key. */
    NEW_KEY
  }

  /**
   * A row of Debezium's initial snapshot.
   *
   * @param first of its table
   * @param last of all tables
   * @param readMicros when it was read, microseconds since 1970
   */
  record SnapshotRow(RowSchema schema, Row row, boolean first, boolean last, long readMicros)
      implements DebeziumRecord {}

  /** A table that TRUNCATE emptied; those of one statement share the LSN. */
  record Truncated(Membership membership, long lsn, TableId table) implements DebeziumRecord {}

  /**
   * A logical message; only its place in the transaction counts. Membership null outside of one.
   */
  record Message(Membership membership) implements DebeziumRecord {}

  /** A transaction begins. */
  record Begin(String xid) implements DebeziumRecord {}

  /**
   * A transaction was committed.
   *
   * @param position of its commit
   * @param events in all, where each half of a key's change is one
   * @param counts by collection
   * @param commitMicros microseconds since 1970
   */
  record End(
      String xid, Position position, long events, Map<String, Long> counts, long commitMicros)
      implements DebeziumRecord {}

  /** Nothing for the target: a tombstone or a heartbeat. */
  record Skipped(String what) implements DebeziumRecord {}
}
