package dev.sluice.connect;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Debezium's envelopes of a table (id, name), for tests, as a line of text: {@code
 * op|table|id|name|xid|order|previous commit}, with the name of a header behind it where a key
 * changes, {@code BEGIN|xid} or {@code END|xid|position|table=count|…}. A TRUNCATE (t) has an id
 * and a name that do not count. Tables are of the schema shop unless they come with another.
 */
final class TextEnvelope {
  private static final Schema KEY = SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).build();
  private static final Schema ROW =
      SchemaBuilder.struct()
          .optional()
          .field("id", Schema.INT32_SCHEMA)
          .field("name", Schema.OPTIONAL_STRING_SCHEMA)
          .build();
  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("lsn", Schema.INT64_SCHEMA)
          .field("sequence", Schema.STRING_SCHEMA)
          .build();
  private static final Schema TRANSACTION =
      SchemaBuilder.struct()
          .optional()
          .field("id", Schema.STRING_SCHEMA)
          .field("total_order", Schema.INT64_SCHEMA)
          .build();
  private static final Schema ENVELOPE =
      SchemaBuilder.struct()
          .field("before", ROW)
          .field("after", ROW)
          .field("source", SOURCE)
          .field("op", Schema.STRING_SCHEMA)
          .field("transaction", TRANSACTION)
          .build();

  private TextEnvelope() {}

  static SinkRecord read(ConsumerRecord<byte[], byte[]> record) {
    String[] parts = new String(record.value(), StandardCharsets.UTF_8).split("\\|");
    if (parts[0].equals("BEGIN") || parts[0].equals("END")) {
      return record(record, null, null, null, boundary(parts));
    }
    int id = Integer.parseInt(parts[2]);
    Struct row = new Struct(ROW).put("id", id).put("name", parts[3]);
    boolean isDelete = parts[0].equals("d");
    boolean isTruncate = parts[0].equals("t");
    int dot = parts[1].indexOf('.');
    Struct source =
        new Struct(SOURCE)
            .put("schema", dot < 0 ? "shop" : parts[1].substring(0, dot))
            .put("table", parts[1].substring(dot + 1))
            .put("lsn", 100L)
            .put(
                "sequence",
                "[%s,\"100\"]".formatted(parts[6].equals("0") ? "null" : "\"" + parts[6] + "\""));
    Struct envelope =
        new Struct(ENVELOPE)
            .put("op", parts[0])
            .put("before", isDelete ? row : null)
            .put("after", isDelete || isTruncate ? null : row)
            .put("source", source)
            .put(
                "transaction",
                new Struct(TRANSACTION)
                    .put("id", parts[4] + ":100")
                    .put("total_order", Long.parseLong(parts[5])));
    Struct key = isTruncate ? null : new Struct(KEY).put("id", id);
    SinkRecord read = record(record, isTruncate ? null : KEY, key, ENVELOPE, envelope);
    if (parts.length > 7) {
      read.headers().addString("__debezium." + parts[7], "");
    }
    return read;
  }

  private static Map<String, Object> boundary(String[] parts) {
    if (parts[0].equals("BEGIN")) {
      return Map.of("status", "BEGIN", "id", parts[1] + ":1", "ts_ms", 1L);
    }
    List<Map<String, Object>> counts = new ArrayList<>();
    long events = 0;
    for (int i = 3; i < parts.length; i++) {
      String[] count = parts[i].split("=");
      events += Long.parseLong(count[1]);
      counts.add(
          Map.of("data_collection", "shop." + count[0], "event_count", Long.parseLong(count[1])));
    }
    return Map.of(
        "status",
        "END",
        "id",
        parts[1] + ":" + parts[2],
        "ts_ms",
        1L,
        "event_count",
        events,
        "data_collections",
        counts);
  }

  private static SinkRecord record(
      ConsumerRecord<byte[], byte[]> record,
      Schema keySchema,
      Object key,
      Schema schema,
      Object value) {
    return new SinkRecord(
        record.topic(), record.partition(), keySchema, key, schema, value, record.offset());
  }
}
