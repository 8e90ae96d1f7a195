package dev.sluice.connector.debezium;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/*
 * What Debezium does to a transaction, and what is made of it again:
 *
 *   BEGIN and END lie in the stream as records of the transaction topic; only END knows the
 *     transaction's own position (lsn_commit of its offset).
 *   An update that changes the key comes as a delete and a create; the delete's header
 *     __debezium.newkey announces the create, which follows at once.
 *   One TRUNCATE comes as one record per table, all of the same LSN.
 *   A message outside a transaction comes between an END and a BEGIN, and has no txId.
 *   END's event_count counts all of these records, each once.
 */
/**
 * Debezium's records to source events, in the same order. Every quirk of Debezium's envelopes is
 * known here and nowhere else. Owned by the capture's thread.
 */
final class EventMapper {
  private static final String NEW_KEY = "__debezium.newkey";
  private static final String OLD_KEY = "__debezium.oldkey";

  private final String transactionTopic;
  private final String messageTopic;
  private final MessagePrefixes prefixes;
  private final SourceTables tables;

  private final Map<Schema, RowMapper> mappers = new IdentityHashMap<>();
  private final Map<TableId, Schema> shapes = new HashMap<>();
  private final List<TableId> truncated = new ArrayList<>();
  private String transaction;
  private long records;
  private long truncateLsn;
  private Struct keyChangedFrom;
  private RowMapper keyChangedIn;

  EventMapper(String topicPrefix, MessagePrefixes prefixes, SourceTables tables) {
    this.transactionTopic = topicPrefix + ".transaction";
    this.messageTopic = topicPrefix + ".message";
    this.prefixes = prefixes;
    this.tables = tables;
  }

  /**
   * The events that this record completes, in order; often one, sometimes none or two.
   *
   * @throws SluiceException.Fatal where a record of the transaction is missing, or the record
   *     cannot be understood
   */
  List<SourceEvent> map(SourceRecord record) {
    RowMapper mapper = mappers.get(record.valueSchema());
    if (mapper != null) {
      return change(record, mapper);
    }
    if (record.topic().equals(transactionTopic)) {
      return boundary(record);
    }
    if (record.topic().equals(messageTopic)) {
      return message(record);
    }
    return change(record, mapperOf(record));
  }

  private List<SourceEvent> change(SourceRecord record, RowMapper mapper) {
    requireOpen(record);
    records++;
    Struct envelope = (Struct) record.value();
    char operation = ((String) envelope.getWithoutDefault("op")).charAt(0);
    if (operation == 't') {
      return truncate(envelope, mapper.table());
    }
    RowChange change = row(operation, envelope, record, mapper);
    if (change == null) {
      return List.of();
    }
    return truncated.isEmpty()
        ? List.of(new SourceEvent.Changed(change))
        : List.of(truncation(), new SourceEvent.Changed(change));
  }

  private RowChange row(char operation, Struct envelope, SourceRecord record, RowMapper mapper) {
    if (keyChangedFrom != null) {
      return keyChange(operation, envelope, record, mapper);
    }
    Struct before = (Struct) envelope.getWithoutDefault("before");
    Struct after = (Struct) envelope.getWithoutDefault("after");
    switch (operation) {
      case 'c':
        return mapper.insert(after);
      case 'u':
        return mapper.update(before, after);
      case 'd':
        if (record.headers().isEmpty() || record.headers().lastWithName(NEW_KEY) == null) {
          return mapper.delete(before);
        }
        keyChangedFrom = before;
        keyChangedIn = mapper;
        return null;
      default:
        throw new SluiceException.Fatal(
            "table %s: Debezium sent operation '%s', which no change of a log has"
                .formatted(mapper.table(), operation),
            null);
    }
  }

  private RowChange keyChange(
      char operation, Struct envelope, SourceRecord record, RowMapper mapper) {
    if (operation != 'c'
        || mapper != keyChangedIn
        || record.headers().lastWithName(OLD_KEY) == null) {
      throw new SluiceException.Fatal(
          "table %s: the second half of a key change is missing, operation '%s' on %s came instead"
              .formatted(keyChangedIn.table(), operation, mapper.table()),
          null);
    }
    RowChange change = mapper.update(keyChangedFrom, (Struct) envelope.getWithoutDefault("after"));
    keyChangedFrom = null;
    keyChangedIn = null;
    return change;
  }

  private List<SourceEvent> truncate(Struct envelope, TableId table) {
    Struct source = (Struct) envelope.getWithoutDefault("source");
    long lsn = (Long) source.getWithoutDefault("lsn");
    List<SourceEvent> before =
        truncated.isEmpty() || lsn == truncateLsn ? List.of() : List.of(truncation());
    truncateLsn = lsn;
    truncated.add(table);
    return before;
  }

  private SourceEvent truncation() {
    Map<TableId, List<TableId>> leavesByRoot = new LinkedHashMap<>();
    for (TableId table : truncated) {
      TableId root = tables.describe(table).map(SourceTable::root).orElse(table);
      leavesByRoot.computeIfAbsent(root, any -> new ArrayList<>()).add(table);
    }
    truncated.clear();
    List<Emptied> emptied = new ArrayList<>();
    leavesByRoot.forEach((root, leaves) -> emptied.add(new Emptied(root, condition(root, leaves))));
    return new SourceEvent.Changed(new Truncate(emptied));
  }

  /** The condition that the rows of all these leaves fulfil; null for the whole root. */
  private String condition(TableId root, List<TableId> leaves) {
    if (leaves.contains(root) || Set.copyOf(leaves).containsAll(tables.leavesOf(root))) {
      return null;
    }
    List<String> conditions = new ArrayList<>();
    for (TableId leaf : leaves) {
      String condition = tables.describe(leaf).map(SourceTable::partitionCondition).orElse(null);
      if (condition == null) {
        throw new SluiceException.Fatal(
            "table %s: its partition %s was truncated, and the source no longer tells which rows it held; load the table again"
                .formatted(root, leaf),
            null);
      }
      conditions.add(condition);
    }
    return conditions.size() == 1
        ? conditions.get(0)
        : "(" + String.join(") OR (", conditions) + ")";
  }

  private List<SourceEvent> boundary(SourceRecord record) {
    Struct value = (Struct) record.value();
    if (value.getWithoutDefault("status").equals("BEGIN")) {
      if (transaction != null) {
        throw new SluiceException.Fatal(
            "transaction %s began before transaction %s ended"
                .formatted(value.getWithoutDefault("id"), transaction),
            null);
      }
      transaction = (String) value.getWithoutDefault("id");
      records = 0;
      return List.of();
    }
    requireOpen(record);
    requireAll(value);
    SourceEvent end =
        new SourceEvent.Committed(position(record), (Long) record.sourceOffset().get("ts_usec"));
    List<SourceEvent> events = truncated.isEmpty() ? List.of(end) : List.of(truncation(), end);
    transaction = null;
    return events;
  }

  private void requireAll(Struct end) {
    Long expected = (Long) end.getWithoutDefault("event_count");
    if (expected != null && expected != records || keyChangedFrom != null) {
      throw new SluiceException.Fatal(
          "transaction %s has %s events, but %s of them came through; nothing of it is journaled as complete"
              .formatted(transaction, expected, records),
          null);
    }
  }

  private List<SourceEvent> message(SourceRecord record) {
    Struct value = (Struct) record.value();
    Struct source = (Struct) value.getWithoutDefault("source");
    Struct message = (Struct) value.getWithoutDefault("message");
    String prefix = (String) message.getWithoutDefault("prefix");
    byte[] content = bytes(message.getWithoutDefault("content"));
    if (source.getWithoutDefault("txId") == null) {
      if (!prefix.equals(prefixes.progress())) {
        return List.of();
      }
      long micros = Long.parseLong(new String(content, StandardCharsets.US_ASCII));
      return List.of(new SourceEvent.Progressed(position(record), micros));
    }
    requireOpen(record);
    records++;
    if (!prefix.equals(prefixes.fence())) {
      return List.of();
    }
    SourceEvent fence = new SourceEvent.Changed(message(prefix, content));
    return truncated.isEmpty() ? List.of(fence) : List.of(truncation(), fence);
  }

  private static ChangeEvent message(String prefix, byte[] content) {
    return new Message(prefix, content);
  }

  private static byte[] bytes(Object content) {
    if (content instanceof byte[] bytes) {
      return bytes;
    }
    ByteBuffer buffer = ((ByteBuffer) content).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static Position position(SourceRecord record) {
    return new Position((Long) record.sourceOffset().get("lsn_commit"));
  }

  private RowMapper mapperOf(SourceRecord record) {
    Struct source = (Struct) ((Struct) record.value()).getWithoutDefault("source");
    TableId table =
        new TableId(
            (String) source.getWithoutDefault("schema"),
            (String) source.getWithoutDefault("table"));
    SourceTable described =
        tables
            .describe(table)
            .orElseThrow(
                () ->
                    new SluiceException.Fatal(
                        "table %s: the log has a change of it, but the source has no such table any more; its key is not known"
                            .formatted(table),
                        null));
    RowMapper mapper = new RowMapper(described, record.valueSchema().field("after").schema());
    Schema previous = shapes.put(table, record.valueSchema());
    if (previous != null) {
      mappers.remove(previous);
    }
    mappers.put(record.valueSchema(), mapper);
    return mapper;
  }

  private void requireOpen(SourceRecord record) {
    if (transaction == null) {
      throw new SluiceException.Fatal(
          "a record of %s came outside a transaction, at offset %s"
              .formatted(record.topic(), record.sourceOffset()),
          null);
    }
  }
}
