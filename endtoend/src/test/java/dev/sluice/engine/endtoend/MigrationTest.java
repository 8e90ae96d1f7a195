package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrationTest {
  private static final String CREATE_TARGET =
      "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
          + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.2}}";

  private static EmbeddedPostgres newest;
  private static EmbeddedPostgres older;

  @BeforeAll
  static void startServers() {
    newest = EmbeddedPostgres.start();
    older = EmbeddedPostgres.builder().version(PostgresVersion.OLDER).start();
  }

  @AfterAll
  static void stopServers() {
    newest.close();
    older.close();
  }

  @Test
  void loadChangesRestartAndCutoverEndEqualFromNewToOld(@TempDir Path folder) throws Exception {
    migrate(folder, "newtoold", newest, older);
  }

  @Test
  void loadChangesRestartAndCutoverEndEqualFromInstalledToInstalled(@TempDir Path folder)
      throws Exception {
    assumeTrue(PostgresVersion.INSTALLED.isAvailable(), "no PostgreSQL is installed here");
    try (EmbeddedPostgres source = installed(folder.resolve("source"));
        EmbeddedPostgres target = installed(folder.resolve("target"))) {
      migrate(folder, "installed", source, target);
    }
  }

  private static EmbeddedPostgres installed(Path directory) {
    return EmbeddedPostgres.builder()
        .version(PostgresVersion.INSTALLED)
        .directory(directory)
        .start();
  }

  @Test
  void loadChangesRestartAndCutoverEndEqualFromOldToNew(@TempDir Path folder) throws Exception {
    migrate(folder, "oldtonew", older, newest);
  }

  private static void migrate(
      Path folder, String database, EmbeddedPostgres source, EmbeddedPostgres target)
      throws Exception {
    ShopScale scale = new ShopScale(1);
    ShopDatabases.create(source, target, database, scale);
    Path task =
        TaskFolder.of(folder, database, source, target, database, ShopSchema.SCHEMA)
            .settings(CREATE_TARGET)
            .write();

    try (ShopWorkload workload =
        ShopWorkload.start(() -> source.connect(database), scale, 2, 100)) {
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(daemon.terminate()).as(daemon.output()).isZero();
      }

      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        workload.stop();
        assertThat(workload.committed()).isPositive();

        DaemonProcess.Finished cutover =
            DaemonProcess.command("cutover", task.toString(), "--budget", "60");
        assertThat(cutover.exitCode()).as(cutover.output() + daemon.output()).isZero();
        JsonNode status = daemon.status();
        assertThat(status.path("phase").asText()).isEqualTo("cut-over");
        assertStatusIsWhole(status, database);
        DaemonProcess.Finished page =
            DaemonProcess.commandHere("status", task.toString(), "--json");
        assertThat(page.exitCode()).as(page.output()).isZero();
        assertThat(page.output()).contains("cut-over");
        try (Connection from = source.connect(database);
            Connection to = target.connect(database)) {
          Comparison.assertEqual(from, to, ShopSchema.TABLES);
          assertThat(nextOrderNumber(to)).isEqualTo(nextOrderNumber(from));
        }

        assertThat(DaemonProcess.command("stop", task.toString(), "--drop").exitCode()).isZero();
        assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      }
    }
    assertThat(count(source, database, "pg_replication_slots")).isZero();
    assertThat(count(source, database, "pg_publication")).isZero();
  }

  private static void assertStatusIsWhole(JsonNode status, String task) {
    assertThat(status.path("task").asText()).isEqualTo(task);
    for (String path :
        new String[] {
          "/source/position",
          "/target/position",
          "/latency/source_seconds",
          "/latency/target_seconds",
          "/throughput/source_rows_per_second",
          "/throughput/target_rows_per_second",
          "/backlog/changes",
          "/memory/bytes",
          "/swap/bytes",
          "/windows/applied",
          "/windows/last",
          "/tables/0"
        }) {
      assertThat(status.at(path).isMissingNode()).as("%s in %s", path, status).isFalse();
    }
    assertThat(status.path("tables")).hasSize(ShopSchema.TABLES.size());
  }

  private static long nextOrderNumber(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT nextval(pg_get_serial_sequence('shop.orders', 'o_number'))")) {
      result.next();
      return result.getLong(1);
    }
  }

  private static long count(EmbeddedPostgres server, String database, String catalog)
      throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM " + catalog)) {
      result.next();
      return result.getLong(1);
    }
  }
}
