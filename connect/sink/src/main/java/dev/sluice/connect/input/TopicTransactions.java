package dev.sluice.connect.input;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.Message;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assembles the transactions of one ordered Debezium topic and writes them as journal entries.
 * Owned by the task's thread.
 */
final class TopicTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(TopicTransactions.class);

  static final int FRAME_BYTES = 64 * 1024;
  private static final int SNAPSHOT_ROWS = 5_000;

  /** The first position in PostgreSQL's log, whose first segment is not used. */
  private static final Position LOG_START = new Position(0x1000000);

  /*
   * Debezium delivers at least once. After its restart, complete transactions may come again
   * (recognized by the position of their end), or the rest of one, with some events twice
   * (recognized by their number), or another transaction in the middle of one (which is then
   * incomplete and comes again). A journal's intake discards incomplete transactions only at the
   * start of a new term, so the start of a term is written there. Commits have one order: the first
   * new end after an incomplete transaction must be its own; otherwise it is lost.
   *
   * Rows of a snapshot have no transaction and no increasing log position. They are written in
   * groups, whose positions count up from the last one, far below any log position. A snapshot
   * after transactions is one group: its position must be between the last transaction's and the
   * next one's, and there is little room.
   */
  private final boolean replaceTables;
  private final Consumer<JournalEntry> entries;
  private Position last;
  private long term;
  private TransactionEncoder encoder;
  private long offset;

  private final EventFolding folding = new EventFolding(this::add);
  private Open open;
  private String interrupted;
  private long snapshotRows;
  private long snapshotMicros;

  /**
   * @param applied up to where the target has the changes
   * @param replaceTables true if a table is emptied before the first row of its snapshot
   * @param entries gets each finished entry, in order
   */
  TopicTransactions(JournalOffset applied, boolean replaceTables, Consumer<JournalEntry> entries) {
    this.replaceTables = replaceTables;
    this.entries = entries;
    this.last = applied.position();
    this.term = applied.term();
  }

  /**
   * Takes the next record.
   *
   * @param at the record's offset
   * @throws SluiceException.Fatal if a transaction ends and is not complete
   */
  void take(DebeziumRecord record, long at) {
    offset = at;
    if (encoder == null) {
      beginTerm();
    }
    if (record instanceof SnapshotRow row) {
      takeSnapshot(row);
      return;
    }
    endSnapshot();
    if (record instanceof Begin begin) {
      enter(begin.xid());
    } else if (record instanceof End end) {
      end(end);
    } else if (record instanceof RowEvent event) {
      if (isNext(event.membership(), "a change of " + event.schema().table())) {
        folding.take(event, "offset " + offset);
      }
    } else if (record instanceof Truncated truncated) {
      if (isNext(truncated.membership(), "a TRUNCATE of " + truncated.table())) {
        folding.take(truncated);
      }
    } else if (record instanceof Message message && message.membership() != null) {
      isNext(message.membership(), "a message");
    }
  }

  /** The position of the last transaction, or of the last group of a snapshot. */
  Position last() {
    return last;
  }

  /** True if a group of snapshot rows is open. */
  boolean isInSnapshot() {
    return snapshotRows > 0;
  }

  /**
   * Closes the open group of snapshot rows.
   *
   * @param at the offset of their last record
   */
  void closeSnapshot(long at) {
    if (snapshotRows > 0) {
      offset = at;
      closeSnapshot();
    }
  }

  private void beginTerm() {
    term++;
    put(new TermStart(term, last).encode());
    encoder = new TransactionEncoder(term, FRAME_BYTES, this::put);
  }

  private void put(byte[] value) {
    entries.accept(new JournalEntry(offset, value));
  }

  private void enter(String xid) {
    if (open != null && open.xid.equals(xid)) {
      return;
    }
    if (open != null) {
      LOG.info(
          "transaction {} was interrupted after {} events, at offset {}: the source starts again",
          open.xid,
          open.order,
          offset);
      interrupted = interrupted == null ? open.xid : interrupted;
      beginTerm();
    }
    folding.clear();
    open = new Open(xid);
    encoder.begin();
  }

  /** True if the event is new; opens its transaction if needed. */
  private boolean isNext(Membership membership, String what) {
    if (membership == null) {
      throw new SluiceException.Fatal(
          new Problem(
              "offset " + offset,
              what + " without its transaction",
              "events with their transaction, and its end",
              "Set provide.transaction.metadata=true on the source connector"));
    }
    enter(membership.xid());
    if (membership.order() <= open.order) {
      return false;
    }
    open.order = membership.order();
    open.events++;
    if (membership.collection() != null) {
      open.counts.merge(membership.collection(), 1L, Long::sum);
    }
    return true;
  }

  private void add(ChangeEvent event) {
    encoder.add(event);
  }

  private void end(End end) {
    boolean isNew = end.position().isAfter(last);
    if (!isNew && end.xid().equals(interrupted)) {
      // It was interrupted while it was repeated.
      interrupted = null;
    }
    if (open == null || !open.xid.equals(end.xid())) {
      if (!isNew) {
        // Already ended: Debezium sent it twice.
        return;
      }
      enter(end.xid());
    }
    if (isNew) {
      refuseIncomplete(end);
    }
    folding.flush();
    encoder.end(end.position(), end.commitMicros());
    open = null;
    last = last.max(end.position());
  }

  private void refuseIncomplete(End end) {
    if (interrupted != null && !interrupted.equals(end.xid())) {
      throw new SluiceException.Fatal(
          new Problem(
              "offset " + offset,
              "transaction %s ends at %s, but transaction %s, which broke off before, has not come again"
                  .formatted(end.xid(), end.position(), interrupted),
              "transactions in the order of their commits",
              "Events were lost between Debezium and this topic: load the tables again"));
    }
    interrupted = null;
    Map<String, Long> expected = new TreeMap<>(end.counts());
    // Debezium counts logical messages under a name of its own making.
    expected.keySet().removeIf(collection -> collection.contains("LogicalDecodingMessageId"));
    if (open.events != end.events() || !expected.equals(open.counts)) {
      throw new SluiceException.Fatal(
          new Problem(
              "transaction %s, which ends at %s, offset %d"
                  .formatted(end.xid(), end.position(), offset),
              "has %d events: %s".formatted(open.events, open.counts),
              "%d events: %s".formatted(end.events(), expected),
              "Events are missing from the topic. Route all of Debezium's topics into this one,"
                  + " choose tables by table.include.list on the source connector and not by a"
                  + " transform, and load the tables again"));
    }
  }

  private void takeSnapshot(SnapshotRow row) {
    if (snapshotRows == 0) {
      if (open != null) {
        throw new SluiceException.Fatal(
            new Problem(
                "offset " + offset,
                "a row of a snapshot inside of transaction " + open.xid,
                "snapshots before all transactions",
                "Load the tables by the initial snapshot alone"));
      }
      encoder.begin();
    }
    if (row.first() && replaceTables) {
      add(new Truncate(List.of(new Emptied(row.schema().table(), null))));
    }
    add(new RowChange(row.schema(), null, row.row()));
    snapshotRows++;
    snapshotMicros = row.readMicros();
    if (row.last() || snapshotRows >= SNAPSHOT_ROWS && LOG_START.isAfter(last)) {
      closeSnapshot();
    }
  }

  /** Closes the snapshot's open group before a record that is not part of the snapshot. */
  private void endSnapshot() {
    if (snapshotRows > 0) {
      offset--;
      closeSnapshot();
      offset++;
    }
  }

  private void closeSnapshot() {
    last = last.next();
    encoder.end(last, snapshotMicros);
    snapshotRows = 0;
  }

  /** The open transaction. */
  private static final class Open {
    private final String xid;
    private final Map<String, Long> counts = new HashMap<>();

    /** The number of the last event, which is also the expected number of events. */
    private long order;

    private long events;

    private Open(String xid) {
      this.xid = xid;
    }
  }
}
