package dev.sluice.connect.input;

import static dev.sluice.connect.input.SourceScript.partition;
import static dev.sluice.connect.input.SourceScript.schemaOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.PartitionRows;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult.Whole;
import dev.sluice.sink.intake.JournalEntry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RelaxedInputTest {
  private static final TopicPartition ITEMS = partition("items", 0);
  private static final TopicPartition ITEMS_1 = partition("items", 1);
  private static final TopicPartition ORDERS = partition("orders", 0);
  private static final RowSchema KEYLESS =
      new RowSchema(new TableId("shop", "items"), List.of(new Column("name", "text", true, false)));

  @TempDir Path directory;
  private final SourceScript source = new SourceScript(Map.of("items", 2, "orders", 1));
  private final List<String> applied = new ArrayList<>();
  private final Map<TopicPartition, Integer> read = new HashMap<>();
  private Map<TopicPartition, PartitionOffset> start = new HashMap<>();
  private Instant now = Instant.EPOCH;
  private boolean replaces;
  private PartitionOffsetLog places;
  private RelaxedInput input;
  private Intake intake;
  private long groups;

  @AfterEach
  void close() {
    if (input != null) {
      input.close();
    }
  }

  @Test
  void eachPartitionIsAppliedInItsOwnOrder() {
    source.begin(1).insert("items", 0, "a").insert("orders", 0, "b").insert("items", 1, "c");
    source.end(110).begin(2).insert("items", 0, "d").end(120);
    begin();
    read(ORDERS);
    read(ITEMS);
    read(ITEMS_1);
    assertThat(applied).containsExactly("+b", "+a", "+d", "+c");
    assertThat(placesNow().get(ITEMS)).isEqualTo(new PartitionOffset(2, new Position(110), 1));
    assertThat(placesNow().get(ORDERS)).isEqualTo(new PartitionOffset(1, Position.ZERO, 2));
  }

  @Test
  void anEventThatComesASecondTimeIsAppliedOnceAlsoByAnotherTask() {
    source.begin(1).insert("items", 0, "a").insert("items", 0, "b").end(110);
    source.begin(2).insert("items", 0, "c").insert("items", 0, "d").end(120);
    begin();
    read(ITEMS);
    source.after(110).begin(2).insert("items", 0, "c").insert("items", 0, "d");
    source.insert("items", 0, "e").end(120);
    restart();
    read(ITEMS);
    assertThat(applied).containsExactly("+a", "+b", "+c", "+d", "+e");
  }

  @Test
  void theFirstTransactionIsKnownAgainThoughNoCommitIsBeforeIt() {
    source.begin(1).insert("items", 0, "a").end(110).begin(2).insert("items", 0, "b").end(120);
    source.after(0).begin(1).insert("items", 0, "a").end(110).begin(2).insert("items", 0, "b");
    source.insert("items", 0, "c").end(120);
    begin();
    read(ITEMS);
    assertThat(applied).containsExactly("+a", "+b", "+c");
  }

  @Test
  void aSourceThatStartedAgainIsRejectedAndNotReadAsARepetition() {
    source.begin(1).insert("items", 0, "a").end(110).begin(2).insert("items", 0, "b").end(120);
    source.after(0).begin(9).insert("items", 0, "new");
    begin();
    assertThatThrownBy(() -> read(ITEMS))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the source connector started again");
  }

  @Test
  void aSourceThatStartedAgainAfterItsFirstTransactionIsRejectedToo() {
    source.begin(1).insert("items", 0, "a").end(110);
    source.after(0).begin(9).insert("items", 0, "new");
    begin();
    assertThatThrownBy(() -> read(ITEMS))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the source connector started again");
  }

  @Test
  void bothHalvesOfAKeysChangeInOnePartitionAreOneChangeHoweverTheyAreRead() {
    source.begin(1).leave("items", 0, "1");
    begin();
    read(ITEMS);
    now = now.plusSeconds(59);
    read(ITEMS);
    assertThat(applied).as("the second half may follow").isEmpty();
    assertThat(placesNow().get(ITEMS).nextOffset()).isZero();
    source.arrive("items", 0, "2").end(110);
    read(ITEMS);
    assertThat(applied).containsExactly("('1')->('2', unchanged)");
    assertThat(placesNow().get(ITEMS)).isEqualTo(new PartitionOffset(2, Position.ZERO, 2));
  }

  @Test
  void aHalfIsReadAgainAfterARestart() {
    source.begin(1).insert("items", 0, "a").leave("items", 0, "1");
    begin();
    read(ITEMS);
    restart();
    source.arrive("items", 0, "2").end(110);
    read(ITEMS);
    assertThat(applied).containsExactly("+a", "('1')->('2', unchanged)");
  }

  @Test
  void aKeyChangeWhoseSecondEventIsInAnotherPartitionIsADelete() {
    source.begin(1).leave("items", 0, "1").end(110);
    begin();
    read(ITEMS);
    now = now.plusSeconds(61);
    read(ITEMS);
    assertThat(applied).containsExactly("-('1')");
    assertThat(placesNow().get(ITEMS)).isEqualTo(new PartitionOffset(1, Position.ZERO, 1));
  }

  @Test
  void aHeldEventIsEmittedBeforeTheSnapshotRowsAfterIt() {
    source.begin(1).leave("items", 0, "1").end(110);
    source.write(ITEMS, snapshot("items", "s"));
    begin();
    read(ITEMS);
    assertThat(applied).containsExactly("-('1')", "+s");
    assertThat(placesNow().get(ITEMS)).isEqualTo(new PartitionOffset(2, Position.ZERO, 1));
  }

  @Test
  void unchangedValuesWhoseOtherHalfIsInAnotherPartitionAreAnErrorAndNeverNull() {
    source.begin(1).leave("items", 0, "1").arrive("items", 1, "2").end(110);
    begin();
    assertThatThrownBy(() -> read(ITEMS_1))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the event that deletes its old key is missing")
        .hasMessageContaining("ALTER TABLE \"shop\".\"items\" REPLICA IDENTITY FULL");
    assertThat(applied).isEmpty();
  }

  @Test
  void aTruncateNeedsATopicOfOnePartition() {
    source.begin(1).insert("orders", 0, "a").truncate("orders", 0).insert("orders", 0, "b");
    source.truncate("items", 0).end(110);
    begin();
    read(ORDERS);
    assertThat(applied).containsExactly("+a", "x", "+b");
    assertThatThrownBy(() -> read(ITEMS))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("a TRUNCATE of shop.items, in a topic of 2 partitions");
  }

  @Test
  void aDeleteWithoutAKeyNeedsATopicOfOnePartition() {
    source.write(ITEMS, keyless(1, null, "a"));
    source.write(ITEMS, keyless(2, "a", null));
    begin();
    assertThatThrownBy(() -> read(ITEMS))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("an UPDATE or DELETE of shop.items, which has no key");
  }

  @Test
  void snapshotRowsAreInsertedAndReplaceOthersOnlyInATopicOfOnePartition() {
    source.write(ORDERS, snapshot("orders", "s"));
    source.write(ITEMS, snapshot("items", "t"));
    begin();
    read(ITEMS);
    read(ORDERS);
    assertThat(applied).containsExactly("+t", "+s");
    applied.clear();
    replaces = true;
    begin();
    read(ORDERS);
    assertThat(applied).containsExactly("x", "+s");
    assertThatThrownBy(() -> read(ITEMS))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("whose rows are to replace those of its table");
  }

  @Test
  void eventsWithoutTheirTransactionAreRefused() {
    source.write(
        ITEMS,
        new RowEvent(null, 1, schemaOf("items"), null, RowBuilder.rowOf("1", "a"), KeyChange.NONE));
    begin();
    assertThatThrownBy(() -> read(ITEMS))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("provide.transaction.metadata=true");
  }

  @Test
  void whatIsNothingForTheTargetMovesTheOffsetAlone() {
    source.write(ORDERS, new DebeziumRecord.Skipped("tombstone"));
    begin();
    read(ORDERS);
    assertThat(applied).isEmpty();
    assertThat(placesNow().get(ORDERS).nextOffset()).isEqualTo(1);
  }

  private void begin() {
    close();
    if (start.isEmpty()) {
      source
          .logs()
          .keySet()
          .forEach(partition -> start.put(partition, PartitionOffset.beginning(0)));
    }
    read.clear();
    start.forEach((partition, place) -> read.put(partition, (int) place.nextOffset()));
    places = new PartitionOffsetLog(start);
    input =
        new RelaxedInput(
            start,
            new EventReading(
                record -> (DebeziumRecord) record.value(),
                replaces,
                new RetainedSpace(directory, DataSize.ofMebibytes(64))),
            topic -> topic.endsWith("items") ? 2 : 1,
            places);
    intake = new Intake(PartitionRows.placeAfter(0));
    groups = 0;
  }

  private void restart() {
    start = placesNow();
    begin();
  }

  private Map<TopicPartition, PartitionOffset> placesNow() {
    return places.at(groups);
  }

  private void read(TopicPartition partition) {
    int from = read.get(partition);
    int to = source.logs().get(partition).size();
    input.take(source.records(partition, from, to), now);
    read.put(partition, to);
    for (JournalEntry entry : input.next(true, now)) {
      if (intake.take(entry) instanceof Whole whole) {
        add(whole.record());
        groups = whole.nextOffset();
        assertThat(PartitionRows.placeAfter(groups).position()).isEqualTo(whole.end().position());
      }
    }
  }

  private void add(Frame frame) {
    ChangeCursor changes = frame.changes(input.schemas());
    while (changes.next()) {
      applied.add(shown(changes.change()));
    }
  }

  private static String shown(ChangeEvent event) {
    if (!(event instanceof RowChange change)) {
      return "x";
    }
    if (change.match() == null) {
      return "+" + change.row().text(1);
    }
    return change.row() == null ? "-" + change.match() : change.match() + "->" + change.row();
  }

  private static RowEvent keyless(long order, String old, String name) {
    return new RowEvent(
        new Membership("1", order, "shop.items", Position.ZERO),
        order,
        KEYLESS,
        old == null ? null : RowBuilder.rowOf(old),
        name == null ? null : RowBuilder.rowOf(name),
        KeyChange.NONE);
  }

  private static SnapshotRow snapshot(String table, String name) {
    return new SnapshotRow(schemaOf(table), RowBuilder.rowOf("1", name), true, false, 0);
  }
}
