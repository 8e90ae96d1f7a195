package dev.sluice.connector.generic.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.envelope.UnchangedValue;
import dev.sluice.connector.generic.config.KnownConnector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class TransactionAssemblerTest {
  private static final Schema ROW =
      SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).optional().build();
  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .field("ts_ms", Schema.INT64_SCHEMA)
          .field("db", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .build();
  private static final Schema TRANSACTION =
      SchemaBuilder.struct()
          .field("id", Schema.STRING_SCHEMA)
          .field("total_order", Schema.INT64_SCHEMA)
          .optional()
          .build();
  private static final Schema EVENT =
      SchemaBuilder.struct()
          .field("before", ROW)
          .field("after", ROW)
          .field("source", SOURCE)
          .field("op", Schema.STRING_SCHEMA)
          .field("transaction", TRANSACTION)
          .build();
  private static final Schema COUNT =
      SchemaBuilder.struct()
          .field("data_collection", Schema.STRING_SCHEMA)
          .field("event_count", Schema.INT64_SCHEMA)
          .build();
  private static final Schema BOUNDARY =
      SchemaBuilder.struct()
          .field("status", Schema.STRING_SCHEMA)
          .field("id", Schema.STRING_SCHEMA)
          .field("event_count", Schema.OPTIONAL_INT64_SCHEMA)
          .field("data_collections", SchemaBuilder.array(COUNT).optional().build())
          .field("ts_ms", Schema.INT64_SCHEMA)
          .build();
  private static final Schema HEARTBEAT =
      SchemaBuilder.struct().field("ts_ms", Schema.INT64_SCHEMA).build();

  private final Recorded stream = new Recorded();
  private TransactionAssembler assembler = after("0");
  private long offset;

  @Test
  void aTransactionWithAllItsEventsIsDeliveredWithTheOffsetOfItsEnd() {
    begin("1");
    change("1", 1, "a");
    change("1", 2, "a");
    end("1", Map.of("a", 2L));
    assertThat(stream.events).containsExactly("change", "change", "end 1 at 4");
  }

  @Test
  void anEventThatIsMissingAtTheEndStopsTheCapture() {
    begin("1");
    change("1", 1, "a");
    refused(() -> end("1", Map.of("a", 2L)), "transaction 1: 1 events came");
    assertThat(stream.events).containsExactly("change");
  }

  @Test
  void anEventOfAnotherTableThanWasCountedStopsTheCapture() {
    begin("1");
    change("1", 1, "a");
    change("1", 2, "a");
    refused(() -> end("1", Map.of("a", 1L, "b", 1L)), "transaction 1: 2 events came");
  }

  @Test
  void aGapInTheNumbersStopsTheCaptureAtOnce() {
    begin("1");
    change("1", 1, "a");
    refused(() -> change("1", 3, "a"), "a change of table d.a has number 3; expected number 2");
  }

  @Test
  void aTransactionThatBeginsInsideOfAnotherStopsTheCapture() {
    begin("1");
    change("1", 1, "a");
    refused(() -> begin("2"), "transaction 1: transaction 2 begins before its end");
  }

  @Test
  void aStatementThatBeginsAndHasNoEndIsNoTransaction() {
    begin("1");
    begin("2");
    change("2", 1, "a");
    end("2", Map.of("a", 1L));
    assertThat(stream.events).containsExactly("change", "end 2 at 4");
  }

  @Test
  void aChangeOfAnotherTransactionThanTheOpenOneStopsTheCapture() {
    begin("1");
    refused(
        () -> change("2", 1, "a"), "transaction 2: a change of table d.a comes while 1 is open");
  }

  @Test
  void aChangeOutsideOfATransactionIsRefused() {
    refused(() -> change(null, 0, "a"), "a change of table d.a outside of a transaction");
  }

  @Test
  void theTransactionThatTheJournalHasIsDroppedAndTheNextIsNot() {
    assembler = after("1");
    begin("1");
    change("1", 7, "a");
    end("1", Map.of());
    begin("2");
    change("2", 1, "a");
    end("2", Map.of("a", 1L));
    assertThat(stream.events).containsExactly("change", "end 2 at 6");
  }

  @Test
  void theEndThatTheJournalHasIsDropped() {
    assembler = after("1");
    end("1", Map.of());
    begin("2");
    change("2", 1, "a");
    end("2", Map.of("a", 1L));
    assertThat(stream.events).containsExactly("change", "end 2 at 4");
  }

  @Test
  void theEndOfATransactionThatNeverBeganStopsTheCapture() {
    refused(() -> end("2", Map.of()), "transaction 2: it ends, and none is open");
  }

  @Test
  void aHeartbeatIsABookmarkBetweenTransactionsOnly() {
    begin("1");
    change("1", 1, "a");
    heartbeat();
    end("1", Map.of("a", 1L));
    heartbeat();
    assertThat(stream.events).containsExactly("change", "end 1 at 4", "progress 1 at 5");
  }

  @Test
  void aHeartbeatInATransactionConfirmsAnEarlierOneThatHadNoChanges() {
    begin("1");
    end("1", Map.of());
    begin("2");
    heartbeat();
    assertThat(stream.events).containsExactly("progress 1 at 2", "begun 2 at 4");
  }

  @Test
  void aTransactionWithoutChangesIsConfirmedBeforeTheNextOneWhileEachEndIsAskedFor() {
    begin("1");
    end("1", Map.of());
    stream.asksForEachEnd = true;
    begin("2");
    change("2", 1, "a");
    end("2", Map.of("a", 1L));
    assertThat(stream.events).containsExactly("progress 1 at 2", "change", "end 2 at 5");
  }

  @Test
  void eventsOfTablesThatAreNotCapturedAreCountedAndDropped() {
    begin("1");
    change("1", 1, "other");
    change("1", 2, "a");
    end("1", Map.of("a", 1L, "other", 1L));
    assertThat(stream.events).containsExactly("change", "end 1 at 4");
  }

  @Test
  void aRowOfAnotherSnapshotIsRefused() {
    refused(() -> event("r", null, 0, "a"), "a row of another snapshot, of table d.a");
  }

  @Test
  void aRecordThatIsNotKnownIsRefused() {
    refused(
        () -> assembler.add(record("elsewhere", new Struct(HEARTBEAT).put("ts_ms", 1L))),
        "a record that is no event of Debezium's");
    refused(() -> assembler.add(record("p.d.a", null)), "a record without a value");
  }

  @Test
  void theRowsOfASnapshotAreDeliveredWithTheFirstOffsetAfterIt() {
    assembler =
        new TransactionAssembler(KnownConnector.MARIADB, "p", changes(), Optional.empty(), stream);
    event("r", null, 0, "a");
    event("r", null, 0, "a");
    heartbeat();
    assertThat(stream.events).containsExactly("change", "change", "end  at 3");
  }

  @Test
  void aTransactionBeforeTheEndOfTheSnapshotIsRefused() {
    assembler =
        new TransactionAssembler(KnownConnector.MARIADB, "p", changes(), Optional.empty(), stream);
    event("r", null, 0, "a");
    refused(() -> begin("1"), "Debezium has not said that its snapshot is complete");
  }

  private static void refused(Runnable action, String message) {
    assertThatThrownBy(action::run)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(message);
  }

  private TransactionAssembler after(String transaction) {
    return new TransactionAssembler(
        KnownConnector.MARIADB,
        "p",
        changes(),
        Optional.of(new Bookmark(transaction, Map.of("server", "p"), Map.of("pos", 0L))),
        stream);
  }

  private static RecordChanges changes() {
    TableId table = new TableId("d", "a");
    return new RecordChanges(
        new SourceCatalog(
            List.of(
                new CatalogTable(
                    table,
                    table,
                    CatalogTable.Kind.ORDINARY,
                    CatalogTable.Persistence.LOGGED,
                    CatalogTable.OldRow.PRIMARY_KEY,
                    List.of(new CatalogColumn("id", "integer", false, true, false, false)),
                    null,
                    0,
                    true,
                    true,
                    false))),
        new UnchangedValue("__debezium_unavailable_value"));
  }

  private void begin(String id) {
    boundary("BEGIN", id, Map.of());
  }

  private void end(String id, Map<String, Long> counts) {
    boundary("END", id, counts);
  }

  private void boundary(String status, String id, Map<String, Long> counts) {
    List<Struct> collections = new ArrayList<>();
    counts.forEach(
        (table, count) ->
            collections.add(
                new Struct(COUNT).put("data_collection", "d." + table).put("event_count", count)));
    assembler.add(
        record(
            "p.transaction",
            new Struct(BOUNDARY)
                .put("status", status)
                .put("id", id)
                .put("event_count", counts.values().stream().mapToLong(Long::longValue).sum())
                .put("data_collections", collections)
                .put("ts_ms", 5L)));
  }

  private void change(String transaction, long order, String table) {
    event("c", transaction, order, table);
  }

  private void event(String op, String transaction, long order, String table) {
    Struct value =
        new Struct(EVENT)
            .put("after", new Struct(ROW).put("id", 1))
            .put("source", new Struct(SOURCE).put("ts_ms", 5L).put("db", "d").put("table", table))
            .put("op", op);
    if (transaction != null) {
      value.put(
          "transaction", new Struct(TRANSACTION).put("id", transaction).put("total_order", order));
    }
    assembler.add(record("p.d." + table, value));
  }

  private void heartbeat() {
    assembler.add(record("__debezium-heartbeat.p", new Struct(HEARTBEAT).put("ts_ms", 9L)));
  }

  private SourceRecord record(String topic, Struct value) {
    return new SourceRecord(
        Map.of("server", "p"),
        Map.of("pos", ++offset),
        topic,
        null,
        null,
        null,
        value == null ? null : value.schema(),
        value);
  }

  /** What was delivered, in order. */
  private static final class Recorded implements CapturedStream {
    final List<String> events = new ArrayList<>();
    boolean asksForEachEnd;

    @Override
    public void change(ChangeEvent change) {
      events.add("change");
    }

    @Override
    public void end(Bookmark bookmark, long commitMicros, SourceRecord last) {
      events.add("end " + at(bookmark));
    }

    @Override
    public void progress(Bookmark bookmark, long micros, SourceRecord last) {
      events.add("progress " + at(bookmark));
    }

    @Override
    public void begun(Bookmark begun) {
      events.add("begun " + at(begun));
    }

    @Override
    public boolean asksForEachEnd() {
      return asksForEachEnd;
    }

    private static String at(Bookmark bookmark) {
      return bookmark.transaction() + " at " + bookmark.offset().get("pos");
    }
  }
}
