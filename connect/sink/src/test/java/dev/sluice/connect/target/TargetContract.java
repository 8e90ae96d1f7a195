package dev.sluice.connect.target;

import static dev.sluice.connect.ConnectLab.CONTROL;
import static dev.sluice.connect.ConnectLab.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connect.ConnectLab;
import dev.sluice.connect.SluiceSinkConnector;
import dev.sluice.connect.TestWorker;
import dev.sluice.connect.settings.SinkConnectorProperties;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the connector promises with every type of target, in each layout of Debezium's topics. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TargetContract {
  private static final String NEW_KEY = "|newkey";
  private static final String OLD_KEY = "|oldkey";

  @TempDir static Path directory;
  private ConnectLab lab;
  private TargetSide side;

  String name;
  private TopicPartition changes;
  private TopicPartition transactions;
  private TopicPartition items;
  private TopicPartition items1;
  private TopicPartition orders;
  private TestWorker worker;

  /** A server that the tests of the class share. */
  abstract TargetSide open() throws SQLException;

  @BeforeAll
  final void start() throws Exception {
    side = open();
    lab = new ConnectLab(directory.resolve("kafka"));
  }

  @AfterAll
  final void stop() throws Exception {
    if (lab != null) {
      lab.close();
    }
    if (side != null) {
      side.close();
    }
  }

  @BeforeEach
  final void begin() throws Exception {
    name = lab.begin();
    side.begin();
    changes = new TopicPartition(name + ".changes", 0);
    transactions = new TopicPartition(name + ".transaction", 0);
    items = new TopicPartition(name + ".shop.items", 0);
    items1 = new TopicPartition(name + ".shop.items", 1);
    orders = new TopicPartition(name + ".shop.orders", 0);
    lab.create(changes.topic(), 1);
    lab.create(transactions.topic(), 1);
    lab.create(items.topic(), 2);
    lab.create(orders.topic(), 1);
  }

  @AfterEach
  final void end() {
    if (worker != null) {
      worker.close();
      worker = null;
    }
  }

  @Test
  void eachChangeOfOneTopicIsAppliedOnceWhileTasksAreKilled() throws Exception {
    int position = 100;
    int next = 0;
    Map<Integer, String> wanted = new HashMap<>();
    for (int killed = 0; killed < 4; killed++) {
      worker = lab.worker(ordered(), Set.of(changes)).start();
      for (int i = 0; i < 25; i++) {
        int id = ++next;
        int xid = id;
        List<String> lines = new ArrayList<>(List.of("BEGIN|" + xid));
        String tail = "|%d|%%d|%d".formatted(xid, position);
        lines.add("c|items|%d|a%d".formatted(id, id) + tail.formatted(1));
        lines.add("u|items|%d|b%d".formatted(id, id) + tail.formatted(2));
        wanted.put(id, "b" + id);
        int events = 2;
        if (id % 5 == 0 && wanted.containsKey(id - 1)) {
          lines.add("d|items|%d|b".formatted(id - 1) + tail.formatted(++events));
          wanted.remove(id - 1);
        }
        if (id % 7 == 0) {
          // A key that changes, and takes the one that another row had.
          lines.add("d|items|%d|b".formatted(id) + tail.formatted(++events) + NEW_KEY);
          lines.add("c|items|%d|k".formatted(-id) + tail.formatted(++events) + OLD_KEY);
          wanted.remove(id);
          wanted.put(-id, "k");
        }
        position += 10;
        lines.add("END|%d|%d|items=%d".formatted(xid, position, events));
        lab.send(changes, lines.toArray(String[]::new));
        worker.turn();
      }
      if (killed < 3) {
        worker.vanish();
      }
    }
    // Counted once: a repeated insert would stop the task by its default policy.
    List<String> rows =
        wanted.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .toList();
    await().until(() -> turned().rows("items").equals(rows));
  }

  @Test
  void aTruncateLeavesWhatComesAfterIt() throws Exception {
    worker = lab.worker(ordered(), Set.of(changes)).start();
    lab.send(changes, "BEGIN|1", "c|items|1|a|1|1|0", "c|orders|1|b|1|2|0");
    lab.send(changes, "END|1|110|items=1|orders=1");
    await().until(() -> turned().rows("orders").equals(List.of("1=b")));
    lab.send(changes, "BEGIN|2", "t|items|0|x|2|1|110", "c|items|2|c|2|2|110");
    lab.send(changes, "END|2|120|items=2");
    await().until(() -> turned().rows("items").equals(List.of("2=c")));
    assertThat(rows("orders")).containsExactly("1=b");
  }

  @Test
  void aTransactionOverTwoTopicsIsAppliedCompletelyWithItsPartitionsOffsets() throws Exception {
    lab.send(items1, "c|items|1|a|7|1|0");
    lab.send(transactions, "BEGIN|7", "END|7|110|items=1|orders=1");
    worker = lab.worker(joined(), all()).start();
    for (int i = 0; i < 20; i++) {
      worker.turn();
    }
    assertThat(rows("items")).as("an event of it is missing").isEmpty();
    lab.send(orders, "c|orders|1|b|7|2|0");
    await().until(() -> turned().rows("orders").equals(List.of("1=b")));
    assertThat(rows("items")).containsExactly("1=a");
    assertThat(offsets())
        .containsExactlyInAnyOrder("items 0: 0", "items 1: 1", "orders 0: 1", "transaction 0: 2");
    await().until(() -> turned() != null && worker.committed(orders) == 1);
  }

  @Test
  void anotherTaskGoesOnInATransactionOfWhichOneHadReadAPart() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0", "u|items|1|c|8|1|110");
    lab.send(orders, "c|orders|1|b|7|2|0");
    lab.send(transactions, "BEGIN|7", "END|7|110|items=1|orders=1", "BEGIN|8");
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().rows("orders").equals(List.of("1=b")));
    worker.vanish();
    lab.send(transactions, "END|8|120|items=1|orders=1");
    lab.send(orders, "c|orders|2|d|8|2|110");
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().rows("orders").equals(List.of("1=b", "2=d")));
    assertThat(rows("items")).containsExactly("1=c");
  }

  @Test
  void partitionsOfTablesGoFromTaskToTask() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    lab.send(items1, "c|items|2|b|7|2|0");
    worker = lab.worker(relaxed(1), Set.of(items, orders)).start();
    try (TestWorker second = lab.worker(relaxed(2), Set.of(items1)).start()) {
      await().until(() -> turned(second).rows("items").equals(List.of("1=a", "2=b")));
      worker.rebalance(Set.of(items));
      second.rebalance(Set.of(items1, orders));
      lab.send(items, "u|items|1|c|8|1|110", "c|items|3|d|8|2|110");
      lab.send(items1, "d|items|2|b|8|3|110");
      lab.send(orders, "c|orders|1|e|8|4|110");
      await().until(() -> turned(second).rows("items").equals(List.of("1=c", "3=d")));
      await().until(() -> turned(second).rows("orders").equals(List.of("1=e")));
      worker.rebalance(Set.of(items, items1, orders));
      second.rebalance(Set.of());
      lab.send(items1, "c|items|2|f|9|1|120");
      await().until(() -> turned(second).rows("items").equals(List.of("1=c", "2=f", "3=d")));
    }
  }

  @Test
  void aTaskWhosePartitionsWereTakenWritesNothingMore() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0");
    TestWorker zombie = lab.worker(relaxed(1), Set.of(items, items1)).start();
    await()
        .until(
            () -> {
              zombie.turn();
              return rows("items").equals(List.of("1=a"));
            });
    worker = lab.worker(relaxed(2), Set.of(items, items1)).start();
    lab.send(items, "u|items|1|b|8|1|110");
    assertThatThrownBy(zombie::turnUntilItFails).isInstanceOf(ConnectException.class);
    zombie.vanish();
    await().until(() -> turned().rows("items").equals(List.of("1=b")));
  }

  @Test
  void aRowThatTheTargetRejectsIsAnExceptionAndTheOthersAreApplied() throws Exception {
    run("INSERT INTO shop.items VALUES (1, 'foreign')");
    Map<String, String> properties = ordered();
    properties.put("apply.error.insert.policy", "LOG_ERROR");
    lab.send(changes, "BEGIN|1", "c|items|1|a|1|1|0", "c|items|2|b|1|2|0", "END|1|110|items=2");
    worker = lab.worker(properties, Set.of(changes)).start();
    await().until(() -> turned().rows("items").equals(List.of("1=foreign", "2=b")));
    assertThat(query("SELECT source_table FROM " + CONTROL + ".sluice_apply_exceptions"))
        .containsExactly("items");
  }

  @Test
  void offsetsThatAUserAltersMoveTheCheckpoint() throws Exception {
    lab.send(items, "c|items|1|a|7|1|0", "c|items|2|b|8|1|110");
    lab.send(transactions, "BEGIN|7", "END|7|110|items=1", "BEGIN|8", "END|8|120|items=1");
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().rows("items").size() == 2);
    worker.close();
    run("DELETE FROM shop.items WHERE id = 2");
    Map<TopicPartition, Long> offsets = new HashMap<>();
    offsets.put(items, 1L);
    offsets.put(transactions, 2L);
    new SluiceSinkConnector().alterOffsets(joined(), offsets);
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().rows("items").size() == 2);
    worker.close();
    run("DELETE FROM shop.items");
    offsets.replaceAll((partition, offset) -> null);
    new SluiceSinkConnector().alterOffsets(joined(), offsets);
    worker = lab.worker(joined(), all()).start();
    await().until(() -> turned().rows("items").equals(List.of("1=a", "2=b")));
  }

  @Test
  void aSoundConnectorHasNoProblemAndALoginThatDoesNotExistHasOneAtItsProperty() {
    assertThat(problems(ordered())).isEmpty();
    Map<String, String> wrong = ordered();
    wrong.put("target.url", wrong.get("target.url").replaceFirst("127.0.0.1:\\d+", "127.0.0.1:1"));
    assertThat(problems(wrong)).containsOnlyKeys("target.url");
  }

  @Test
  void theUrlOfAnotherTypeIsRefusedWithTheTypeThatItHas() {
    Map<String, String> wrong = ordered();
    String type = wrong.get("target.type");
    wrong.put("target.type", type.equals("db2") ? "mariadb" : "db2");
    assertThat(problems(wrong)).containsOnlyKeys("target.type");
    assertThat(problems(wrong).get("target.type").toString()).contains("Set target.type=" + type);
  }

  final Map<String, List<String>> problems(Map<String, String> properties) {
    Map<String, List<String>> found = new HashMap<>();
    for (ConfigValue value : new SluiceSinkConnector().validate(properties).configValues()) {
      if (!value.errorMessages().isEmpty()) {
        found.put(value.name(), value.errorMessages());
      }
    }
    return found;
  }

  /** Fails with what the task says of such changes. */
  final void failWith(Map<String, String> properties, String message, String... lines) {
    lab.send(changes, lines);
    worker = lab.worker(properties, Set.of(changes)).start();
    assertThatThrownBy(worker::turnUntilItFails)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(message);
  }

  final Map<String, String> ordered() {
    Map<String, String> properties = properties("ordered");
    properties.put("topics", changes.topic());
    return properties;
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

  final Map<String, String> properties(String layout) {
    Map<String, String> properties =
        lab.properties(name, layout, List.of(items.topic(), orders.topic()));
    properties.putAll(side.properties());
    return properties;
  }

  private Set<TopicPartition> all() {
    return Set.of(items, items1, orders, transactions);
  }

  final void run(String statement) throws SQLException {
    try (Connection session = side.connect();
        Statement jdbc = session.createStatement()) {
      jdbc.execute(statement);
    }
  }

  final List<String> query(String text) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection session = side.connect();
        Statement jdbc = session.createStatement();
        ResultSet row = jdbc.executeQuery(text)) {
      while (row.next()) {
        List<String> columns = new ArrayList<>();
        for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
          columns.add(row.getString(column));
        }
        values.add(String.join("=", columns));
      }
    }
    return values;
  }

  final List<String> rows(String table) throws SQLException {
    return query("SELECT id, name FROM shop." + table + " ORDER BY id");
  }

  private List<String> offsets() throws SQLException {
    List<String> offsets = new ArrayList<>();
    try (Connection session = side.connect();
        Statement jdbc = session.createStatement();
        ResultSet row = jdbc.executeQuery("SELECT * FROM " + CONTROL + ".partition_checkpoint")) {
      while (row.next()) {
        String topic = row.getString("topic");
        offsets.add(
            "%s %d: %d"
                .formatted(
                    topic.substring(topic.lastIndexOf('.') + 1),
                    row.getInt("partition"),
                    row.getLong("next_offset")));
      }
    }
    return offsets;
  }

  /** This test, after one more turn of the workers. */
  private TargetContract turned(TestWorker... others) {
    worker.turn();
    for (TestWorker other : others) {
      other.turn();
    }
    return this;
  }
}
