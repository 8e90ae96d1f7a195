package dev.sluice.bench.mariadb;

import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Waiting;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.GenericSources;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.mariadb.MariadbSources;
import dev.sluice.connector.mariadb.MysqlSources;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Captures changes of a database of MariaDB or MySQL into a journal of its own, in this process: by
 * Sluice's own reading of the binary log, or by Debezium's connector. Owned by the benchmark's
 * thread.
 */
public final class MeasuredCapture {
  private static final Duration LIMIT = Duration.ofMinutes(30);

  /** With its libraries, as a user has unpacked it. */
  private static final Path CONNECTOR =
      Path.of(
          System.getProperty(
              "sluice.bench.mariadb-connector", "connectors/generic/mariadb/target/connector"));

  /** The number of Debezium's connector among the server's replicas. */
  private static final String REPLICA = "70001";

  /** Before each position of the log. */
  private static final Position FIRST = new Position(1, 0);

  private final EmbeddedServer server;
  private final Source source;
  private final Map<String, Object> client;
  private final JournalTopics topics;
  private final Position start;
  private long term;

  private MeasuredCapture(
      EmbeddedServer server, EmbeddedBroker broker, Source source, String task, Position start) {
    this.server = server;
    this.source = source;
    this.client = Map.of("bootstrap.servers", broker.bootstrapServers());
    this.topics = JournalTopics.ofTask(task);
    this.start = start;
    try (Journal journal = new Journal(client, topics)) {
      journal.create();
    }
  }

  /** Sluice's own, from the present end of the log. */
  public static MeasuredCapture bySluice(
      EmbeddedServer server, EmbeddedBroker broker, String database, String task) {
    SourceFactory sources =
        server instanceof EmbeddedMysql ? new MysqlSources() : new MariadbSources();
    Source source =
        sources.create(
            task,
            new MariadbConfig(
                endpoint(server, sources.name(), database, MariadbTask.SUPERUSER, "")),
            () -> TaskMark.ofName(task));
    try (SourceSnapshot present = source.retention().create(LIMIT)) {
      return new MeasuredCapture(server, broker, source, task, present.position());
    }
  }

  /**
   * Debezium's connector, which has taken its snapshot and goes on after it.
   *
   * @param rows of the snapshot
   */
  public static MeasuredCapture byDebezium(
      EmbeddedServer server, EmbeddedBroker broker, String database, String task, long rows)
      throws SQLException, InterruptedException {
    GenericConfig config =
        new GenericConfig(
            endpoint(server, GenericConfig.TYPE, database, MariadbTask.USER, MariadbTask.PASSWORD),
            CONNECTOR,
            KnownConnector.MARIADB,
            Map.of("database.server.id", REPLICA),
            Optional.empty());
    Source source = new GenericSources().create(task, config, () -> TaskMark.ofName(task));
    MeasuredCapture capture = new MeasuredCapture(server, broker, source, task, FIRST);
    capture.await(rows);
    return capture;
  }

  private static Endpoint endpoint(
      EmbeddedServer server, String type, String database, String user, String password) {
    return new Endpoint(
        type, "127.0.0.1", server.port(), database, user, Secret.of(password), Map.of());
  }

  /** Captures the changes that were written since; the wall contains the capture's start. */
  public Measurement capture(long changes) throws SQLException, InterruptedException {
    double before = cpu();
    long begun = System.nanoTime();
    await(changes);
    Duration wall = Duration.ofNanos(System.nanoTime() - begun);
    return new Measurement(changes, wall, cpu() - before, 0);
  }

  private double cpu() {
    return CpuTime.ofThisProcess() + CpuTime.ofTree(server.pid());
  }

  private void await(long changes) throws SQLException, InterruptedException {
    CaptureRequest request =
        new CaptureRequest(
            ++term,
            start,
            client,
            topics,
            DataSize.ofMebibytes(256),
            CaptureRequest.IDLE_AFTER,
            new AppliedJournal(start, 0, 0, 0),
            Optional.empty(),
            true);
    try (Capture capture =
        source.startCapture(request, CaptureScope.of(source.catalog(table -> true)))) {
      Waiting.until(
          "the journal to be filled with " + changes + " changes",
          LIMIT,
          () -> {
            Optional<SluiceException> failure = capture.failure();
            if (failure.isPresent()) {
              throw failure.get();
            }
            return capture.progress().changes() >= changes
                && capture.progress().acknowledged().isAfter(start);
          });
    }
  }
}
