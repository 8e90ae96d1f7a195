package dev.sluice.engine.keys;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import dev.sluice.sink.sorter.Sorter;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.sorter.SwapSpace;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A source that is captured all the time, tables made later included, and a target: the product but
 * for the decision when a window closes.
 */
final class KeysLab implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final String CONTROL = "sluice_control";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  final Connection source;
  final Connection target;
  final SchemaTopic schemas;
  private final String name = "keys_" + NUMBER.incrementAndGet();
  private final EmbeddedPostgres server;
  private final EmbeddedBroker broker;
  private final PostgresSource postgres;
  private final Journal journal;
  private final Capture capture;
  private final KafkaConsumer<byte[], byte[]> records;
  private final Intake intake;
  private final Sorter sorter;
  private int appliers;

  KeysLab(PostgresVersion version) throws SQLException, IOException {
    this(version, table -> false);
  }

  /**
   * @param oldRowsWanted the tables of which updates come with the whole old row
   */
  KeysLab(PostgresVersion version, Predicate<TableId> oldRowsWanted)
      throws SQLException, IOException {
    server = TwoDatabases.server(version);
    server.createDatabase(sourceDatabase());
    server.createDatabase(targetDatabase());
    source = server.connect(sourceDatabase());
    target = server.connect(targetDatabase());
    Path folder = Files.createTempDirectory(temporary(), name);
    broker = EmbeddedBroker.start(folder.resolve("broker"));
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    JournalTopics topics = JournalTopics.ofTask(name);
    journal = new Journal(kafka, topics);
    journal.create();

    // Where a partitioned table is captured, tables are not named one by one.
    onSource(
        "CREATE TABLE anchor (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE anchor_leaf PARTITION OF anchor DEFAULT");
    Endpoint endpoint =
        new Endpoint(
            "127.0.0.1", server.port(), sourceDatabase(), "postgres", Secret.of(""), Map.of());
    postgres = new PostgresSource(name, new PostgresConfig(endpoint, name, name, false, false));
    SourceCatalog catalog = postgres.catalog(table -> true);
    postgres.capturedTables().include(catalog);
    postgres.retention().create(PATIENCE).close();
    Position start = postgres.retention().state().orElseThrow().confirmed();
    capture =
        postgres.startCapture(
            new CaptureRequest(
                1, start, kafka, topics, DataSize.ofMebibytes(64), Duration.ofMinutes(10)),
            new CaptureScope(catalog, Set.of(), false, table -> true, oldRowsWanted));
    records = consumer(kafka, topics.journal());
    schemas = new SchemaTopic(kafka, topics.schemas(), PATIENCE);
    intake = new Intake(JournalOffset.beginning(start));
    sorter =
        new Sorter(
            new MemoryBudget("MemoryLimitTotal", DataSize.ofMebibytes(64)),
            PATIENCE,
            new SwapSpace(folder.resolve("swap"), DataSize.ofMebibytes(64), SwapDisk.LOCAL),
            schemas,
            Lane.WHOLE);
    new CheckpointStore(targetServer(), CONTROL).create();
  }

  /** Makes the capture follow the tables of a schema that is new. */
  void publish(String schema) {
    postgres.capturedTables().include(postgres.catalog(table -> table.schema().equals(schema)));
  }

  /** Whether a fence was needed or not, all that was committed on the source so far. */
  List<CommittedTransaction> transactions() throws SQLException {
    Position before = Position.parse(first(source, "SELECT pg_current_wal_insert_lsn()"));
    postgres.log().emitFence();
    List<CommittedTransaction> transactions = new ArrayList<>();
    Instant deadline = Instant.now().plus(PATIENCE);
    while (!intake.last().isAfter(before)) {
      for (ConsumerRecord<byte[], byte[]> record : records.poll(Duration.ofMillis(20))) {
        take(new JournalEntry(record.offset(), record.value()), transactions);
      }
      capture
          .failure()
          .ifPresent(
              failure -> {
                throw failure;
              });
      if (Instant.now().isAfter(deadline)) {
        throw new AssertionError("changes up to " + before + " did not come in " + PATIENCE);
      }
    }
    return transactions;
  }

  /** An applier of a task of its own, which changes tables of the same names. */
  BatchApplier applier() {
    return new BatchApplier(
        targetServer(),
        LaneStart.whole(
            new CheckpointStore(targetServer(), CONTROL).claim(name + "_" + ++appliers), List.of()),
        table -> table,
        (after, upTo, filter) -> {
          throw new AssertionError("the window up to " + upTo + " does not fit");
        },
        new ApplySettings(TaskSettings.DEFAULTS),
        Clock.systemUTC());
  }

  void onSource(String... statements) throws SQLException {
    run(source, statements);
  }

  void onTarget(String... statements) throws SQLException {
    run(target, statements);
  }

  /**
   * A try's seed: the one that a run names, or the try's number. A build that fails by chance tells
   * nothing of the change it builds: it has the same tries, unless it is told to take others.
   *
   * @param random of the property
   */
  static long seed(long random, int tries) {
    long chosen = Boolean.getBoolean("sluice.keys.random") ? random : tries;
    return Long.getLong("sluice.keys.seed", chosen);
  }

  static List<String> rows(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        rows.add(row.getString(1));
      }
      return rows;
    }
  }

  static String first(Connection connection, String query) throws SQLException {
    return rows(connection, query).get(0);
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : statements) {
        try {
          statement.execute(text);
        } catch (SQLException e) {
          throw new SQLException(text, e.getSQLState(), e);
        }
      }
    }
  }

  private void take(JournalEntry entry, List<CommittedTransaction> transactions) {
    IntakeResult result = intake.take(entry);
    try {
      if (result instanceof IntakeResult.Part part) {
        sorter.add(part.record(), entry.value(), Instant.EPOCH);
      } else if (result instanceof IntakeResult.Whole whole) {
        sorter.add(whole.record(), entry.value(), Instant.EPOCH);
        transactions.add(sorter.commit(whole.record(), whole.end(), whole.nextOffset()));
      }
    } catch (SwapFullException e) {
      throw new AssertionError(e);
    }
  }

  void release(CommittedTransaction transaction) {
    sorter.release(transaction);
  }

  private TargetServer targetServer() {
    return TargetServers.postgres(
        "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + targetDatabase(),
        "postgres",
        null,
        "sluice test",
        50);
  }

  private String sourceDatabase() {
    return name + "_source";
  }

  private String targetDatabase() {
    return name + "_target";
  }

  private static Path temporary() throws IOException {
    return Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir")));
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> kafka, String topic) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            new java.util.HashMap<>(kafka),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    TopicPartition partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    return consumer;
  }

  @Override
  public void close() throws SQLException {
    capture.close();
    postgres.retention().drop();
    records.close();
    schemas.close();
    journal.close();
    broker.close();
    source.close();
    target.close();
  }
}
