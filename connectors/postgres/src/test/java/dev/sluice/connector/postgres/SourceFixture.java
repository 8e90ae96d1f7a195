package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/**
 * A source database of its own with a task's publication, slot and journal, on a server and a
 * broker that all tests of the JVM share.
 */
public final class SourceFixture implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static EmbeddedPostgres server;
  private static EmbeddedBroker broker;

  public final String task;
  public final PostgresSource source;
  final JournalTopics topics;
  final Journal journal;
  public final Connection connection;
  private final EmbeddedPostgres postgres;
  private final PostgresConfig config;
  SourceCatalog catalog;
  private Capture capture;
  private long term;

  public SourceFixture(String... statements) {
    this(server(), "postgres", List.of(statements));
  }

  public SourceFixture(EmbeddedPostgres postgres, String user, List<String> statements) {
    this.postgres = postgres;
    this.task = "t" + NUMBER.incrementAndGet();
    this.topics = JournalTopics.ofTask(task);
    this.config =
        new PostgresConfig(
            endpoint(postgres, task, user), "sluice_" + task, "sluice_" + task, false, false);
    this.source = new PostgresSource(task, config);
    this.journal = new Journal(client(), topics);
    try {
      postgres.createDatabase(task);
      this.connection = postgres.connect(task);
      execute(statements.toArray(String[]::new));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    // As a daemon does, where a busy broker does not answer in time.
    Awaitility.await()
        .atMost(Duration.ofMinutes(5))
        .pollDelay(Duration.ZERO)
        .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
        .untilAsserted(journal::create);
  }

  public PostgresConfig config() {
    return config;
  }

  public static synchronized EmbeddedPostgres server() {
    if (server == null) {
      server = EmbeddedPostgres.builder().setting("max_prepared_transactions", "5").start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> server.close()));
    }
    return server;
  }

  static synchronized EmbeddedBroker broker() {
    if (broker == null) {
      try {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Files.createDirectories(temporary);
        broker = EmbeddedBroker.start(Files.createTempDirectory(temporary, "broker-"));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(() -> broker.close()));
    }
    return broker;
  }

  static Map<String, Object> client() {
    return Map.of("bootstrap.servers", broker().bootstrapServers());
  }

  public static Endpoint endpoint(EmbeddedPostgres postgres, String database, String user) {
    return new Endpoint(
        "127.0.0.1", postgres.port(), database, user, Secret.of("secret"), Map.of());
  }

  /** Publishes all tables and creates the slot. */
  public ExportedSnapshot prepare() {
    catalog = source.catalog(table -> true);
    source.capturedTables().include(catalog);
    return source.retention().create(Duration.ofMinutes(5));
  }

  /** Publishes, creates the slot and follows the log; the capture is closed with this. */
  public SourceFixture capturing() {
    prepare().close();
    capture = start();
    return this;
  }

  Capture start() {
    return start(DataSize.ofMebibytes(64), Duration.ofMinutes(10));
  }

  Capture start(DataSize maxValueSize, Duration idleAfter) {
    return start(maxValueSize, idleAfter, client());
  }

  Capture start(DataSize maxValueSize, Duration idleAfter, Map<String, Object> producer) {
    source.retention().release();
    catalog = source.catalog(table -> true);
    return source.startCapture(
        new CaptureRequest(
            ++term,
            source.retention().state().orElseThrow().confirmed(),
            producer,
            topics,
            maxValueSize,
            idleAfter),
        CaptureScope.of(catalog));
  }

  /** The same with what the event triggers report, which are installed. */
  Capture startWithTriggers(DataSize maxValueSize) {
    source.retention().release();
    return source.startCapture(
        new CaptureRequest(
            ++term,
            source.retention().state().orElseThrow().confirmed(),
            client(),
            topics,
            maxValueSize,
            Duration.ofMinutes(10)),
        new CaptureScope(
            source.catalog(table -> true), Set.of(), true, table -> true, table -> false));
  }

  /** Follows the log for some of the published tables only, by the names of their roots. */
  public SourceFixture capturing(Predicate<TableId> selection) {
    prepare().close();
    source.retention().release();
    capture =
        source.startCapture(
            new CaptureRequest(
                ++term,
                source.retention().state().orElseThrow().confirmed(),
                client(),
                topics,
                DataSize.ofMebibytes(64),
                Duration.ofMinutes(10)),
            new CaptureScope(
                source.catalog(selection), Set.of(), false, selection, table -> false));
    return this;
  }

  JournalReader reader() {
    return new JournalReader(client(), topics);
  }

  public void execute(String... statements) {
    try (Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public Connection connect() {
    try {
      return postgres.connect(task);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public static TableId table(String name) {
    return new TableId("public", name);
  }

  @Override
  public void close() {
    if (capture != null) {
      capture.close();
    }
    source.retention().drop();
    journal.close();
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
