package dev.sluice.connect;

import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.JournalScript;
import dev.sluice.sink.intake.JournalEntry;
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
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A broker and a target for tests of the connector, with a journal for each test. */
public final class ConnectLab implements AutoCloseable {
  public static final String CONTROL = "sluice_control";

  private final EmbeddedBroker broker;
  private final EmbeddedPostgres postgres;
  private final Connection sql;
  private final Map<String, Object> kafka;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Admin admin;
  private int connectors;

  public ConnectLab(Path directory) throws SQLException {
    broker = EmbeddedBroker.start(directory);
    postgres = EmbeddedPostgres.start();
    postgres.createDatabase("target");
    sql = postgres.connect("target");
    run("CREATE ROLE loader LOGIN");
    run("GRANT SET ON PARAMETER session_replication_role TO loader");
    run("ALTER DATABASE target OWNER TO loader");
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    ByteArraySerializer bytes = new ByteArraySerializer();
    producer = new KafkaProducer<>(kafka, bytes, bytes);
    admin = Admin.create(kafka);
  }

  /** Patient, because a build machine may be busy. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(1));
  }

  String servers() {
    return broker.bootstrapServers();
  }

  Map<String, Object> kafka() {
    return kafka;
  }

  /** Empty tables, and a connector that no test has had before. */
  public String begin() throws Exception {
    run("DROP SCHEMA IF EXISTS shop, " + CONTROL + " CASCADE");
    run("CREATE SCHEMA shop AUTHORIZATION loader");
    run("CREATE TABLE shop.items (id int PRIMARY KEY, name text)");
    run("ALTER TABLE shop.items OWNER TO loader");
    String name = "orders-" + ++connectors;
    create(journal(name), 1);
    create(schemas(name), 1);
    send(
        schemas(name),
        Long.toHexString(JournalScript.ITEMS.fingerprint()).getBytes(StandardCharsets.US_ASCII),
        SchemaCodec.encode(JournalScript.ITEMS));
    return name;
  }

  static String journal(String name) {
    return "sluice." + name + ".journal";
  }

  static String schemas(String name) {
    return "sluice." + name + ".schemas";
  }

  public Map<String, String> properties(String name) {
    Map<String, String> properties = new HashMap<>();
    properties.put("name", name);
    properties.put("connector.class", SluiceSinkConnector.class.getName());
    properties.put("topics", journal(name));
    properties.put("tasks.max", "1");
    properties.put(
        "target.url", "postgresql://loader@127.0.0.1:%d/target".formatted(postgres.port()));
    properties.put("kafka.bootstrap.servers", broker.bootstrapServers());
    properties.put("start.position", "0/0");
    properties.put("batch.apply.timeout.min", "0");
    properties.put("durable.commit.interval", "0.1");
    properties.put("recoverable.error.interval", "0.1");
    properties.put("recoverable.error.throttling", "false");
    return properties;
  }

  /** The same for topics of another layout, which have no position of a journal to start at. */
  public Map<String, String> properties(String name, String layout, List<String> topics) {
    Map<String, String> properties = properties(name);
    properties.remove("start.position");
    properties.put("topic.layout", layout);
    properties.put("topics", String.join(",", topics));
    return properties;
  }

  public TestWorker worker(Map<String, String> properties) {
    return new TestWorker(
        broker.bootstrapServers(), new TopicPartition(properties.get("topics"), 0), properties);
  }

  /** For lines of {@link TextEnvelope}. */
  public TestWorker worker(Map<String, String> properties, Set<TopicPartition> partitions) {
    return new TestWorker(broker.bootstrapServers(), partitions, properties, TextEnvelope::read);
  }

  public void create(String topic, int partitions) throws Exception {
    admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
  }

  /** A topic's records are gone, and others take their offsets. */
  public void makeAnew(String topic) throws Exception {
    admin.deleteTopics(List.of(topic)).all().get();
    await()
        .ignoreExceptions()
        .until(
            () -> {
              create(topic, 1);
              return true;
            });
  }

  public void deleteBefore(String topic, long offset) throws Exception {
    admin
        .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
        .all()
        .get();
  }

  public void send(String topic, byte[] key, byte[] value) throws Exception {
    producer.send(new ProducerRecord<>(topic, key, value)).get();
  }

  public void send(TopicPartition partition, String... lines) {
    for (String line : lines) {
      producer.send(
          new ProducerRecord<>(
              partition.topic(),
              partition.partition(),
              null,
              line.getBytes(StandardCharsets.UTF_8)));
    }
    producer.flush();
  }

  /** What the script has written since the last call. */
  void publish(String name, JournalScript script) throws Exception {
    for (JournalEntry entry : script.next()) {
      producer.send(new ProducerRecord<>(journal(name), entry.value()));
    }
    producer.flush();
  }

  /** Makes a role whose sessions need a password, beside others that need none. */
  void askForPasswords(String role, String password) throws SQLException {
    run("CREATE ROLE %s LOGIN PASSWORD '%s'".formatted(role, password));
    run("GRANT CREATE ON DATABASE target TO " + role);
    run("GRANT SET ON PARAMETER session_replication_role TO " + role);
    run(
        """
        COPY (VALUES ('host all %s all scram-sha-256'), ('host all all all trust')) TO '%s'
        """
            .formatted(role, query("SHOW hba_file").get(0)));
    run("SELECT pg_reload_conf()");
  }

  public Connection connect() throws SQLException {
    return postgres.connect("target");
  }

  public void run(String statement) throws SQLException {
    try (Statement jdbc = sql.createStatement()) {
      jdbc.execute(statement);
    }
  }

  public List<String> query(String text) throws SQLException {
    try (Statement jdbc = sql.createStatement();
        ResultSet row = jdbc.executeQuery(text)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    }
  }

  public List<String> items() throws SQLException {
    return query("SELECT id || '=' || name FROM shop.items ORDER BY id");
  }

  @Override
  public void close() throws SQLException {
    admin.close();
    producer.close();
    sql.close();
    postgres.close();
    broker.close();
  }
}
