package dev.sluice.connector.generic.record;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.generic.config.KnownConnector;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Makes whole transactions of a connector's records, by Debezium's transaction metadata. Each
 * transaction must have as many events as Debezium counts at its end, in all and for each table;
 * else it stops. The rows of a snapshot are one transaction, which ends with the snapshot. A
 * transaction that Debezium sends again after a start is dropped. Owned by one thread.
 *
 * <p>What Debezium's connector has lost before it counts is not noticed here.
 */
public final class TransactionAssembler {
  private static final String HEARTBEAT = "__debezium-heartbeat.";

  private final KnownConnector connector;
  private final String topicPrefix;
  private final RecordChanges changes;
  private final CapturedStream stream;

  private final EventCounts counts = new EventCounts();
  private boolean loading;

  /** The id of the open transaction; null between two. */
  private String open;

  /** Whether the open transaction is one that the journal has. */
  private boolean repeated;

  private boolean changed;

  /** The id of the last transaction; empty before the first. */
  private String last;

  /** The offset of the last bookmark. */
  private Map<String, ?> lastOffset;

  /** The end of the last transaction, if it had no changes of the task; else null. */
  private SourceRecord emptyEnd;

  /**
   * @param start where the connector goes on; empty if it begins with a snapshot
   */
  public TransactionAssembler(
      KnownConnector connector,
      String topicPrefix,
      RecordChanges changes,
      Optional<Bookmark> start,
      CapturedStream stream) {
    this.connector = connector;
    this.topicPrefix = topicPrefix;
    this.changes = changes;
    this.stream = stream;
    this.loading = start.isEmpty();
    this.last = start.map(Bookmark::transaction).orElse("");
    this.lastOffset = start.map(Bookmark::offset).orElse(Map.of());
  }

  /**
   * Adds the next record.
   *
   * @throws SluiceException.Fatal if it is none that is known, does not fit its transaction, or has
   *     a value without an unambiguous text
   */
  public void add(SourceRecord record) {
    if (!(record.value() instanceof Struct value)) {
      throw refused(record, "a record without a value", "");
    }
    if (record.topic().startsWith(HEARTBEAT)) {
      heartbeat(record, value);
    } else if (record.topic().equals(topicPrefix + ".transaction")) {
      boundary(record, value);
    } else if (value.schema().field("op") != null) {
      event(record, value);
    } else if (record.topic().equals(topicPrefix)) {
      definition(record, value);
    } else {
      throw refused(record, "a record that is no event of Debezium's", "");
    }
  }

  private void heartbeat(SourceRecord record, Struct value) {
    if (!loading && SnapshotMarks.isInSnapshot(record)) {
      // The connector reads definitions for a place that it goes on from.
      return;
    }
    long micros = value.getInt64("ts_ms") * 1_000;
    if (loading) {
      if (!SnapshotMarks.isInSnapshot(record)) {
        endLoad(record, micros);
      }
    } else if (open == null && !record.sourceOffset().equals(lastOffset)) {
      progress(record, micros);
    } else if (emptyEnd != null && !changed) {
      // Some connectors send heartbeats inside of transactions only.
      progress(emptyEnd, micros);
    }
    if (!loading && open != null && counts.isEmpty() && connector.leavesStatementsOpen()) {
      stream.begun(Bookmark.at(record, open));
    }
  }

  /**
   * Reports the last transaction if it had no changes of the task. On a source that rests no
   * heartbeat may come behind it.
   */
  public void settle() {
    if (emptyEnd != null && !changed) {
      progress(emptyEnd, ((Struct) emptyEnd.value()).getInt64("ts_ms") * 1_000);
    }
  }

  private void progress(SourceRecord at, long micros) {
    stream.progress(Bookmark.at(at, last), micros, at);
    lastOffset = at.sourceOffset();
    emptyEnd = null;
  }

  private void endLoad(SourceRecord record, long micros) {
    loading = false;
    if (changed) {
      stream.end(Bookmark.at(record, last), micros, record);
    } else {
      stream.progress(Bookmark.at(record, last), micros, record);
    }
    changed = false;
    lastOffset = record.sourceOffset();
  }

  private void boundary(SourceRecord record, Struct value) {
    String id = connector.transactionOf(value.getString("id"));
    switch (value.getString("status")) {
      case "BEGIN" -> begin(record, id);
      case "END" -> end(record, value, id);
      default -> throw refused(record, "a transaction's status " + value.getString("status"), "");
    }
  }

  private void begin(SourceRecord record, String id) {
    if (loading) {
      throw refused(
          record,
          "transaction %s begins, and Debezium has not said that its snapshot is complete"
              .formatted(id),
          "");
    }
    boolean mayBeStatement = connector.leavesStatementsOpen() && (counts.isEmpty() || repeated);
    if (id.equals(open) && !counts.isEmpty() && !repeated) {
      // The connector has lost its connection, and reads the transaction again.
      throw new SluiceException.Retryable(
          "transaction %s begins a second time before its end".formatted(id), null);
    }
    if (open != null && !mayBeStatement) {
      throw incomplete(open, "transaction %s begins before its end".formatted(id), "its end");
    }
    if (stream.asksForEachEnd()) {
      settle();
    }
    open = id;
    repeated = id.equals(last);
    changed = false;
    counts.clear();
  }

  private void end(SourceRecord record, Struct value, String id) {
    if (open == null && id.equals(last)) {
      // The end that the journal has: Debezium's offset was right before it.
      return;
    }
    if (!id.equals(open)) {
      throw incomplete(id, "it ends, and " + (open == null ? "none" : open) + " is open", "");
    }
    if (!repeated) {
      changes.requireNothingHeld();
      counts.requireComplete(id, value);
      complete(record, id, value.getInt64("ts_ms") * 1_000);
    }
    open = null;
  }

  private void complete(SourceRecord record, String id, long commitMicros) {
    last = id;
    if (changed) {
      stream.end(Bookmark.at(record, last), commitMicros, record);
      lastOffset = record.sourceOffset();
      emptyEnd = null;
      changed = false;
    } else {
      emptyEnd = record;
    }
  }

  private void event(SourceRecord record, Struct value) {
    Struct source = value.getStruct("source");
    if (value.getString("op").equals("m")) {
      throw refused(
          record, "a logical message", "Leave message.prefix.include.list out of the properties");
    }
    TableId table = connector.tableOf(source);
    if (value.getString("op").equals("r")) {
      if (!loading) {
        throw refused(
            record,
            "a row of another snapshot, of table " + table,
            "Send no signals for snapshots to this connector");
      }
      add(changes.of(table, record, value));
      return;
    }
    Struct transaction =
        value.schema().field("transaction") == null ? null : value.getStruct("transaction");
    if (transaction == null) {
      throw refused(record, "a change of table " + table + " outside of a transaction", "");
    }
    String id = connector.transactionOf(transaction.getString("id"));
    if (!id.equals(open)) {
      throw incomplete(
          id,
          "a change of table %s comes while %s is open"
              .formatted(table, open == null ? "no transaction" : open),
          "");
    }
    counts.add(connector.collectionOf(source));
    if (repeated) {
      // The journal has it.
      return;
    }
    if (transaction.getInt64("total_order") != counts.all()) {
      throw incomplete(
          id,
          "a change of table %s has number %d"
              .formatted(table, transaction.getInt64("total_order")),
          "number " + counts.all());
    }
    add(changes.of(table, record, value));
    if (value.getString("op").equals("t") && connector.leavesStatementsOpen()) {
      complete(record, id, source.getInt64("ts_ms") * 1_000);
      open = null;
    }
  }

  private void add(Optional<ChangeEvent> change) {
    if (change.isPresent()) {
      changed = true;
      stream.change(change.get());
    }
  }

  /** Definitions that a snapshot reads are those that are there; later ones are changes. */
  private void definition(SourceRecord record, Struct value) {
    if (loading
        || SnapshotMarks.isInSnapshot(record)
        || last.isEmpty() && SnapshotMarks.isOfSnapshot(value)) {
      return;
    }
    changes
        .alteredBy(value)
        .ifPresent(
            table -> {
              throw RecordRows.refused(
                  table,
                  "a statement changes its definition: " + value.getString("ddl"),
                  "one definition while the task runs",
                  "Changed definitions are not followed with source.type debezium: load the table"
                      + " again");
            });
  }

  static SluiceException.Fatal incomplete(String id, String found, String expected) {
    return new SluiceException.Fatal(
        new Problem(
            "transaction " + id,
            Objects.requireNonNull(found),
            expected,
            "Debezium has lost or repeated changes: load the tables again"));
  }

  private static SluiceException.Fatal refused(SourceRecord record, String found, String fix) {
    return new SluiceException.Fatal(
        new Problem(
            "topic " + record.topic(), found, "changes of rows in whole transactions", fix));
  }
}
