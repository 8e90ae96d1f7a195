package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task loses its slot under load, and rows of its target are lost, changed and invented. The
 * daemon is killed at random moments of the resync. The number of kills is short here; the long
 * form is {@code -Dsluice.kills=20}.
 */
@Tag("soak")
class ResyncKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 2);
  private static final long SEED = Long.getLong("sluice.seed", 20261123L);
  private static final String DATABASE = "resynced";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  @Timeout(1800)
  void bothSidesAreEqualWhicheverMomentTheDaemonIsKilled(@TempDir Path folder) throws Exception {
    ShopScale scale = new ShopScale(1);
    ShopDatabases.create(source, target, DATABASE, scale);
    Path task =
        TaskFolder.of(folder, DATABASE, source, target, DATABASE, ShopSchema.SCHEMA)
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
            .write();
    Random random = new Random(SEED);
    try (ShopWorkload workload =
        ShopWorkload.start(() -> source.connect(DATABASE), scale, 3, 100)) {
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        succeed("stop", task.toString());
      }
      on(
          source,
          "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
              + " WHERE database = current_database()");
      on(
          target,
          "UPDATE shop.customer SET c_balance = c_balance + 1 WHERE c_id % 7 = 0",
          "DELETE FROM shop.order_line WHERE ol_o_id % 5 = 0",
          "INSERT INTO shop.history SELECT * FROM shop.history LIMIT 100");
      Thread.sleep(1000);
      succeed("resync", task.toString(), "--delete-extra");
      for (int kill = 0; kill < KILLS; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          Thread.sleep(random.nextInt(4_000));
          daemon.kill();
        }
        if (random.nextInt(4) == 0) {
          succeed("resync", task.toString(), "--delete-extra");
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        // A table without a key is only compared while nobody writes it.
        Thread.sleep(random.nextInt(4_000));
        workload.stop();
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofSeconds(1))
            .until(() -> DaemonProcess.commandHere("wait", task.toString()).exitCode() == 0);
        try (Connection from = source.connect(DATABASE);
            Connection to = target.connect(DATABASE)) {
          Comparison.assertEqual(from, to, ShopSchema.TABLES);
        }
        assertThat(DaemonProcess.command("cutover", task.toString(), "--quiet-period").exitCode())
            .isZero();
      }
    }
  }

  private static void succeed(String... command) {
    DaemonProcess.Finished finished = DaemonProcess.commandHere(command);
    assertThat(finished.exitCode()).as(finished.output()).isZero();
  }

  private static void on(EmbeddedPostgres server, String... statements) throws Exception {
    try (Connection connection = server.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
