package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The journal on a cluster of the user's own, and on a disk that it may not fill. */
class JournalLocationsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final List<TableId> TABLES = List.of(new TableId("public", "noted"));

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  void aTaskRunsOnTheUsersOwnClusterAndLeavesNothingOnIt(@TempDir Path folder) throws Exception {
    createTables("cluster");
    try (EmbeddedBroker cluster = EmbeddedBroker.start(folder.resolve("cluster"))) {
      Path task =
          TaskFolder.of(folder, "cluster", SERVERS.source(), SERVERS.target(), "cluster", "public")
              .replacing(
                  "data-dir:",
                  "kafka:\n  bootstrap.servers: " + cluster.bootstrapServers() + "\ndata-dir:")
              .write();
      for (int start = 0; start < 2; start++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          execute(
              SERVERS.source(),
              "cluster",
              "INSERT INTO noted SELECT i, 'x' FROM generate_series(%d, %d) i"
                  .formatted(start * 100, start * 100 + 99));
          daemon.awaitAllApplied();
          assertThat(daemon.status().at("/journal/embedded").asBoolean()).isFalse();
          daemon.kill();
        }
      }
      compare("cluster");
      assertThat(folder.resolve("data").resolve("kafka")).doesNotExist();
      assertThat(topics(folder)).isNotEmpty();
      assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode()).isZero();
      await().atMost(PATIENCE).until(() -> topics(folder).isEmpty());
    }
  }

  @Test
  void theCaptureWaitsWhileTheJournalHasNoRoomAndNothingIsLost(@TempDir Path folder)
      throws Exception {
    createTables("narrow");
    Path task =
        TaskFolder.of(folder, "narrow", SERVERS.source(), SERVERS.target(), "narrow", "public")
            .settings("{Sluice: {JournalLimit: 64}}")
            .write();
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      try (Connection blocker = SERVERS.target().connect("narrow");
          Statement statement = blocker.createStatement()) {
        blocker.setAutoCommit(false);
        statement.execute("LOCK TABLE noted IN ACCESS EXCLUSIVE MODE");
        for (int i = 0; i < 120; i++) {
          // Random text: what compresses well would take no room.
          execute(
              SERVERS.source(),
              "narrow",
              "INSERT INTO noted SELECT i, (SELECT string_agg(md5(random()::text || part), '')"
                  + " FROM generate_series(1, 30) part WHERE i IS NOT NULL)"
                  + " FROM generate_series(%d, %d) i".formatted(i * 1_000, i * 1_000 + 999));
        }
        await("the journal is full")
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(500))
            .until(() -> daemon.status().path("problem").asText().contains("JOURNAL_FULL"));
        blocker.rollback();
      }
      daemon.awaitAllApplied();
      compare("narrow");
      // What came last may have filled it once more.
      await("the journal has room")
          .atMost(PATIENCE)
          .until(() -> !daemon.status().path("problem").asText().contains("JOURNAL_FULL"));
    }
  }

  private static void createTables(String database) throws SQLException {
    for (EmbeddedPostgres server : List.of(SERVERS.source(), SERVERS.target())) {
      server.createDatabase(database);
      execute(server, database, "CREATE TABLE noted (id int PRIMARY KEY, note text)");
    }
  }

  private static List<Path> topics(Path folder) throws java.io.IOException {
    try (var logs = Files.list(folder.resolve("cluster").resolve("log"))) {
      return logs.filter(log -> log.getFileName().toString().matches("sluice\\..*-0")).toList();
    }
  }

  private static void compare(String database) throws SQLException {
    try (Connection from = SERVERS.source().connect(database);
        Connection to = SERVERS.target().connect(database)) {
      Comparison.assertEqual(from, to, TABLES);
    }
  }
}
