package dev.sluice.connect;

import static dev.sluice.connect.ConnectWorker.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
    DebeziumSource.makeTopic(broker, TOPIC);
    plugins = PluginPath.in(directory);
    worker = newWorker();
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
    work(shop, 50);
    worker.kill();
    work(shop, 50);
    awaitSame();

    worker = newWorker();
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

  private static ConnectWorker newWorker() throws IOException {
    ConnectWorker started = ConnectWorker.ready(broker, plugins, directory);
    WORKERS.add(started);
    return started;
  }

  private static void make(String name, Map<String, String> config) {
    worker.make(name, config);
  }

  private static Map<String, String> source() {
    Map<String, String> config = DebeziumSource.ofShop(postgres, "shop");
    rest(config);
    DebeziumSource.route(config, TOPIC);
    return config;
  }

  /** As the first one, without the transform that routes. */
  private static Map<String, String> tablesSource() {
    Map<String, String> config = DebeziumSource.ofShop(postgres, SluiceSink.APART);
    rest(config);
    config.put("extended.headers.enabled", "false");
    DebeziumSource.apart(config);
    return config;
  }

  private static void rest(Map<String, String> config) {
    config.put("include.unknown.datatypes", "false");
    config.put("heartbeat.interval.ms", "500");
  }

  private static Map<String, String> tablesSink(String name, String layout) {
    Map<String, String> config = ofName(name);
    SluiceSink.readApart(config, layout);
    if (layout.equals("tables")) {
      config.put("tasks.max", "2");
    }
    return config;
  }

  private static Map<String, String> convertedSink() {
    Map<String, String> config = ofName(CONVERTED_SINK);
    config.putAll(DebeziumSource.jsonWithSchemas());
    config.remove("header.converter");
    SluiceSink.readOne(config, TOPIC);
    return config;
  }

  private static Map<String, String> sink() {
    Map<String, String> config = ofName(SINK);
    SluiceSink.readOne(config, TOPIC);
    return config;
  }

  private static Map<String, String> ofName(String name) {
    return SluiceSink.of(
        broker,
        directory,
        name,
        "postgresql://postgres@127.0.0.1:%d/%s".formatted(postgres.port(), name));
  }
}
