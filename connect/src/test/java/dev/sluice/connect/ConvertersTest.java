package dev.sluice.connect;

import static dev.sluice.connect.ConnectWorker.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.window.policy.CloseReason;
import java.nio.charset.StandardCharsets;
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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes through other converters than JSON with schemas, in a real worker, and what the worker
 * is told by a sink's task: dead letters and figures.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class ConvertersTest {
  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static EmbeddedPostgres postgres;
  private static SchemaRegistry registry;
  private static Connection source;
  private static ConnectWorker worker;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    postgres = EmbeddedPostgres.start();
    registry = SchemaRegistry.start();
    postgres.createDatabase("source");
    source = session("source");
    Shop.create(source);
    run(source, "CREATE TABLE shop.signals (id text PRIMARY KEY, type text, data text)");
    run(source, "CREATE TABLE shop.plain (" + PLAIN + ")");
    Shop shop = new Shop(source);
    shop.someOfEachKind();
    shop.nulls();
    worker = ConnectWorker.ready(broker, PluginPath.in(directory), directory);
  }

  /** Of each group of types that JSON without schemas can carry. */
  private static final String PLAIN =
      """
      id int PRIMARY KEY, big bigint, real8 double precision, free numeric, yes boolean, day date,
      hour time, stamp timestamp, zoned timestamptz, span interval, bytes bytea, words text,
      doc jsonb, ident uuid, numbers int[], texts text[], net inet, range int4range
      """;

  @AfterAll
  static void stop() throws Exception {
    worker.close();
    source.close();
    registry.close();
    postgres.close();
    broker.close();
  }

  @Test
  void avroCarriesEveryTypeAndANullOnlyWhereTheColumnHasNoDefault() throws Exception {
    Connection target = target("avro");
    make("avro-source", source("avro", avro()));
    make("avro-sink", sink("avro", avro()));
    new Shop(source).order();
    run(source, "UPDATE shop.kinds SET words = 'äöü €', numbers = '{7,NULL}' WHERE id = 1");
    run(source, "UPDATE shop.kinds SET real4 = 'NaN', real8 = '-Infinity' WHERE id = 3");
    run(source, "INSERT INTO shop.items VALUES (900, 900, 'text', NULL, NULL)");
    awaitSame("avro-sink", target, "shop.kinds");
    awaitSame("avro-sink", target, "shop.orders");
    assertThat(registry.schemas()).as("schemas that the converters have registered").isPositive();
    // Apicurio's converter writes the default in the place of a NULL, and has no setting against
    // it.
    await()
        .untilAsserted(
            () ->
                assertThat(rows(target, "shop.items"))
                    .filteredOn(row -> row.startsWith("(900,"))
                    .containsExactly("(900,900,text,new,1.50)"));
  }

  @Test
  void theBinaryConverterCarriesEveryTypeAndEveryNull() throws Exception {
    Connection target = target("bytes");
    Map<String, String> source = source("bytes", binary());
    source.put("heartbeat.interval.ms", "500");
    // A text, as its schema says, and nothing else.
    source.put("binary.handling.mode", "base64");
    Map<String, String> sink = sink("bytes", binary());
    sink.put("binary.handling.mode", "base64");
    Connection unconverted = database("binary");
    Map<String, String> reader = bytesSink("binary", "bytes");
    reader.put("binary.handling.mode", "base64");
    make("bytes-source", source);
    make("bytes-sink", sink);
    make("binary-sink", reader);
    awaitSame("bytes-sink", target, "shop.kinds");
    run(
        ConvertersTest.source,
        "INSERT INTO shop.kinds (id, real4, real8) VALUES (70, 'NaN', 'Infinity')");
    run(
        ConvertersTest.source,
        "INSERT INTO shop.items SELECT 901, 901, string_agg(md5(i::text), ''), NULL, NULL"
            + " FROM generate_series(1, 300) i");
    // The wide value is not in the log then.
    run(ConvertersTest.source, "UPDATE shop.items SET price = 2 WHERE id = 901");
    run(ConvertersTest.source, "UPDATE shop.items SET id = 902 WHERE id = 901");
    run(ConvertersTest.source, "INSERT INTO shop.audit VALUES ('gone', 1)");
    run(ConvertersTest.source, "TRUNCATE shop.audit");
    awaitSame("bytes-sink", target, "shop.items");
    awaitSame("bytes-sink", target, "shop.kinds");
    awaitSame("bytes-sink", target, "shop.audit");
    awaitSame("binary-sink", unconverted, "shop.items");
    awaitSame("binary-sink", unconverted, "shop.kinds");
    awaitSame("binary-sink", unconverted, "shop.audit");
    assertThat(rows(target, "shop.items"))
        .filteredOn(row -> row.startsWith("(902,"))
        .singleElement()
        .asString()
        .endsWith(",,2.00)");
  }

  @Test
  void jsonWithoutSchemasIsReadByTheTargetsTypes() throws Exception {
    Connection target = target("plain");
    Map<String, String> source = source("plain", DebeziumSource.json(false));
    source.put("table.include.list", "shop\\.plain,shop\\.signals");
    source.put("time.precision.mode", "isostring");
    source.put("decimal.handling.mode", "string");
    source.put("binary.handling.mode", "hex");
    source.put("signal.data.collection", "shop.signals");
    Map<String, String> sink = sink("plain", DebeziumSource.json(false));
    sink.put("decimal.handling.mode", "string");
    sink.put("binary.handling.mode", "hex");
    Connection unconverted = database("text");
    Map<String, String> reader = bytesSink("text", "plain");
    reader.put("decimal.handling.mode", "string");
    reader.put("binary.handling.mode", "hex");
    make("plain-source", source);
    make("plain-sink", sink);
    make("text-sink", reader);
    run(
        ConvertersTest.source,
        """
        INSERT INTO shop.plain VALUES
         (1, 9223372036854775807, 'NaN', 123456789012345678901234567890.12345, true, '2024-02-29',
          '23:59:59.999999', '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456+02',
          '1 year 2 mons 3 days 04:05:06.000007', '\\x00ff10', 'tab\t"q" \\ back', '{"b": [1, null]}',
          'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,NULL,-3}', '{a,NULL,"with \\"q\\""}',
          '10.0.0.1/8', '[1,5)'),
         (2, -1, '-Infinity', -0.00000001, false, '0001-01-01', '00:00', '0001-01-01 00:00',
          '1970-01-01 00:00+00', '-1 mons +2 days', '', '', '"text"',
          '00000000-0000-0000-0000-000000000000', '{}', '{""}', '::1', 'empty')
        """);
    run(ConvertersTest.source, "INSERT INTO shop.plain (id) VALUES (3)");
    // Debezium's snapshot leaves the signal table out.
    awaitSame("plain-sink", target, "shop.plain");
    run(ConvertersTest.source, "UPDATE shop.plain SET id = 4, words = 'moved' WHERE id = 2");
    // A signal is a row like any other on its way through the source's log.
    run(
        ConvertersTest.source,
        "INSERT INTO shop.signals VALUES ('one', 'log', '{\"message\": \"at %s\"}')");
    run(ConvertersTest.source, "DELETE FROM shop.plain WHERE id = 1");
    awaitSame("plain-sink", target, "shop.plain");
    awaitSame("plain-sink", target, "shop.signals");
    awaitSame("text-sink", unconverted, "shop.plain");
    awaitSame("text-sink", unconverted, "shop.signals");
  }

  @Test
  void readFromItsBytesJsonWithSchemasKeepsNaNAndInfinity() throws Exception {
    Connection target = target("json");
    make("json-source", source("json", DebeziumSource.jsonWithSchemas()));
    make("json-sink", bytesSink("json", "json"));
    run(source, "INSERT INTO shop.kinds (id, real4, real8) VALUES (80, 'NaN', '-Infinity')");
    run(source, "UPDATE shop.kinds SET real8 = 'Infinity' WHERE id = 80");
    awaitSame("json-sink", target, "shop.kinds");
    awaitSame("json-sink", target, "shop.items");
  }

  @Test
  void whatCannotBeReadGoesToTheDeadLettersWithItsReasonAndTheFiguresAreTheWorkers()
      throws Exception {
    Connection target = target("letters");
    Map<String, String> sink = bytesSink("letters", "letters");
    sink.put("errors.tolerance", "all");
    sink.put("errors.deadletterqueue.topic.name", "letters.dead");
    sink.put("errors.deadletterqueue.topic.replication.factor", "1");
    sink.put("errors.deadletterqueue.context.headers.enable", "true");
    make("letters-sink", sink);
    make("letters-source", source("letters", DebeziumSource.jsonWithSchemas()));
    await().until(() -> worker.isRunning("letters-sink") && worker.isRunning("letters-source"));
    String foreign =
        "{\"schema\": {\"type\": \"struct\", \"fields\": [{\"field\": \"greeting\", \"type\":"
            + " \"string\"}]}, \"payload\": {\"greeting\": \"hello\"}}";
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>("letters.changes", foreign)).get();
      producer.send(new ProducerRecord<>("letters.changes", "{\"schema\": {")).get();
    }
    run(source, "INSERT INTO shop.audit VALUES ('after the letter', 1)");
    awaitSame("letters-sink", target, "shop.audit");
    List<ConsumerRecord<String, String>> letters = read("letters.dead", 2);
    assertThat(letters.get(1).value()).isEqualTo("{\"schema\": {");
    assertThat(header(letters.get(1), "__connect.errors.exception.message"))
        .contains("letters.changes", "a value of 12 bytes that cannot be read");
    ConsumerRecord<String, String> letter = letters.get(0);
    assertThat(letter.value()).isEqualTo(foreign);
    assertThat(header(letter, "__connect.errors.topic")).isEqualTo("letters.changes");
    assertThat(header(letter, "__connect.errors.exception.message"))
        .contains("letters.changes", "offset", "greeting");
    await()
        // The worker may be about to name them.
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              assertThat(number("letters-sink", "sluice_windows_applied_total")).isPositive();
              assertThat(number("letters-sink", "sluice_target_rows_total")).isPositive();
              assertThat(number("letters-sink", "sluice_suspended_tables")).isZero();
              assertThat(number("letters-sink", "sluice_memory_bytes")).isNotNegative();
            });
  }

  @Test
  void theWorkerHasTheFiguresOfWindowsStagesAndRetriesByJmx() throws Exception {
    Connection target = target("figures");
    make("figures-source", source("figures", binary()));
    make("figures-sink", sink("figures", binary()));
    run(source, "INSERT INTO shop.audit VALUES ('counted', 1)");
    awaitSame("figures-sink", target, "shop.audit");
    // The next window finds its session gone, and is tried again.
    run(
        target,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE datname = 'figures' AND pid <> pg_backend_pid()");
    run(source, "INSERT INTO shop.audit VALUES ('tried again', 2)");
    awaitSame("figures-sink", target, "shop.audit");
    await()
        .untilAsserted(
            () -> {
              double windows = number("figures-sink", "sluice_windows_applied_total");
              assertThat(overReasons("sluice_window_seconds_count")).isEqualTo(windows);
              assertThat(overReasons("sluice_window_rows_sum"))
                  .isEqualTo(number("figures-sink", "sluice_target_rows_total"));
            });
    double visible = number("figures-sink", "sluice_commit_to_visible_seconds_count");
    assertThat(visible).isPositive();
    double half = number("figures-sink", "sluice_commit_to_visible_seconds_p50");
    double most = number("figures-sink", "sluice_commit_to_visible_seconds_p99");
    assertThat(half).isPositive();
    assertThat(most).isGreaterThanOrEqualTo(half);
    assertThat(number("figures-sink", "sluice_commit_to_visible_seconds_max"))
        .isGreaterThanOrEqualTo(most);
    assertThat(number("sluice_stage_seconds_total", "stage", "commit")).isPositive();
    assertThat(number("sluice_stage_seconds_total", "stage", "fill")).isNotNegative();
    double retries =
        number("sluice_retries_total", "work", "apply")
            + number("sluice_retries_total", "work", "durable");
    assertThat(retries).isPositive();
  }

  private static double overReasons(String metric) throws Exception {
    double sum = 0;
    for (CloseReason reason : CloseReason.values()) {
      sum += number(metric, "reason", reason.name());
    }
    return sum;
  }

  private static double number(String metric, String tag, String value) throws Exception {
    return ((Number) worker.metric("figures-sink", metric, Map.of(tag, value)).orElseThrow())
        .doubleValue();
  }

  private static double number(String connector, String metric) throws Exception {
    return ((Number) worker.metric(connector, metric).orElseThrow()).doubleValue();
  }

  private static List<ConsumerRecord<String, String>> read(String topic, int count) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      List<ConsumerRecord<String, String>> found = new ArrayList<>();
      await()
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(200)).forEach(found::add);
                return found.size() >= count;
              });
      return found;
    }
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  /** A target of its own, with the source's tables, and the topic that leads to it. */
  private static Connection target(String name) throws Exception {
    DebeziumSource.makeTopic(broker, name + ".changes");
    return database(name);
  }

  private static Connection database(String name) throws SQLException {
    postgres.createDatabase(name);
    Connection target = session(name);
    Shop.create(target);
    run(target, "CREATE TABLE shop.signals (id text PRIMARY KEY, type text, data text)");
    run(target, "CREATE TABLE shop.plain (" + PLAIN + ")");
    return target;
  }

  private static Connection session(String database) throws SQLException {
    Connection session = postgres.connect(database);
    run(session, "SET DateStyle = 'ISO'");
    run(session, "SET TimeZone = 'UTC'");
    return session;
  }

  private static void run(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void awaitSame(String sink, Connection target, String table) throws SQLException {
    List<String> wanted = rows(source, table);
    await()
        .untilAsserted(
            () -> {
              worker.isRunning(sink);
              assertThat(rows(target, table)).isEqualTo(wanted);
            });
  }

  private static List<String> rows(Connection session, String table) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT t::text FROM " + table + " t ORDER BY t::text COLLATE \"C\"")) {
      while (row.next()) {
        rows.add(row.getString(1));
      }
    }
    return rows;
  }

  private static void make(String name, Map<String, String> config) {
    worker.make(name, config);
  }

  private static Map<String, String> source(String name, Map<String, String> converters) {
    Map<String, String> config = DebeziumSource.of(postgres, name);
    config.putAll(converters);
    config.put(
        "table.include.list", "shop\\.kinds,shop\\.items,shop\\.orders,shop\\.lines,shop\\.audit");
    DebeziumSource.route(config, name + ".changes");
    return config;
  }

  private static Map<String, String> sink(String name, Map<String, String> converters) {
    Map<String, String> config = bytesSink(name, name);
    config.remove("header.converter");
    config.putAll(converters);
    return config;
  }

  /** A sink that reads the bytes of another one's topic, into a database of its own. */
  private static Map<String, String> bytesSink(String name, String topic) {
    Map<String, String> config =
        SluiceSink.of(
            broker,
            directory,
            name + "-sink",
            "postgresql://postgres@127.0.0.1:%d/%s".formatted(postgres.port(), name));
    SluiceSink.readOne(config, topic + ".changes");
    return config;
  }

  private static Map<String, String> avro() {
    Map<String, String> config = new HashMap<>();
    for (String side : List.of("key", "value")) {
      String converter = side + ".converter";
      config.put(converter, PluginPath.AVRO_CONVERTER);
      config.put(converter + ".apicurio.registry.url", registry.url());
      config.put(converter + ".apicurio.registry.auto-register", "true");
    }
    return config;
  }

  private static Map<String, String> binary() {
    String converter = "dev.sluice.connect.converter.BinaryConverter";
    return Map.of("key.converter", converter, "value.converter", converter);
  }
}
