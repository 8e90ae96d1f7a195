package dev.sluice.connect.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Message;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Skipped;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

final class EnvelopeReaderTest {
  private static final String PLACEHOLDER = "__debezium_unavailable_value";

  private static final Schema KEY = SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).build();
  private static final Schema ROW =
      SchemaBuilder.struct()
          .optional()
          .field("id", Schema.INT32_SCHEMA)
          .field("state", SchemaBuilder.string().optional().defaultValue("new").build())
          .field("body", Schema.OPTIONAL_STRING_SCHEMA)
          .build();
  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("lsn", Schema.INT64_SCHEMA)
          .field("snapshot", Schema.OPTIONAL_STRING_SCHEMA)
          .field("sequence", Schema.OPTIONAL_STRING_SCHEMA)
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

  private final EnvelopeReader reader =
      new EnvelopeReader(
          PLACEHOLDER,
          new PlainValues(
              (table, column) ->
                  Map.of("id", "int4", "state", "text", "price", "numeric").get(column),
              "",
              ""));

  @Test
  void anInsertIsReadWithItsTransactionAndAnExplicitNullStaysNull() {
    RowEvent event = (RowEvent) reader.read(event("c", null, row(1, null, "text")));
    assertThat(event.membership().xid()).isEqualTo("771");
    assertThat(event.membership().order()).isEqualTo(3);
    assertThat(event.membership().collection()).isEqualTo("shop.items");
    assertThat(event.schema().table()).hasToString("shop.items");
    assertThat(event.schema().key()).containsExactly(0);
    assertThat(event.match()).isNull();
    assertThat(event.row()).isEqualTo(RowBuilder.rowOf("1", null, "text"));
  }

  @Test
  void aPlaceholderIsAnUnchangedValueAndNeverAText() {
    RowEvent event = (RowEvent) reader.read(event("u", null, row(1, "a", PLACEHOLDER)));
    assertThat(event.match()).isEqualTo(RowBuilder.rowOf("1"));
    assertThat(event.row()).isEqualTo(unchanged("1", "a"));
    event = (RowEvent) reader.read(event("u", row(1, "a", "whole"), row(1, "b", PLACEHOLDER)));
    assertThat(event.row()).isEqualTo(RowBuilder.rowOf("1", "b", "whole"));
  }

  @Test
  void aPlaceholderInANewRowIsRefused() {
    assertThatThrownBy(() -> reader.read(event("c", null, row(1, "a", PLACEHOLDER))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("column body of a new row of shop.items");
    assertThatThrownBy(() -> reader.read(event("r", null, row(1, "a", PLACEHOLDER))))
        .isInstanceOf(SluiceException.Fatal.class);
  }

  @Test
  void aRowThatIsRefusedHalfWayLeavesNothingInTheNext() {
    assertThatThrownBy(() -> reader.read(event("c", null, row(1, "a", PLACEHOLDER))))
        .isInstanceOf(SluiceException.Fatal.class);
    RowEvent next = (RowEvent) reader.read(event("c", null, row(2, "b", "c")));
    assertThat(next.row()).isEqualTo(RowBuilder.rowOf("2", "b", "c"));
  }

  @Test
  void theHalvesOfAKeysChangeAreKnownByTheirHeaders() {
    SinkRecord old = event("d", row(1, null, null), null);
    old.headers().addString("__debezium.newkey", "{}");
    SinkRecord created = event("c", null, row(2, "a", PLACEHOLDER));
    created.headers().addString("__debezium.oldkey", "{}");
    assertThat(((RowEvent) reader.read(old)).half()).isEqualTo(KeyChange.OLD_KEY);
    RowEvent event = (RowEvent) reader.read(created);
    assertThat(event.half()).isEqualTo(KeyChange.NEW_KEY);
    assertThat(event.row()).isEqualTo(unchanged("2", "a"));
  }

  @Test
  void aRowWithoutAKeyIsMatchedAsAWhole() {
    RowEvent event =
        (RowEvent) reader.read(record(null, null, envelope("d", row(1, "a", "b"), null)));
    assertThat(event.schema().hasKey()).isFalse();
    assertThat(event.match()).isEqualTo(RowBuilder.rowOf("1", "a", "b"));
    assertThatThrownBy(() -> reader.read(record(null, null, envelope("u", null, row(1, "a", "b")))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("REPLICA IDENTITY FULL");
  }

  @Test
  void rowsOfTheInitialSnapshotAreKnownAndThoseOfAnIncrementalOneRefused() {
    Struct first = envelope("r", null, row(1, "a", "b"));
    first.getStruct("source").put("snapshot", "first_in_data_collection");
    SnapshotRow row = (SnapshotRow) reader.read(record(KEY, key(1), first));
    assertThat(row.first()).isTrue();
    assertThat(row.last()).isFalse();
    Struct incremental = envelope("r", null, row(1, "a", "b"));
    incremental.getStruct("source").put("snapshot", "incremental");
    assertThatThrownBy(() -> reader.read(record(KEY, key(1), incremental)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("incremental snapshot");
  }

  @Test
  void theEndOfATransactionHasItsPositionAndItsCounts() {
    assertThat(reader.read(map(Map.of("status", "BEGIN", "id", "771:100", "ts_ms", 5L))))
        .isEqualTo(new Begin("771"));
    assertThat(
            reader.read(
                map(
                    Map.of(
                        "status",
                        "END",
                        "id",
                        "771:255",
                        "ts_ms",
                        5L,
                        "event_count",
                        3L,
                        "data_collections",
                        List.of(Map.of("data_collection", "shop.items", "event_count", 3L))))))
        .isEqualTo(new End("771", new Position(255), 3, Map.of("shop.items", 3L), 5_000));
  }

  @Test
  void truncatesAreReadAndRecordsNotForTheTargetAreSkipped() {
    assertThat(reader.read(record(null, null, envelope("t", null, null))))
        .isInstanceOf(Truncated.class);
    assertThat(reader.read(record(KEY, key(1), (Struct) null))).isEqualTo(new Skipped("tombstone"));
    assertThat(reader.read(map(Map.of("ts_ms", 5L)))).isEqualTo(new Skipped("heartbeat"));
  }

  @Test
  void unknownRecordsAreRejectedWithTheirOffset() {
    assertThatThrownBy(() -> reader.read(map(Map.of("id", 1L, "name", "a"))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("topic changes, partition 0, offset 42")
        .hasMessageContaining("ExtractNewRecordState");
    assertThatThrownBy(() -> reader.read(map(Map.of("schema", Map.of(), "payload", Map.of()))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("schemas.enable=true");
  }

  @Test
  void schemaChangesAndMessagesAreSkipped() {
    assertThat(reader.read(map(Map.of("ddl", "CREATE TABLE", "tableChanges", List.of()))))
        .isEqualTo(new Skipped("schema change"));
    Struct message = envelope("m", null, null);
    assertThat(reader.read(record(null, null, message))).isInstanceOf(Message.class);
  }

  @Test
  void theCommitBeforeATransactionIsTakenFromTheSequence() {
    assertThat(membership("[\"24023119\",\"24023128\"]").previous())
        .isEqualTo(new Position(24_023_119));
    assertThat(membership("[null,\"24023128\"]").previous()).isEqualTo(Position.ZERO);
    assertThatThrownBy(() -> membership("17"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the sequence 17");
  }

  @Test
  void anEventInJsonWithoutSchemasIsReadByTheTargetsTypes() {
    RowEvent event =
        (RowEvent) reader.read(plain("u", Map.of("id", 1L, "state", "a"), Map.of("id", 1L)));
    assertThat(event.schema().key()).containsExactly(0);
    assertThat(event.match()).isEqualTo(RowBuilder.rowOf("1"));
    assertThat(event.row()).isEqualTo(RowBuilder.rowOf("1", "a"));
    event =
        (RowEvent)
            reader.read(plain("u", Map.of("id", 1L, "state", PLACEHOLDER), Map.of("id", 1L)));
    assertThat(event.row()).isEqualTo(new RowBuilder(16).add("1").addUnchanged().build());
    assertThatThrownBy(
            () -> reader.read(plain("c", Map.of("id", 1L, "price", "12.5"), Map.of("id", 1L))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("column shop.items.price")
        .hasMessageContaining("decimal.handling.mode=string on the source connector and on this");
  }

  @Test
  void bytesThatCannotBeReadAreRefusedWithTheirOffset() {
    for (String text :
        List.of(
            "secret",
            "{\"schema\":{\"type\":\"secret\"},\"payload\":1}",
            // A decimal of no bytes, which is no number.
            "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"bytes\",\"field\":\"secret\","
                + "\"name\":\"org.apache.kafka.connect.data.Decimal\","
                + "\"parameters\":{\"scale\":\"2\"}}]},\"payload\":{\"secret\":\"\"}}")) {
      assertThatThrownBy(() -> reader.read(record(null, null, text.getBytes(UTF_8))))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("topic changes, partition 0, offset 42")
          .hasMessageContaining("a value of %d bytes that cannot be read".formatted(text.length()))
          .hasMessageContaining("value.converter");
    }
    assertThatThrownBy(() -> reader.read(record(null, null, new byte[] {0, 0, 0, 0, 7, 2})))
        .hasMessageContaining("Avro");
  }

  @Test
  void aKeyThatCannotBeReadIsNoMissingKey() {
    assertThatThrownBy(
            () ->
                reader.read(
                    record(Schema.STRING_SCHEMA, "1", envelope("c", null, row(1, "a", "b")))))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("a key of String")
        .hasMessageContaining("key.converter");
  }

  private DebeziumRecord.Membership membership(String sequence) {
    Struct envelope = envelope("c", null, row(1, "a", "b"));
    envelope.getStruct("source").put("sequence", sequence);
    return ((RowEvent) reader.read(record(KEY, key(1), envelope))).membership();
  }

  private static SinkRecord plain(String op, Map<String, ?> after, Map<String, ?> key) {
    Map<String, ?> value =
        Map.of(
            "op",
            op,
            "after",
            after,
            "source",
            Map.of("schema", "shop", "table", "items", "lsn", 100L),
            "transaction",
            Map.of("id", "771:100", "total_order", 3L));
    return new SinkRecord("changes", 0, null, key, null, value, 42);
  }

  private static SinkRecord event(String op, Struct before, Struct after) {
    return record(KEY, key(after == null ? 1 : after.getInt32("id")), envelope(op, before, after));
  }

  private static Struct envelope(String op, Struct before, Struct after) {
    Struct source = new Struct(SOURCE).put("schema", "shop").put("table", "items").put("lsn", 100L);
    Struct transaction = new Struct(TRANSACTION).put("id", "771:100").put("total_order", 3L);
    return new Struct(ENVELOPE)
        .put("op", op)
        .put("before", before)
        .put("after", after)
        .put("source", source)
        .put("transaction", transaction);
  }

  private static Struct row(int id, String state, String body) {
    return new Struct(ROW).put("id", id).put("state", state).put("body", body);
  }

  private static Struct key(int id) {
    return new Struct(KEY).put("id", id);
  }

  private static Row unchanged(String id, String state) {
    return new RowBuilder(16).add(id).add(state).addUnchanged().build();
  }

  private static SinkRecord record(Schema keySchema, Object key, byte[] value) {
    return new SinkRecord("changes", 0, keySchema, key, null, value, 42);
  }

  private static SinkRecord record(Schema keySchema, Object key, Struct value) {
    return new SinkRecord("changes", 0, keySchema, key, value == null ? null : ENVELOPE, value, 42);
  }

  private static SinkRecord map(Map<String, ?> value) {
    return new SinkRecord("changes", 0, null, null, null, value, 42);
  }
}
