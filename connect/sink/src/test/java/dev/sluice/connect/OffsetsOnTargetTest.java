package dev.sluice.connect;

import static dev.sluice.connect.ConnectLab.CONTROL;
import static dev.sluice.connect.ConnectLab.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connect.start.TopicIds;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows and offsets in each layout of Debezium's topics: one transaction, one owner. */
final class OffsetsOnTargetTest {
  @TempDir static Path directory;
  private static ConnectLab lab;

  private String name;
  private TopicPartition transactions;
  private TopicPartition items;
  private TopicPartition changes;
  private TestWorker worker;

  @BeforeAll
  static void start() throws Exception {
    lab = new ConnectLab(directory);
  }

  @AfterAll
  static void stop() throws Exception {
    lab.close();
  }

  @BeforeEach
  void begin() throws Exception {
    name = lab.begin();
    transactions = new TopicPartition(name + ".transaction", 0);
    items = new TopicPartition(name + ".shop.items", 0);
    changes = new TopicPartition(name + ".changes", 0);
    for (TopicPartition partition : List.of(transactions, items, changes)) {
      lab.create(partition.topic(), 1);
    }
  }

  @AfterEach
  void end() {
    if (worker != null) {
      worker.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ordered, checkpoint",
    "tables-with-transactions, checkpoint",
    "tables-with-transactions, partition_checkpoint",
    "tables, partition_checkpoint"
  })
  void rowsWhoseOffsetsCannotBeWrittenAreNotOnTheTargetEither(String layout, String table)
      throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    worker = lab.worker(properties(layout), partitions(layout)).start();
    await().until(() -> turned().items().equals(List.of("1=a")));
    refuseMovesOf(table);
    send("BEGIN|8", "c|items|2|b|8|1|110", "END|8|120|items=1");
    await()
        .until(() -> !turned().query("SELECT 1 FROM shop.refused WHERE last_value > 1").isEmpty());
    assertThat(lab.items()).containsExactly("1=a");
    lab.run("DROP FUNCTION shop.refuse CASCADE");
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
  }

  @ParameterizedTest
  @CsvSource({"ordered", "tables-with-transactions", "tables"})
  void aTaskThatRunsWhileAUserAltersItsOffsetsWritesNothingMore(String layout) throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    TestWorker running = lab.worker(properties(layout), partitions(layout)).start();
    await()
        .until(
            () -> {
              running.turn();
              return lab.items().equals(List.of("1=a"));
            });
    Map<TopicPartition, Long> offsets =
        layout.equals("ordered") ? Map.of(changes, 3L) : Map.of(items, 1L);
    assertThat(new SluiceSinkConnector().alterOffsets(properties(layout), offsets)).isTrue();
    send("BEGIN|8", "c|items|2|b|8|1|110", "END|8|120|items=1");
    assertThatThrownBy(running::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("was claimed by another");
    assertThat(lab.items()).containsExactly("1=a");
    running.close();
    worker = lab.worker(properties(layout), partitions(layout)).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
  }

  @ParameterizedTest
  @CsvSource({"ordered", "tables-with-transactions", "tables"})
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void aWindowOfATaskBeforeThatIsStillBeingAppliedDoesNotHoldTheWorkersThread(String layout)
      throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    TestWorker before = lab.worker(properties(layout), partitions(layout)).start();
    await()
        .until(
            () -> {
              before.turn();
              return lab.items().equals(List.of("1=a"));
            });
    before.close();
    send("BEGIN|8", "c|items|2|b|8|1|110", "END|8|120|items=1");
    String table = layout.equals("tables") ? "partition_checkpoint" : "checkpoint";
    try (Connection other = lab.connect();
        Statement window = other.createStatement()) {
      other.setAutoCommit(false);
      window.execute("SELECT 1 FROM %s.%s FOR UPDATE".formatted(CONTROL, table));
      worker = lab.worker(properties(layout), partitions(layout)).start();
      other.rollback();
    }
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
  }

  @ParameterizedTest
  @CsvSource({"ordered", "tables-with-transactions", "tables"})
  void recordsThatAreDeletedWhileTheTaskRunsFailIt(String layout) throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    TestWorker running = lab.worker(properties(layout), partitions(layout)).start();
    await()
        .until(
            () -> {
              running.turn();
              return lab.items().equals(List.of("1=a"));
            });
    boolean isOrdered = layout.equals("ordered");
    running.away(
        () -> {
          send("BEGIN|8", "c|items|2|b|8|1|110", "END|8|120|items=1");
          send("BEGIN|9", "c|items|3|c|9|1|120", "END|9|130|items=1");
          lab.deleteBefore((isOrdered ? changes : items).topic(), isOrdered ? 6 : 2);
          return null;
        });
    assertThatThrownBy(running::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("deleted before they were read");
    assertThat(lab.items()).containsExactly("1=a");
    running.close();
  }

  @ParameterizedTest
  @CsvSource({"ordered", "tables-with-transactions", "tables"})
  void aTopicThatIsRecreatedWhileTheTaskRunsFailsIt(String layout) throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    send("BEGIN|8", "c|items|2|b|8|1|110", "END|8|120|items=1");
    TestWorker running = lab.worker(properties(layout), partitions(layout)).start();
    await()
        .until(
            () -> {
              running.turn();
              return lab.items().equals(List.of("1=a", "2=b"));
            });
    running.away(
        () -> {
          lab.makeAnew((layout.equals("ordered") ? changes : items).topic());
          lab.send(changes, "BEGIN|9");
          lab.send(items, "c|items|3|c|9|1|120");
          return null;
        });
    assertThatThrownBy(running::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("goes back to offset 0");
    assertThat(lab.items()).containsExactly("1=a", "2=b");
    running.close();
  }

  /** The consumer goes on in its midst, behind as many records as it has read of the other. */
  @ParameterizedTest
  @CsvSource({"ordered", "tables-with-transactions", "tables"})
  void aRecreatedTopicLongerThanTheOldOneFailsTheTask(String layout) throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    TestWorker running = lab.worker(properties(layout), partitions(layout)).start();
    await()
        .until(
            () -> {
              running.turn();
              return lab.items().equals(List.of("1=a"));
            });
    running.away(
        () -> {
          lab.makeAnew((layout.equals("ordered") ? changes : items).topic());
          lab.send(changes, "BEGIN|8", "c|items|2|b|8|1|110", "END|8|120|items=1", "BEGIN|9");
          lab.send(items, "c|items|2|b|8|1|110", "c|items|3|c|9|1|120");
          return null;
        });
    running.skip(TopicIds.EVERY);
    assertThatThrownBy(running::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("the topic that was read before")
        .hasMessageContaining("It was re-created");
    running.close();
  }

  @Test
  void aTaskWithoutTheTransactionTopicWaitsForIt() throws Exception {
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1");
    String layout = "tables-with-transactions";
    worker = lab.worker(properties(layout), Set.of(items)).start();
    await().until(() -> turned() != null && worker.redeliveries() > 1);
    assertThat(lab.items()).isEmpty();
    worker.rebalance(partitions(layout));
    await().until(() -> turned().items().equals(List.of("1=a")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "r|orders|9|s|0|0|0"})
  void aTableThatIsAddedLaterIsRejectedIfItsFirstChangesWereSkipped(String snapshot)
      throws Exception {
    lab.run("CREATE TABLE shop.orders (LIKE shop.items INCLUDING ALL)");
    lab.run("ALTER TABLE shop.orders OWNER TO loader");
    TopicPartition orders = new TopicPartition(name + ".shop.orders", 0);
    lab.create(orders.topic(), 1);
    send("BEGIN|7", "c|items|1|a|7|1|0", "END|7|110|items=1|orders=1");
    String layout = "tables-with-transactions";
    worker = lab.worker(properties(layout), partitions(layout)).start();
    await().until(() -> turned().items().equals(List.of("1=a")));
    worker.close();
    worker = null;
    if (!snapshot.isEmpty()) {
      lab.send(orders, snapshot);
    }
    lab.send(orders, "c|orders|1|b|7|2|0", "c|orders|2|c|8|1|110");
    lab.send(transactions, "BEGIN|8", "END|8|120|orders=1");
    Map<String, String> more = properties(layout);
    more.merge("topics", orders.topic(), (topics, added) -> topics + "," + added);
    for (String start : List.of("first", "again")) {
      TestWorker late = lab.worker(more, Set.of(items, orders, transactions)).start();
      assertThatThrownBy(late::turnUntilItFails)
          .as(start)
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("an event of transaction 7, which was applied without this table");
      late.close();
    }
    new SluiceSinkConnector().alterOffsets(more, Map.of(orders, orders(snapshot)));
    worker = lab.worker(more, Set.of(items, orders, transactions)).start();
    await().until(() -> !turned().query("SELECT 1 FROM shop.orders WHERE id = 2").isEmpty());
  }

  /** Behind what was left out. */
  private static long orders(String snapshot) {
    return snapshot.isEmpty() ? 1 : 2;
  }

  /** To each layout's topics. */
  private void send(String begin, String event, String end) {
    lab.send(changes, begin, event, end);
    lab.send(items, event);
    lab.send(transactions, begin, end);
  }

  /** As a target does that fails in the midst of a transaction. */
  private static void refuseMovesOf(String table) throws Exception {
    // Which counts also what is rolled back.
    lab.run("CREATE SEQUENCE shop.refused");
    lab.run(
        """
        CREATE FUNCTION shop.refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN
          PERFORM nextval('shop.refused');
          RAISE EXCEPTION 'not now' USING ERRCODE = '57P01';
        END $$
        """);
    lab.run(
        "CREATE TRIGGER refuse BEFORE UPDATE OF position ON %s.%s FOR EACH ROW EXECUTE FUNCTION shop.refuse()"
            .formatted(CONTROL, table));
    // Also for a session of a replica.
    lab.run("ALTER TABLE %s.%s ENABLE ALWAYS TRIGGER refuse".formatted(CONTROL, table));
  }

  private Map<String, String> properties(String layout) {
    return lab.properties(name, layout, topics(layout));
  }

  private List<String> topics(String layout) {
    return partitions(layout).stream().map(TopicPartition::topic).toList();
  }

  private Set<TopicPartition> partitions(String layout) {
    switch (layout) {
      case "ordered":
        return Set.of(changes);
      case "tables":
        return Set.of(items);
      default:
        return Set.of(items, transactions);
    }
  }

  /** The lab, after one more turn of the worker. */
  private ConnectLab turned() {
    worker.turn();
    return lab;
  }
}
