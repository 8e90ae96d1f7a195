package dev.sluice.connect.settings;

import static dev.sluice.connect.ConnectLab.CONTROL;
import static dev.sluice.connect.ConnectLab.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.connect.ConnectLab;
import dev.sluice.connect.SluiceSinkConnector;
import dev.sluice.connect.TestWorker;
import dev.sluice.sink.target.ColumnTypes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The layouts with a topic for each table, on real Kafka and a real target: what the connector does
 * beside the promises that it makes for every type of target.
 */
final class TableTopicsTest {
  @TempDir static Path directory;
  private static ConnectLab lab;

  private String name;
  private TopicPartition transactions;
  private TopicPartition items;
  private TopicPartition items1;
  private TopicPartition orders;
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
    lab.run("CREATE TABLE shop.orders (id int PRIMARY KEY, name text)");
    lab.run("ALTER TABLE shop.orders OWNER TO loader");
    transactions = new TopicPartition(name + ".transaction", 0);
    items = new TopicPartition(name + ".shop.items", 0);
    items1 = new TopicPartition(name + ".shop.items", 1);
    orders = new TopicPartition(name + ".shop.orders", 0);
    lab.create(transactions.topic(), 1);
    lab.create(items.topic(), 2);
    lab.create(orders.topic(), 1);
  }

  @AfterEach
  void end() {
    if (worker != null) {
      worker.close();
    }
  }

  @Test
  void aRowThatTheTargetRejectsIsIsolatedInAJoinedTransaction() throws Exception {
    lab.run("INSERT INTO shop.orders VALUES (1, 'foreign')");
    lab.send(items, "c|items|1|a|7|1|0");
    lab.send(orders, "c|orders|1|b|7|2|0");
    lab.send(transactions, "BEGIN|7", "END|7|110|items=1|orders=1");
    Map<String, String> properties = joined();
    properties.put("apply.error.insert.policy", "LOG_ERROR");
    worker = lab.worker(properties, all()).start();
    await().until(() -> turned().everything().equals(List.of("i1=a", "o1=foreign")));
    assertThat(
            lab.query(
                "SELECT source_table || position FROM " + CONTROL + ".sluice_apply_exceptions"))
        .containsExactly("orders0/6E");
  }

  @Test
  void recordsThatAreStillToBePutAgainAfterARebalanceComeInTheirTurn() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0", "c|items|2|b|8|1|110");
    worker = lab.worker(relaxed(1), Set.of(items)).start();
    await().until(() -> turned().items().size() == 2);
    int[] events = {2};
    await()
        .until(
            () -> {
              setTargetBack();
              events[0]++;
              lab.send(items, "c|items|%1$d|c|8|%1$d|110".formatted(events[0]));
              worker.turn();
              return worker.putsAgain();
            });
    worker.rebalance(Set.of(items, orders));
    assertThat(worker.putsAgain()).isTrue();
    await().until(() -> turned().items().size() == events[0]);
  }

  /** As where it crashes, and loses its last commits. */
  private static void setTargetBack() throws Exception {
    lab.run(
        "BEGIN; UPDATE "
            + CONTROL
            + ".partition_checkpoint SET applied_groups = 0, next_offset = 0, position = '0/0',"
            + " event_order = 0; TRUNCATE shop.items; COMMIT");
  }

  @Test
  void aTaskWhosePartitionWasTakenWritesNothingMoreOfAny() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    TestWorker zombie = lab.worker(relaxed(1), Set.of(items, items1)).start();
    await()
        .until(
            () -> {
              zombie.turn();
              return lab.items().equals(List.of("1=a"));
            });
    worker = lab.worker(relaxed(2), Set.of(items1)).start();
    lab.send(items, "c|items|2|b|8|1|110");
    lab.send(items1, "c|items|3|c|8|2|110");
    assertThatThrownBy(zombie::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("was claimed by another: epoch 1 is not the newest any more");
    assertThat(lab.items()).containsExactly("1=a");
    await().until(() -> turned().items().equals(List.of("1=a", "3=c")));
    zombie.close();
    worker.rebalance(Set.of(items, items1));
    await().until(() -> turned().items().equals(List.of("1=a", "2=b", "3=c")));
  }

  @Test
  void aRowThatTheTargetRejectsIsIsolatedInAGroup() throws Exception {
    lab.run("INSERT INTO shop.items VALUES (2, 'foreign')");
    lab.send(items, "c|items|1|a|7|1|0", "c|items|2|b|7|2|0", "c|items|3|c|7|3|0");
    Map<String, String> properties = relaxed(1);
    properties.put("apply.error.insert.policy", "LOG_ERROR");
    worker = lab.worker(properties, all()).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=foreign", "3=c")));
  }

  @Test
  void retainedEntriesAreLimitedAndIntakeContinuesWhenTheyAreDurable() throws Exception {
    Map<String, String> properties = relaxed(1);
    properties.put("swap.limit", "1");
    String wide = "x".repeat(10_000);
    String[] records = new String[400];
    Arrays.setAll(records, n -> "c|items|%d|%s|7|%d|0".formatted(n, wide, n + 1));
    try (Connection other = lab.connect();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("LOCK TABLE shop.items IN ACCESS EXCLUSIVE MODE");
      lab.send(items, records);
      worker = lab.worker(properties, all()).start();
      await().until(() -> turned() != null && worker.isPaused());
      other.rollback();
    }
    await().until(() -> turned().items().size() == records.length);
    await().until(() -> turned() != null && !worker.isPaused());
  }

  @Test
  void anOffsetThatAUserAltersMovesItsPartitionAlone() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    lab.send(items1, "c|items|2|b|7|2|0");
    worker = lab.worker(relaxed(1), all()).start();
    await().until(() -> turned().items().size() == 2);
    worker.close();
    lab.run("DELETE FROM shop.items WHERE id = 1");
    new SluiceSinkConnector().alterOffsets(relaxed(1), Map.of(items, 0L));
    worker = lab.worker(relaxed(1), all()).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
    worker.close();
    worker = null;
    new SluiceSinkConnector().alterOffsets(relaxed(1), forgotten(items));
    assertThat(checkpoints()).doesNotContain("items 0").contains("items 1", "orders 0");
    new SluiceSinkConnector().alterOffsets(relaxed(1), forgotten(items, items1, orders));
    assertThat(checkpoints()).isEmpty();
  }

  @Test
  void aPartitionThatAUserForgetsIsForgottenAloneAlsoBesideTheTransactionTopic() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    lab.send(orders, "c|orders|1|b|7|2|0");
    lab.send(transactions, "BEGIN|7", "END|7|110|items=1|orders=1");
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().everything().equals(List.of("i1=a", "o1=b")));
    worker.close();
    worker = null;
    new SluiceSinkConnector().alterOffsets(joined(), forgotten(orders));
    assertThat(checkpoints()).containsExactlyInAnyOrder("items 0", "items 1", "transaction 0");
    assertThat(lab.query("SELECT position::text FROM " + CONTROL + ".checkpoint"))
        .containsExactly("0/6E");
  }

  private static Map<TopicPartition, Long> forgotten(TopicPartition... partitions) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition partition : partitions) {
      offsets.put(partition, null);
    }
    return offsets;
  }

  private List<String> checkpoints() throws Exception {
    return lab.query(
        "SELECT regexp_replace(topic, '.*[.]', '') || ' ' || partition FROM "
            + CONTROL
            + ".partition_checkpoint");
  }

  @Test
  void aRecordThatCannotBeReadGoesToConnectsReporterWhereErrorsAreTolerated() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0", "z|items|9|odd|7|2|0", "c|items|2|b|7|3|0");
    Map<String, String> properties = relaxed(1);
    TestWorker strict = lab.worker(properties, all()).start();
    assertThatThrownBy(strict::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("an event with the operation z");
    strict.close();
    properties.put("errors.tolerance", "all");
    worker = lab.worker(properties, all()).start();
    await().until(() -> turned().items().equals(List.of("1=a", "2=b")));
    assertThat(worker.errant()).singleElement().asString().contains("the operation z");
    // Rows are seen before the worker counts them.
    await().until(() -> worker.metric("sluice_target_rows_total").equals(2.0));
    assertThat(worker.metric("sluice_pipeline_running")).isEqualTo(1.0);
  }

  @Test
  void typesOfValuesWithoutSchemasComeFromTheTargetsCatalog() throws Exception {
    lab.run("CREATE TYPE shop.state AS ENUM ('new')");
    lab.run("CREATE DOMAIN shop.price AS numeric(10,2) NOT NULL");
    lab.run(
        "CREATE TABLE shop.typed (id bigint, state shop.state, states shop.state[],"
            + " price shop.price, days date[], at timestamptz(3), raw bytea, one bit(1))");
    ColumnTypes types = new ColumnTypes(ConnectorSettings.of(relaxed(1)).targetServer());
    TableId typed = new TableId("shop", "typed");
    assertThat(
            Stream.of("id", "state", "states", "price", "days", "at", "raw", "one")
                .map(column -> types.of(typed, column)))
        .containsExactly(
            "int8", "enum", "enum[]", "numeric", "date[]", "timestamptz", "bytea", "bit");
    lab.run("ALTER TABLE shop.typed ADD COLUMN later uuid");
    assertThat(types.of(typed, "later")).as("a column that was added").isEqualTo("uuid");
    assertThat(types.of(typed, "never")).isNull();
    assertThat(types.of(new TableId("shop", "nothing"), "id")).isNull();
  }

  @Test
  void aTableIsTheEventsOwnUnlessTheConnectorCallsItOtherwise() throws Exception {
    lab.run("CREATE TABLE shop.old_items (LIKE shop.items INCLUDING ALL)");
    lab.run("ALTER TABLE shop.old_items OWNER TO loader");
    lab.send(items, "c|items|1|a|7|1|0", "u|items|1|b|7|2|0");
    Map<String, String> properties = relaxed(1);
    properties.put("target.table", "${schema}.old_${table}");
    worker = lab.worker(properties, Set.of(items)).start();
    await()
        .until(
            () -> turned() != null && lab.query("SELECT name FROM shop.old_items").contains("b"));
    assertThat(lab.items()).isEmpty();
  }

  @Test
  void aColumnMissingOnTheTargetIsATableErrorAndIsNotSkipped() throws Exception {
    lab.run("ALTER TABLE shop.items RENAME COLUMN name TO label");
    lab.send(items, "c|items|1|a|7|1|0");
    Map<String, String> properties = relaxed(1);
    properties.put("table.error.policy", "STOP_TASK");
    worker = lab.worker(properties, Set.of(items)).start();
    assertThatThrownBy(worker::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("has no column name");
    assertThat(lab.query("SELECT count(*) FROM shop.items")).containsExactly("0");
  }

  @Test
  void ofTwoTasksWithSourceTablesOfOneTargetTheLaterOneIsRefused() throws Exception {
    TopicPartition moved = new TopicPartition(name + ".other.items", 0);
    lab.create(moved.topic(), 1);
    worker = lab.worker(merging(1, moved), Set.of(items)).start();
    TestWorker second = lab.worker(merging(2, moved), Set.of(orders, moved)).start();
    // Its session is there before the other task has met its table.
    lab.send(orders, "c|orders|1|b|7|1|0");
    await().until(() -> turned(second).everything().equals(List.of("o1=b")));
    lab.send(items, "c|items|1|a|7|2|0");
    await().until(() -> turned(second).everything().equals(List.of("i1=a", "o1=b")));
    lab.send(moved, "c|other.items|2|c|8|1|110");
    assertThatThrownBy(second::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("target table shop.items: has the rows of shop.items")
        .hasMessageContaining("would get those of other.items")
        .hasMessageContaining("${schema} in target.table");
    assertThat(items()).containsExactly("1=a");
    second.close();
  }

  private Map<String, String> merging(int task, TopicPartition more) {
    Map<String, String> properties = relaxed(task);
    properties.merge("topics", more.topic(), (topics, added) -> topics + "," + added);
    properties.put("target.table", "shop.${table}");
    return properties;
  }

  @Test
  void anotherLayoutUnderTheSameNameIsRefused() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    worker = lab.worker(relaxed(1), all()).start();
    await().until(() -> turned().items().size() == 1);
    worker.close();
    worker = null;
    TestWorker other = lab.worker(joined(), all());
    assertThatThrownBy(other::start)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("from another layout");
    other.vanish();
  }

  @Test
  void recordsOfATableThatWereDeletedBeforeTheyWereAppliedFailTheTask() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    lab.send(transactions, "BEGIN|7", "END|7|110|items=1");
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().items().size() == 1);
    worker.close();
    worker = null;
    lab.send(items, "c|items|2|b|8|1|110", "c|items|3|b|8|2|110");
    lab.deleteBefore(items.topic(), 3);
    TestWorker late = lab.worker(joined(), all());
    assertThatThrownBy(late::start)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("begins at offset 3")
        .hasMessageContaining("goes on from 1");
    late.vanish();
  }

  private Map<String, String> joined() {
    Map<String, String> properties = properties("tables-with-transactions");
    properties.put("topics", properties.get("topics") + "," + transactions.topic());
    return properties;
  }

  private Map<String, String> relaxed(int task) {
    Map<String, String> properties = properties("tables");
    properties.put("tasks.max", "2");
    properties.put(SinkConnectorProperties.TASK_NUMBER, Integer.toString(task));
    return properties;
  }

  private Map<String, String> properties(String layout) {
    return lab.properties(name, layout, List.of(items.topic(), orders.topic()));
  }

  private Set<TopicPartition> all() {
    Stream<TopicPartition> tables = Stream.of(items, items1, orders, transactions);
    return tables.collect(Collectors.toSet());
  }

  private List<String> everything() throws Exception {
    return lab.query(
        "SELECT 'i' || id || '=' || name FROM shop.items UNION ALL"
            + " SELECT 'o' || id || '=' || name FROM shop.orders ORDER BY 1");
  }

  /** This test, after one more turn of the workers. */
  private TableTopicsTest turned(TestWorker... others) {
    worker.turn();
    for (TestWorker other : others) {
      other.turn();
    }
    return this;
  }

  private List<String> items() throws Exception {
    return lab.items();
  }
}
