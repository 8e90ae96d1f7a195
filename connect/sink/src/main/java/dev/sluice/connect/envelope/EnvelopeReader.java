package dev.sluice.connect.envelope;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.Message;
import dev.sluice.connect.envelope.DebeziumRecord.Skipped;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connect.fields.FieldValues;
import dev.sluice.connector.api.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Reads the records of Debezium's PostgreSQL connector, from structs, from JSON without schemas, or
 * from the bytes of either. Unknown records are rejected, so that nothing is skipped by mistake.
 * Owned by one thread.
 */
public final class EnvelopeReader {
  private final RecordFields fields = new RecordFields();
  private final RowReader rows;

  /**
   * @param placeholder {@code unavailable.value.placeholder} of the source connector
   * @param plain reads values of JSON without schemas
   */
  public EnvelopeReader(String placeholder, PlainValues plain) {
    this.rows = new RowReader(placeholder, plain, fields);
  }

  /**
   * Reads a record.
   *
   * @throws SluiceException.Fatal if it is not a record of Debezium's, or has a value without an
   *     unambiguous text form
   */
  public DebeziumRecord read(SinkRecord record) {
    Optional<FieldValues> found = fields.value(record);
    if (found.isEmpty()) {
      return new Skipped("tombstone");
    }
    FieldValues value = found.get();
    if (value.value("op") != null) {
      return event(record, value);
    }
    if (value.value("status") != null && value.value("id") != null) {
      return boundary(record, value);
    }
    List<String> names = value.names();
    if (names.equals(List.of("ts_ms"))) {
      return new Skipped("heartbeat");
    }
    if (names.contains("ddl") || names.contains("tableChanges")) {
      return new Skipped("schema change");
    }
    if (names.containsAll(List.of("schema", "payload"))) {
      throw unknown(
          record,
          "JSON with schemas",
          "Set value.converter.schemas.enable=true and key.converter.schemas.enable=true");
    }
    throw unknown(
        record,
        "an object with the fields " + names,
        "Leave Debezium's envelope as it is: no ExtractNewRecordState or other transforms of"
            + " values");
  }

  private DebeziumRecord event(SinkRecord record, FieldValues value) {
    FieldValues source =
        value
            .within("source")
            .orElseThrow(() -> unknown(record, "an event without its source block", ""));
    long lsn = source.number("lsn", 0);
    String op = value.text("op");
    if (op.equals("m")) {
      return new Message(membership(record, value, source, null));
    }
    String schema = source.text("schema");
    String name = source.text("table");
    if (schema == null || name == null) {
      throw unknown(
          record,
          "an event without schema and table in its source block",
          "Leave the source block as it is");
    }
    TableId table = new TableId(schema, name);
    Membership membership = membership(record, value, source, schema + "." + name);
    switch (op) {
      case "c":
      case "u":
      case "d":
        return rows.event(record, value, table, membership, lsn);
      case "r":
        if ("incremental".equals(source.text("snapshot"))) {
          throw unknown(
              record,
              "a row of an incremental snapshot of " + table,
              "Load the table by the initial snapshot, or by a task of Sluice's own");
        }
        return rows.snapshot(record, value, table, String.valueOf(source.text("snapshot")));
      case "t":
        return new Truncated(membership, lsn, table);
      default:
        throw unknown(record, "an event with the operation " + op, "");
    }
  }

  private static Membership membership(
      SinkRecord record, FieldValues value, FieldValues source, String collection) {
    Optional<FieldValues> transaction = value.within("transaction");
    return transaction
        .map(
            block ->
                new Membership(
                    xidOf(block.text("id")),
                    block.number("total_order", 0),
                    collection,
                    previousCommit(record, source.text("sequence"))))
        .orElse(null);
  }

  private static Position previousCommit(SinkRecord record, String sequence) {
    return sequence == null
        ? Position.ZERO
        : SourceSequence.lastCommit(sequence)
            .orElseThrow(
                () ->
                    unknown(
                        record,
                        "an event with the sequence " + sequence,
                        "Use Debezium's PostgreSQL connector 3.7 or later, and leave the source"
                            + " block as it is"));
  }

  private static DebeziumRecord boundary(SinkRecord record, FieldValues value) {
    String id = value.text("id");
    String xid = xidOf(id);
    switch (value.text("status")) {
      case "BEGIN":
        return new Begin(xid);
      case "END":
        Map<String, Long> counts = new HashMap<>();
        if (value.value("data_collections") instanceof List<?> collections) {
          for (Object collection : collections) {
            FieldValues counted = FieldValues.of(collection).orElseThrow();
            counts.merge(
                counted.text("data_collection"), counted.number("event_count", 0), Long::sum);
          }
        }
        return new End(
            xid,
            positionOf(record, id),
            value.number("event_count", 0),
            counts,
            value.number("ts_ms", 0) * 1_000);
      default:
        throw unknown(record, "a transaction with the status " + value.text("status"), "");
    }
  }

  /** Debezium writes {@code xid:lsn}, with the LSN of the record at hand. */
  private static String xidOf(String id) {
    int colon = id.indexOf(':');
    return colon < 0 ? id : id.substring(0, colon);
  }

  private static Position positionOf(SinkRecord record, String id) {
    String lsn = id.substring(id.indexOf(':') + 1);
    try {
      return lsn.contains("/") ? Position.parse(lsn) : new Position(Long.parseUnsignedLong(lsn));
    } catch (IllegalArgumentException e) {
      throw unknown(
          record,
          "a transaction's end with the id " + id,
          "Use Debezium's PostgreSQL connector 3.7 or later, which writes xid:lsn");
    }
  }

  /** The error of a key or value whose bytes cannot be read. */
  static SluiceException.Fatal unreadable(
      SinkRecord record, String part, byte[] bytes, String reason) {
    boolean mayBeAvro = bytes.length > 0 && bytes[0] == 0;
    return new SluiceException.Fatal(
        new Problem(
            place(record),
            "a %s of %d bytes that cannot be read: %s".formatted(part, bytes.length, reason),
            "JSON as Kafka's JsonConverter writes it, or what BinaryConverter writes",
            (mayBeAvro ? "It begins like Avro with a registry's id. " : "")
                + "Set the %s.converter that the source connector writes with".formatted(part)));
  }

  static SluiceException.Fatal unknown(SinkRecord record, String found, String fix) {
    return new SluiceException.Fatal(
        new Problem(place(record), found, "a record of Debezium's PostgreSQL connector", fix));
  }

  static String place(SinkRecord record) {
    return "topic %s, partition %d, offset %d"
        .formatted(
            record.originalTopic(), record.originalKafkaPartition(), record.originalKafkaOffset());
  }
}
