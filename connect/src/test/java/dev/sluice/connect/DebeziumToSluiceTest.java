package dev.sluice.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real workers, in processes of their own, with the packed plugin: Debezium's stock connector on
 * one side, Sluice's on the other.
 */
final class DebeziumToSluiceTest {
  private static final String SOURCE = "shop-source";
  private static final String SINK = "shop-sink";
  private static final String TOPIC = "shop.changes";

  /** A second pair, whose tables have topics of their own; a third sink reads these alone. */
  private static final String TABLES_SOURCE = "tables-source";

  private static final String JOINED_SINK = "joined-sink";
  private static final String RELAXED_SINK = "relaxed-sink";

  /** Reads what the first one reads, behind Kafka's converter; the others read bytes. */
  private static final String CONVERTED_SINK = "converted-sink";

  private static final List<String> SINKS =
      List.of(SINK, JOINED_SINK, RELAXED_SINK, CONVERTED_SINK);

  /** All that were started: none is to outlive a failure. */
  private static final List<ConnectWorker> WORKERS = new ArrayList<>();

  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static EmbeddedPostgres postgres;
  private static Connection source;
  private static List<Connection> targets;
  private static Path plugins;
  private static ConnectWorker worker;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    postgres = EmbeddedPostgres.builder().setting("wal_level", "logical").start();
    postgres.createDatabase("source");
    source = postgres.connect("source");
    targets = new ArrayList<>();
    for (String sink : SINKS) {
      postgres.createDatabase(sink);
      targets.add(postgres.connect(sink));
    }
    List<Connection> sides = new ArrayList<>(targets);
    sides.add(source);
    for (Connection side : sides) {
      Shop.create(side);
      try (Statement statement = side.createStatement()) {
        statement.execute("SET DateStyle = 'ISO'");
        statement.execute("SET TimeZone = 'UTC'");
      }
    }
    try (Statement statement = targets.get(2).createStatement()) {
      // Parts of a transaction may be seen there.
      statement.execute("ALTER TABLE shop.items DROP CONSTRAINT items_code_key");
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    }
    plugins = PluginPath.in(directory);
    worker = newWorker();
    await().until(worker::isReady);
  }

  @AfterAll
  static void stop() throws Exception {
    WORKERS.forEach(ConnectWorker::close);
    source.close();
    for (Connection target : targets) {
      target.close();
    }
    postgres.close();
    broker.close();
  }

  @Test
  void thePluginIsFoundByItsServicesAndItsProblemsComeByField() {
    String found = worker.ask("GET", "/connector-plugins", null).body().toString();
    assertThat(found).contains("dev.sluice.connect.SluiceSinkConnector");
    Map<String, String> wrong = sink();
    wrong.put("tasks.max", "2");
    String two = worker.order("PUT", "/connectors/" + SINK + "/config", wrong).body().toString();
    assertThat(two).contains("tasks.max").contains("commit order");
    wrong = sink();
    wrong.put("target.url", wrong.get("target.url").replace("/" + SINK, "/nowhere"));
    wrong.put("batch.split.size", "-1");
    String answer =
        worker
            .order("PUT", "/connector-plugins/SluiceSinkConnector/config/validate", wrong)
            .body()
            .toString();
    assertThat(answer).contains("\"error_count\":1").contains("0 to 2147483647");
  }

  @Test
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void whatTheSourceHasIsOnTheTargetWhenWorkersAreKilledAndOthersTakeOver() throws Exception {
    Shop shop = new Shop(source);
    shop.someOfEachKind();
    shop.nulls();
    work(shop, 30);
    shop.order();
    make(SOURCE, source());
    make(TABLES_SOURCE, tablesSource());
    make(SINK, sink());
    make(CONVERTED_SINK, convertedSink());
    make(JOINED_SINK, tablesSink(JOINED_SINK, "tables-with-transactions"));
    make(RELAXED_SINK, tablesSink(RELAXED_SINK, "tables"));
    await().until(() -> worker.isRunning(SOURCE) && worker.isRunning(SINK));
    work(shop, 100);
    shop.order();
    shop.truncate();
    awaitSame();

    ConnectWorker second = newWorker();
    await().until(second::isReady);
    work(shop, 50);
    worker.kill();
    work(shop, 50);
    awaitSame();

    worker = newWorker();
    await().until(worker::isReady);
    work(shop, 50);
    second.kill();
    work(shop, 50);
    shop.truncate();
    awaitSame();
    await().until(() -> worker.isRunning(SINK));

    assertThat(checkpoints()).isEqualTo(1);
    worker.order("PUT", "/connectors/" + SINK + "/stop", null);
    await()
        .untilAsserted(
            () ->
                assertThat(worker.ask("DELETE", "/connectors/" + SINK + "/offsets", null).status())
                    .isEqualTo(200));
    assertThat(checkpoints()).as("whose offsets were deleted").isZero();
  }

  private static int checkpoints() throws SQLException {
    try (Statement statement = targets.get(0).createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM sluice_control.checkpoint WHERE task = '" + SINK + "'")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Patient, because a build machine may be busy. */
  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(500));
  }

  private static void work(Shop shop, int transactions) throws SQLException {
    for (int i = 0; i < transactions; i++) {
      shop.work();
    }
  }

  private static void awaitSame() throws SQLException {
    List<String> wanted = Shop.rows(source);
    await()
        .untilAsserted(
            () -> {
              for (String sink : SINKS) {
                worker.isRunning(sink);
                assertThat(Shop.rows(targets.get(SINKS.indexOf(sink)))).as(sink).isEqualTo(wanted);
              }
            });
  }

  private static ConnectWorker newWorker() throws Exception {
    ConnectWorker started =
        ConnectWorker.start(broker.bootstrapServers(), FreePort.find(), plugins, directory);
    WORKERS.add(started);
    return started;
  }

  private static void make(String name, Map<String, String> config) {
    worker.make(name, config);
  }

  private static Map<String, String> source() {
    Map<String, String> config = DebeziumSource.of(postgres, "shop");
    config.putAll(converters());
    config.put("schema.include.list", "shop");
    config.put("include.unknown.datatypes", "false");
    config.put("heartbeat.interval.ms", "500");
    // The server may take its time to notice that a killed worker has gone.
    config.put("slot.max.retries", "300");
    config.put("slot.retry.delay.ms", "1000");
    DebeziumSource.route(config, TOPIC);
    return config;
  }

  /** As the first one, without the transform that routes. */
  private static Map<String, String> tablesSource() {
    Map<String, String> config = source();
    config.keySet().removeIf(property -> property.startsWith("transforms"));
    config.put("topic.prefix", "apart");
    config.put("extended.headers.enabled", "false");
    config.put("slot.name", "apart");
    config.put("publication.name", "apart");
    config.put("topic.creation.default.partitions", "1");
    config.put("topic.creation.default.replication.factor", "1");
    return config;
  }

  private static Map<String, String> tablesSink(String name, String layout) {
    Map<String, String> config = sink();
    config.put("name", name);
    config.put("topic.layout", layout);
    config.put("target.url", config.get("target.url").replace("/" + SINK, "/" + name));
    config.put("topics.regex", "apart[.]shop[.].*|apart[.]transaction");
    config.remove("topics");
    config.put("consumer.override.metadata.max.age.ms", "1000");
    if (layout.equals("tables")) {
      config.put("topics.regex", "apart[.]shop[.].*");
      config.put("tasks.max", "2");
    } else {
      config.put("transaction.topic", "apart.transaction");
    }
    return config;
  }

  private static Map<String, String> convertedSink() {
    Map<String, String> config = sink();
    config.putAll(converters());
    config.remove("header.converter");
    config.put("name", CONVERTED_SINK);
    config.put("target.url", config.get("target.url").replace("/" + SINK, "/" + CONVERTED_SINK));
    return config;
  }

  private static Map<String, String> sink() {
    Map<String, String> config = new HashMap<>();
    for (String part : List.of("key", "value", "header")) {
      config.put(part + ".converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    }
    config.put("name", SINK);
    config.put("connector.class", "dev.sluice.connect.SluiceSinkConnector");
    config.put("tasks.max", "1");
    config.put("topics", TOPIC);
    config.put("topic.layout", "ordered");
    config.put("target.url", "postgresql://postgres@127.0.0.1:" + postgres.port() + "/" + SINK);
    config.put("kafka.bootstrap.servers", broker.bootstrapServers());
    config.put("batch.apply.timeout.min", "0.1");
    config.put("durable.commit.interval", "0.5");
    config.put("swap.directory", directory.resolve("swap").toString());
    // A worker that was killed is missed soon.
    config.put("consumer.override.session.timeout.ms", "6000");
    config.put("consumer.override.heartbeat.interval.ms", "1000");
    return config;
  }

  private static Map<String, String> converters() {
    Map<String, String> config = new HashMap<>();
    for (String side : List.of("key", "value")) {
      config.put(side + ".converter", "org.apache.kafka.connect.json.JsonConverter");
      config.put(side + ".converter.schemas.enable", "true");
      config.put(side + ".converter.replace.null.with.default", "false");
    }
    return config;
  }
}
