package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.EventBatch;
import dev.sluice.connector.journal.SourceEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * pgoutput's messages, protocol version 1, as PostgreSQL's manual has them ("Logical Replication
 * Message Formats"). Integers are big-endian, strings end with a zero byte:
 *
 *   B begin     final LSN 8 | commit time 8 | transaction id 4
 *   C commit    flags 1 | LSN 8 | end LSN 8 | commit time 8
 *   R relation  id 4 | schema | name | identity 1 | n 2 | n × (flags 1 | name | type 4 | modifier 4)
 *   I insert    relation 4 | 'N' row
 *   U update    relation 4 | ('K' | 'O' row)? | 'N' row
 *   D delete    relation 4 | 'K' | 'O' row
 *   T truncate  n 4 | options 1 | n × relation 4
 *   M message   flags 1 | LSN 8 | prefix | length 4 | content
 *   Y type, O origin: not needed
 *   row         n 2 | n × ('n' NULL | 'u' unchanged | 't' length 4 | text)
 *
 * The server sends a transaction at its commit, without interleaving. A message that is not part of a
 * transaction comes between two transactions. A relation is described again after each change of it.
 *
 * Trust: any role may write a message with any prefix and content. A row of a table was written by a
 * role that may write to that table.
 */
/**
 * Decodes the source's log into events; rows are copied, not parsed. Owned by the reader's thread.
 */
final class LogDecoder {
  /** Times in the log are microseconds since 2000. */
  private static final long EPOCH_MICROS =
      Instant.parse("2000-01-01T00:00:00Z").getEpochSecond() * 1_000_000;

  /** Bytes of a message's prefix that are read at most; our own prefixes are shorter. */
  private static final int LONGEST_PREFIX = 256;

  private final MessagePrefixes prefixes;
  private final OwnMessages own;
  private final SourceTables tables;
  private final TransactionIds ids;

  private final Map<Integer, LoggedTable> relations = new HashMap<>();
  private final Map<Integer, LoggedReport> reports = new HashMap<>();
  private List<SourceEvent> events = new ArrayList<>();
  private long bytes;
  private boolean open;
  private boolean progress;
  private long transactionId;
  private Position position = Position.ZERO;

  /**
   * @param own the messages that this process wrote; all others are ignored
   * @param ids extends the ids of transactions
   */
  LogDecoder(MessagePrefixes prefixes, OwnMessages own, SourceTables tables, TransactionIds ids) {
    this.prefixes = prefixes;
    this.own = own;
    this.tables = tables;
    this.ids = ids;
  }

  /** Size in the log of the events decoded since the last {@link #take}, in bytes. */
  long bytes() {
    return bytes;
  }

  /** The events decoded since the last call. */
  EventBatch take() {
    EventBatch batch = new EventBatch(events, bytes);
    events = new ArrayList<>(events.size() + 16);
    bytes = 0;
    return batch;
  }

  /**
   * Decodes one message.
   *
   * @param message with an array behind it
   * @param at its position in the log
   * @throws SluiceException.Fatal if it is not understood, or a table's key is unknown
   */
  void decode(ByteBuffer message, Position at) {
    position = at;
    int size = message.remaining();
    char kind = (char) message.get();
    switch (kind) {
      case 'I' -> insert(message);
      case 'U' -> update(message);
      case 'D' -> delete(message);
      case 'B' -> begin(message);
      case 'C' -> commit(message);
      case 'R' -> relation(message);
      case 'T' -> truncate(message);
      case 'M' -> {
        message(message);
        // Its content is not kept.
        bytes++;
        return;
      }
      case 'Y', 'O' -> {
        return;
      }
      default ->
          throw new SluiceException.Fatal(
              "the source's log has a message of kind '%s' (%d bytes); expected a kind of pgoutput's protocol version 1"
                  .formatted(kind, size),
              null);
    }
    bytes += size;
  }

  private void begin(ByteBuffer message) {
    if (open) {
      throw new SluiceException.Fatal(
          "the source's log begins a transaction before the previous one has ended", null);
    }
    message.getLong();
    message.getLong();
    transactionId = ids.extend(message.getInt());
    open = true;
    progress = false;
  }

  private void commit(ByteBuffer message) {
    requireOpen();
    message.get();
    message.getLong();
    Position end = new Position(message.getLong());
    long micros = message.getLong() + EPOCH_MICROS;
    events.add(
        progress
            ? new SourceEvent.Progressed(end, micros)
            : new SourceEvent.Committed(end, micros, transactionId));
    open = false;
  }

  private void relation(ByteBuffer message) {
    int id = message.getInt();
    int names = message.position();
    boolean ours = string(message).equals(LoggedReport.SCHEMA);
    if (ours && string(message).equals(LoggedReport.TABLE)) {
      reports.put(id, LoggedReport.read(id, message));
    } else {
      reports.remove(id);
    }
    message.position(names);
    relations.put(
        id, LoggedTable.read(message, tables, table -> !ours && tables.isCaptured(table)));
  }

  private void insert(ByteBuffer message) {
    int id = message.getInt();
    LoggedReport report = reports.get(id);
    if (report != null) {
      report(report, message);
      return;
    }
    LoggedTable table = table(id);
    if (table.isCaptured(position)) {
      add(table.insert(message));
    }
  }

  private void update(ByteBuffer message) {
    LoggedTable table = table(message.getInt());
    if (table.isCaptured(position)) {
      add(table.update(message));
    }
  }

  private void delete(ByteBuffer message) {
    LoggedTable table = table(message.getInt());
    if (table.isCaptured(position)) {
      add(table.delete(message));
    }
  }

  private void truncate(ByteBuffer message) {
    int count = message.getInt();
    message.get();
    List<TableId> truncated = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      LoggedTable table = table(message.getInt());
      if (table.isCaptured(position)) {
        truncated.add(table.table());
      }
    }
    if (!truncated.isEmpty()) {
      add(new TruncatedTables(tables, position).change(truncated));
    }
  }

  private void report(LoggedReport report, ByteBuffer message) {
    Optional<String> content = report.content(message);
    if (content.isEmpty()) {
      own.ignore("a row of sluice_ddl.report without content");
      return;
    }
    relations.values().forEach(LoggedTable::forget);
    tables.definition(report.relation(), content.get()).ifPresent(this::add);
  }

  /** A message is recognized by its position; its content is not read. */
  private void message(ByteBuffer message) {
    boolean transactional = (message.get() & 1) != 0;
    Position at = new Position(message.getLong());
    Optional<OwnMessages.Kind> kind = transactional ? own.at(at) : Optional.empty();
    if (kind.isEmpty()) {
      String prefix = prefix(message);
      if (prefixes.isOurs(prefix)) {
        own.ignore("a message under the prefix " + prefix + " that this process did not write");
      }
      return;
    }
    requireOpen();
    switch (kind.get()) {
      case FENCE ->
          add(new Message(prefixes.fence(), at.toString().getBytes(StandardCharsets.US_ASCII)));
      case PROGRESS -> progress = true;
    }
  }

  /** Empty if the prefix is too long to be one of ours. */
  private static String prefix(ByteBuffer message) {
    int start = message.position();
    for (int length = 0; length <= LONGEST_PREFIX && message.hasRemaining(); length++) {
      if (message.get() == 0) {
        message.position(start);
        return string(message);
      }
    }
    return "";
  }

  private void add(ChangeEvent change) {
    requireOpen();
    events.add(new SourceEvent.Changed(change));
  }

  private LoggedTable table(int id) {
    LoggedTable table = relations.get(id);
    if (table == null) {
      throw new SluiceException.Fatal(
          "the source's log has a change of relation %d without a description of it"
              .formatted(Integer.toUnsignedLong(id)),
          null);
    }
    return table;
  }

  /** Reads a string that ends with a zero byte. */
  static String string(ByteBuffer message) {
    int start = message.position();
    while (message.get() != 0) {}
    return new String(
        message.array(),
        message.arrayOffset() + start,
        message.position() - start - 1,
        StandardCharsets.UTF_8);
  }

  private void requireOpen() {
    if (!open) {
      throw new SluiceException.Fatal("the source's log has a change outside a transaction", null);
    }
  }
}
