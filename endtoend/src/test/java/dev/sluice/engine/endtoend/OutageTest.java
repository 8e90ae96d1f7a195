package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outages of servers: nothing is lost and nothing is applied twice. */
class OutageTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String DATABASE = "outage";

  /** A table without a key, in which a row applied twice would be there twice. */
  private static final List<TableId> TABLES =
      List.of(new TableId("shop", "log"), new TableId("shop", "counter"));

  private int written;

  @Test
  void aRemovalWhileTheSourceDoesNotAnswerIsReportedAndTheNextOneRemovesTheRest(
      @TempDir Path folder) throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      source.createDatabase(DATABASE);
      target.createDatabase(DATABASE);
      run(source, "CREATE SCHEMA shop; CREATE TABLE shop.counter (id int PRIMARY KEY, n int)");
      Path task =
          TaskFolder.of(folder, "removed", source, target, DATABASE, "shop")
              .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
              .write();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        execute(source, "postgres", "ALTER DATABASE outage ALLOW_CONNECTIONS false");
        execute(
            source,
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'outage'");
        DaemonProcess.Finished first = DaemonProcess.commandHere("stop", task.toString(), "--drop");
        assertThat(first.exitCode()).as(first.output()).isEqualTo(1);
        assertThat(first.output()).contains("is not removed: ", "Run sluice stop --drop again");
        assertThat(daemon.awaitEnd()).isNotZero();
      }
      assertThat(text(source, "postgres", "SELECT count(*) FROM pg_replication_slots"))
          .isEqualTo("1");
      execute(source, "postgres", "ALTER DATABASE outage ALLOW_CONNECTIONS true");
      assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode()).isZero();
      assertThat(text(source, "postgres", "SELECT count(*) FROM pg_replication_slots"))
          .isEqualTo("0");
    }
  }

  @Test
  void theTaskGoesOnAfterBrokenConnectionsAFailoverAndRestartsOfSourceAndKafka(@TempDir Path folder)
      throws Exception {
    keepPorts(folder.resolve("kafka"));
    EmbeddedBroker kafka = EmbeddedBroker.start(folder.resolve("kafka"));
    EmbeddedPostgres.Builder sourceServer =
        EmbeddedPostgres.builder().directory(folder.resolve("source"));
    EmbeddedPostgres.Builder targetServer =
        EmbeddedPostgres.builder().directory(folder.resolve("target"));
    EmbeddedPostgres source = sourceServer.start();
    EmbeddedPostgres target = targetServer.start();
    try {
      source.createDatabase(DATABASE);
      target.createDatabase(DATABASE);
      run(
          source,
          "CREATE SCHEMA shop; CREATE TABLE shop.log (n int);"
              + " ALTER TABLE shop.log REPLICA IDENTITY FULL;"
              + " CREATE TABLE shop.counter (id int PRIMARY KEY, n int);"
              + " INSERT INTO shop.counter VALUES (1, 0)");
      Path task =
          TaskFolder.of(folder, "outage", source, target, DATABASE, "shop")
              .replacing(
                  "data-dir:",
                  "kafka:\n  bootstrap.servers: " + kafka.bootstrapServers() + "\ndata-dir:")
              .settings(
                  "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                      + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                      + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                      + " RecoverableErrorThrottlingMax: 1}}")
              .write();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        awaitAway(daemon);

        for (int i = 0; i < 15; i++) {
          write(source, 20);
          breakConnections(target);
          breakConnections(source);
        }
        daemon.awaitAllApplied();

        // A failover: away, then a standby that takes no writes, then promoted to a new timeline.
        write(source, 20);
        target.close();
        write(source, 20);
        await().atMost(PATIENCE).until(() -> daemon.status().path("problem").isTextual());
        awaitAway(daemon, "target");
        Files.createFile(folder.resolve("target/standby.signal"));
        target = targetServer.port(target.port()).start();
        write(source, 20);
        run(target, "SELECT pg_promote()");
        daemon.awaitAllApplied();
        await().atMost(PATIENCE).until(() -> !daemon.status().path("problem").isTextual());

        write(source, 20);
        kafka.close();
        write(source, 20);
        awaitAway(daemon, "kafka");
        kafka = EmbeddedBroker.start(folder.resolve("kafka"));
        write(source, 20);
        daemon.awaitAllApplied();

        source.close();
        awaitAway(daemon, "source");
        source = sourceServer.port(source.port()).start();
        write(source, 20);
        daemon.awaitAllApplied();
        awaitAway(daemon);
        assertThat(daemon.isAlive()).isTrue();
        try (Connection from = source.connect(DATABASE);
            Connection to = target.connect(DATABASE)) {
          Comparison.assertEqual(from, to, TABLES);
        }
      }
    } finally {
      source.close();
      target.close();
      kafka.close();
    }
  }

  /** Waits until these servers are known to be away, and no others; the task is ready without. */
  private static void awaitAway(DaemonProcess daemon, String... servers) {
    await("away: " + List.of(servers))
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              List<String> away = new ArrayList<>();
              for (JsonNode endpoint : daemon.status().path("endpoints")) {
                if (!endpoint.path("up").asBoolean()) {
                  away.add(endpoint.path("name").asText());
                  assertThat(endpoint.path("last_ok").isTextual()).isTrue();
                }
              }
              assertThat(away).containsExactly(servers);
              assertThat(daemon.answerOf("/ready")).isEqualTo(servers.length == 0 ? 200 : 503);
              assertThat(daemon.answerOf("/health")).isEqualTo(200);
            });
  }

  /** Ports that nobody takes while the broker is away. Returns the one for clients. */
  static int keepPorts(Path kafka) throws IOException {
    int port = FreePort.find();
    Files.createDirectories(kafka);
    Files.writeString(
        kafka.resolve("ports.properties"),
        "broker.port=%d%ncontroller.port=%d%n".formatted(port, FreePort.find()));
    return port;
  }

  private void write(EmbeddedPostgres source, int transactions) throws SQLException {
    try (Connection connection = source.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < transactions; i++) {
        statement.execute("INSERT INTO shop.log VALUES (" + written++ + ")");
        statement.execute("UPDATE shop.counter SET n = n + 1");
        connection.commit();
      }
    }
  }

  private static void breakConnections(EmbeddedPostgres server) throws SQLException {
    run(
        server,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            + " AND backend_type IN ('client backend', 'walsender')");
  }

  private static void run(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
