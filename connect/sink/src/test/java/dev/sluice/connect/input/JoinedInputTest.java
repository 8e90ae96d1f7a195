package dev.sluice.connect.input;

import static dev.sluice.connect.input.SourceScript.TRANSACTIONS;
import static dev.sluice.connect.input.SourceScript.partition;
import static dev.sluice.connect.input.SourceScript.schemaOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Skipped;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JoinedInputTest {
  private static final long MEMORY = 1_000_000;
  private static final TopicPartition ITEMS = partition("items", 0);
  private static final TopicPartition ITEMS_1 = partition("items", 1);
  private static final TopicPartition ORDERS = partition("orders", 0);

  @TempDir Path directory;
  private final SourceScript source = new SourceScript(Map.of("items", 2, "orders", 1));
  private JoinedReader reader;

  @AfterEach
  void close() {
    if (reader != null) {
      reader.close();
    }
  }

  @Test
  void transactionsOverSeveralTablesAreReturnedCompleteAndInTheSourcesOrder() {
    source.begin(1).insert("items", 1, "a").insert("orders", 0, "b").insert("items", 0, "c");
    source.end(110).begin(2).insert("orders", 0, "d").insert("items", 1, "e").end(120);
    reader = reader();
    reader.read(ORDERS, 2);
    reader.read(ITEMS_1, 2);
    reader.read(TRANSACTIONS, 4);
    assertThat(reader.applied()).as("an event of the first one is missing").isEmpty();
    reader.read(ITEMS, 1);
    assertThat(reader.applied()).containsExactly("+a +b +c", "+d +e");
  }

  @Test
  void aTransactionIsReturnedOnlyWhenItsEndHasCome() {
    source.begin(1).insert("items", 0, "a");
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).isEmpty();
    source.end(110);
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a");
  }

  @Test
  void anEventThatNeverComesStopsTheTaskWithTableExpectedAndSeen() {
    source.begin(1).insert("items", 0, "a").insert("orders", 0, "b").insert("items", 0, "c");
    source.lose(ITEMS).end(110);
    reader = reader();
    reader.readAll();
    reader.pass(119);
    assertThat(reader.applied()).isEmpty();
    assertThatThrownBy(() -> reader.pass(2))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("transaction 1, which ends at 0/6E")
        .hasMessageContaining("1 events of shop.items")
        .hasMessageContaining("2 events of shop.items")
        .hasMessageContaining("Nothing of it was applied");
    assertThat(reader.applied()).isEmpty();
  }

  @Test
  void itIsKnownAtOnceWhereEachPartitionHasGoneOn() {
    source.begin(1).insert("items", 0, "a").lose(ITEMS).end(110);
    source.begin(2).insert("items", 0, "b").insert("items", 1, "c").end(120);
    reader = reader();
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("transaction 1,")
        .hasMessageContaining("has gone on to later transactions");
  }

  @Test
  void recordsThatTheWorkerHoldsBackAreWaitedFor() {
    source.begin(1).insert("items", 0, "a").insert("orders", 0, "b").end(110);
    reader = reader();
    reader.read(TRANSACTIONS, 2);
    reader.read(ITEMS, 1);
    reader.pass(1_000);
    assertThat(reader.applied()).isEmpty();
    reader.read(ORDERS, 1);
    assertThat(reader.applied()).containsExactly("+a +b");
  }

  @Test
  void partitionsThatAreNotAssignedYetAreWaitedFor() {
    source.begin(1).insert("items", 0, "a").lose(ITEMS).end(110);
    reader = reader().with(topic -> 3);
    reader.readAll();
    reader.pass(1_000);
    assertThat(reader.applied()).isEmpty();
  }

  @Test
  void tablesThatAreNotReadAreSkipped() {
    source.begin(1).insert("items", 0, "a").elsewhere("audit").end(110);
    source.begin(2).elsewhere("audit").end(120).begin(3).insert("items", 0, "b").end(130);
    reader = reader().with(topic -> 2);
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a", "", "+b");
  }

  @Test
  void aTableWhoseTopicHasAnotherNameIsNotSkipped() {
    source.begin(1).insert("items", 0, "a").elsewhere("audit").end(110);
    reader = reader().with(topic -> topic.endsWith("audit") ? 0 : 2);
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("shop.shop.audit, as Debezium names it");
    assertThat(reader.applied()).isEmpty();
  }

  @Test
  void messagesAndTombstonesAreNotCounted() {
    source.begin(1).message().insert("items", 0, "a");
    source.write(ITEMS, new Skipped("tombstone"));
    source.end(110);
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a");
  }

  @Test
  void aChangeOfTheKeyIsOneChangeAlsoOverTwoPartitions() {
    source.begin(1).leave("items", 0, "1").arrive("items", 1, "2").end(110);
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).containsExactly("('1')->('2', unchanged)");
  }

  @Test
  void theTablesOfOneTruncateAreEmptiedTogether() {
    source.begin(1).insert("items", 0, "a").truncate("items", 1).truncate("orders", 0);
    source.insert("items", 0, "b").end(110);
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a x[items, orders] +b");
  }

  @Test
  void whatComesASecondTimeIsAppliedOnce() {
    source.begin(1).insert("items", 0, "a").insert("orders", 0, "b").end(110);
    source.begin(2).insert("items", 0, "c");
    source.after(0).begin(1).insert("items", 0, "a").insert("orders", 0, "b").end(110);
    source.begin(2).insert("items", 0, "c").insert("orders", 0, "d").end(120);
    source.begin(3).insert("items", 0, "e").insert("orders", 0, "f").end(130);
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a +b", "+c +d", "+e +f");
  }

  @Test
  void anEndThatWasLostIsNoticedByItsBegin() {
    source.begin(1).insert("items", 0, "a").begin(2).insert("orders", 0, "b");
    reader = reader();
    reader.readAll();
    source.end(120);
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("transaction 1, which broke off before, has not come again");
  }

  @Test
  void aBeginWithoutItsEndIsReadAgainAfterARestart() {
    source.begin(1).insert("items", 0, "a").end(110).begin(2).insert("orders", 0, "b");
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a");
    reader.restart(1);
    source.after(110).begin(3).insert("items", 0, "c").end(130);
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("transaction 2, which broke off before, has not come again");
    assertThat(reader.applied()).containsExactly("+a");
  }

  @Test
  void aTransactionThatBrokeOffBeforeAnotherBeganIsReadAgainAfterARestart() {
    source.begin(1).insert("items", 0, "a").end(110).begin(2).insert("orders", 0, "b");
    source.after(110).begin(3).insert("items", 0, "c");
    reader = reader();
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a");
    reader.restart(1);
    source.end(130);
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("transaction 2, which broke off before, has not come again");
    assertThat(reader.applied()).containsExactly("+a");
  }

  @Test
  void anEndThatWasLostIsNoticedByItsEvents() {
    source.after(50).begin(1).insert("items", 0, "a").lose(TRANSACTIONS).end(110);
    source.lose(TRANSACTIONS).begin(2).insert("items", 0, "b").end(120);
    reader = reader();
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("an event of transaction 1, which has no end");
    assertThat(reader.applied()).isEmpty();
  }

  @Test
  void aRestartContinuesFromTheDurableOffset() {
    source.begin(1).insert("items", 0, "a").insert("orders", 0, "b").end(110);
    source.begin(2).insert("items", 1, "c").insert("orders", 0, "d").end(120);
    source.begin(3).insert("items", 0, "e").end(130);
    reader = reader();
    reader.readAll();
    reader.restart(1);
    assertThat(reader.applied()).containsExactly("+a +b");
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a +b", "+c +d", "+e");
  }

  @Test
  void anOpenTransactionIsReadAgainAfterARestart() {
    source.begin(1).insert("items", 0, "a").end(110).begin(2).insert("items", 0, "b");
    source.insert("orders", 0, "c").end(120);
    reader = reader();
    reader.read(TRANSACTIONS, 9);
    reader.read(ITEMS, 9);
    assertThat(reader.applied()).containsExactly("+a");
    reader.restart(1);
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a", "+b +c");
  }

  @Test
  void rowsOfASnapshotComeInBeforeTheirTablesTransactions() {
    source.write(ITEMS, snapshot("items", "s"));
    source.begin(1).insert("orders", 0, "a").end(110).begin(2).insert("items", 0, "b").end(120);
    reader = reader();
    reader.read(TRANSACTIONS, 9);
    reader.read(ORDERS, 9);
    reader.read(ITEMS, 1);
    reader.restart(2);
    reader.readAll();
    assertThat(reader.applied()).containsExactly("+a", "+s", "+b");
  }

  @Test
  void aTableThatIsAddedLaterStaysNewUntilATransactionHasAnEventOfIt() {
    source.write(ORDERS, snapshot("orders", "s"));
    source.after(100).begin(2).insert("items", 0, "a").end(120);
    reader = reader().takenIn(ORDERS, 100);
    reader.readAll();
    assertThat(reader.applied()).containsExactlyInAnyOrder("+s", "+a");
    reader.restart(2);
    source.write(
        ORDERS,
        new RowEvent(
            new Membership("1", 1, "shop.orders", new Position(50)),
            1,
            schemaOf("orders"),
            null,
            RowBuilder.rowOf("1", "left out"),
            KeyChange.NONE));
    source.begin(3).insert("orders", 0, "b").end(130);
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("an event of transaction 1, which was applied without this table");
  }

  @Test
  void theTransactionTopicIsReadAndWhateverTheOldestTransactionNeedsHoweverMuchWaits() {
    source.begin(1).insert("items", 0, "a").insert("orders", 0, "b").end(110).begin(2);
    for (int i = 0; i < 100; i++) {
      source.insert("orders", 0, "x".repeat(100));
    }
    source.end(120);
    reader = new JoinedReader(source, directory, 10_000);
    reader.read(ORDERS, 60);
    assertThat(reader.unwanted())
        .as("no end is known")
        .contains(ORDERS)
        .doesNotContain(TRANSACTIONS);
    reader.read(TRANSACTIONS, 2);
    assertThat(reader.unwanted()).contains(ORDERS).doesNotContain(TRANSACTIONS, ITEMS, ITEMS_1);
    reader.read(ITEMS, 1);
    assertThat(reader.applied()).containsExactly("+a +b");
    reader.read(TRANSACTIONS, 2);
    assertThat(reader.unwanted()).isEmpty();
    reader.readAll();
    assertThat(reader.applied()).hasSize(2);
  }

  @Test
  void aTransactionLargerThanItsMemoryGoesByDisk() {
    source.begin(1);
    for (int i = 0; i < 500; i++) {
      source.insert(i % 2 == 0 ? "items" : "orders", 0, "v" + i);
    }
    source.leave("items", 0, "1").arrive("items", 1, "2").truncate("orders", 0).end(110);
    reader = new JoinedReader(source, directory, 5_000);
    reader.readAll();
    assertThat(reader.applied())
        .singleElement()
        .asString()
        .startsWith("+v0 +v1 +v2 ")
        .endsWith(" +v499 ('1')->('2', unchanged) x[orders]");
  }

  @Test
  void aTransactionLargerThanItsDiskIsRefusedByNameAndSmallerOnesAfterEachOtherAreNot() {
    DataSize disk = DataSize.ofBytes(20_000);
    for (int transaction = 1; transaction <= 5; transaction++) {
      fill(transaction, 100);
    }
    reader = new JoinedReader(source, directory, 1_000, disk);
    reader.readAll();
    assertThat(reader.applied()).hasSize(5);
    fill(6, 1_000);
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("its events take more than")
        .hasMessageContaining("SwapLimit");
    assertThat(reader.applied()).hasSize(5);
  }

  private void fill(int transaction, int events) {
    source.begin(transaction);
    for (int i = 0; i < events; i++) {
      source.insert("items", 0, "v" + i);
    }
    source.end(100 + 10L * transaction);
  }

  @Test
  void eventsOfATableInTheTopicOfAnotherAreRefused() {
    source.begin(1).insert("items", 0, "a").end(110);
    source.write(ORDERS, source.logs().get(ITEMS).get(0));
    reader = reader();
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("no transform that routes");
  }

  @Test
  void eventsWithoutTheirTransactionAreRefused() {
    source.write(
        ITEMS,
        new RowEvent(null, 1, schemaOf("items"), null, RowBuilder.rowOf("1", "a"), KeyChange.NONE));
    reader = reader();
    assertThatThrownBy(() -> reader.readAll())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("provide.transaction.metadata=true");
  }

  private static SnapshotRow snapshot(String table, String name) {
    return new SnapshotRow(schemaOf(table), RowBuilder.rowOf("1", name), true, true, 0);
  }

  private JoinedReader reader() {
    return new JoinedReader(source, directory, MEMORY);
  }
}
