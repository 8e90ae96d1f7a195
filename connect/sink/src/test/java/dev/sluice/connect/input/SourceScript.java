package dev.sluice.connect.input;

import dev.sluice.config.TableId;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/** What a Debezium source writes into a topic for each table and one for its transactions. */
final class SourceScript {
  static final TopicPartition TRANSACTIONS = new TopicPartition("shop.transaction", 0);

  private final Map<TopicPartition, List<DebeziumRecord>> logs = new LinkedHashMap<>();
  private Position previous = Position.ZERO;
  private String xid;
  private long order;
  private Map<String, Long> counts = new TreeMap<>();

  SourceScript(Map<String, Integer> partitionsOfTables) {
    logs.put(TRANSACTIONS, new ArrayList<>());
    partitionsOfTables.forEach(
        (table, partitions) -> {
          for (int i = 0; i < partitions; i++) {
            logs.put(partition(table, i), new ArrayList<>());
          }
        });
  }

  static TopicPartition partition(String table, int number) {
    return new TopicPartition("shop.shop." + table, number);
  }

  static RowSchema schemaOf(String table) {
    return new RowSchema(
        new TableId("shop", table),
        List.of(new Column("id", "integer", false, true), new Column("name", "text", true, false)));
  }

  /** As after a restart: what follows comes after that commit. */
  SourceScript after(long position) {
    previous = new Position(position);
    return this;
  }

  SourceScript begin(long number) {
    xid = Long.toString(number);
    order = 0;
    counts = new TreeMap<>();
    write(TRANSACTIONS, new Begin(xid));
    return this;
  }

  SourceScript insert(String table, int partition, String name) {
    return row(table, partition, null, RowBuilder.rowOf("1", name), KeyChange.NONE);
  }

  /** The first half of a key's change. */
  SourceScript leave(String table, int partition, String id) {
    return row(table, partition, RowBuilder.rowOf(id), null, KeyChange.OLD_KEY);
  }

  /** The second half, whose large value stayed as it was. */
  SourceScript arrive(String table, int partition, String id) {
    Row unchanged = new RowBuilder(16).add(id).addUnchanged().build();
    return row(table, partition, null, unchanged, KeyChange.NEW_KEY);
  }

  SourceScript truncate(String table, int partition) {
    write(partition(table, partition), new Truncated(next(table), 7, new TableId("shop", table)));
    return this;
  }

  /** An event of a topic that no test reads. */
  SourceScript elsewhere(String table) {
    next(table);
    return this;
  }

  SourceScript message() {
    order++;
    counts.merge("x.LogicalDecodingMessageId@1f", 1L, Long::sum);
    return this;
  }

  SourceScript end(long position) {
    write(
        TRANSACTIONS, new End(xid, new Position(position), order, new TreeMap<>(counts), position));
    previous = new Position(position);
    return this;
  }

  /** Loses the last record of a partition. */
  SourceScript lose(TopicPartition partition) {
    List<DebeziumRecord> log = logs.get(partition);
    log.set(log.size() - 1, new DebeziumRecord.Skipped("lost"));
    return this;
  }

  void write(TopicPartition partition, DebeziumRecord record) {
    logs.get(partition).add(record);
  }

  Map<TopicPartition, List<DebeziumRecord>> logs() {
    return logs;
  }

  List<SinkRecord> records(TopicPartition partition, long from, long to) {
    List<SinkRecord> records = new ArrayList<>();
    for (long offset = from; offset < to; offset++) {
      records.add(
          new SinkRecord(
              partition.topic(),
              partition.partition(),
              null,
              null,
              null,
              logs.get(partition).get((int) offset),
              offset));
    }
    return records;
  }

  private SourceScript row(String table, int partition, Row match, Row row, KeyChange half) {
    long lsn = half == KeyChange.NEW_KEY ? order : order + 1;
    write(
        partition(table, partition),
        new RowEvent(next(table), lsn, schemaOf(table), match, row, half));
    return this;
  }

  private Membership next(String table) {
    order++;
    counts.merge("shop." + table, 1L, Long::sum);
    return new Membership(xid, order, "shop." + table, previous);
  }
}
