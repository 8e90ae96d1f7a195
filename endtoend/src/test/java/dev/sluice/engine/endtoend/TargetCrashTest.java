package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The target crashes while changes are applied, and comes back without its last commits. */
class TargetCrashTest {

  @Test
  void theTaskGoesOnFromWhatTheTargetStillHas(@TempDir Path folder) throws Exception {
    ShopScale scale = new ShopScale(1);
    EmbeddedPostgres.Builder targetServer =
        EmbeddedPostgres.builder()
            .directory(folder.resolve("target"))
            // Commits that do not wait stay in memory for seconds, and are lost in a crash.
            .setting("wal_writer_delay", "3s")
            .setting("wal_writer_flush_after", "0");
    EmbeddedPostgres target = targetServer.start();
    try (EmbeddedPostgres source = EmbeddedPostgres.start()) {
      ShopDatabases.create(source, target, "crashed", scale);
      Path task =
          TaskFolder.of(folder, "crashed", source, target, "crashed", ShopSchema.SCHEMA)
              .settings(
                  "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                      + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                      + " ErrorBehavior: {RecoverableErrorInterval: 1}}")
              .write();
      try (ShopWorkload workload =
              ShopWorkload.start(() -> source.connect("crashed"), scale, 2, 100);
          DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        int crashes = 0;
        do {
          daemon.awaitAllApplied();
          // All of that is durable. What comes now is lost, unless somebody writes the log.
          awaitMoreApplied(daemon);
          target.crash();
          Thread.sleep(1_500);
          target = targetServer.port(target.port()).start();
          daemon.awaitAllApplied();
          crashes++;
        } while (crashes < 2 || crashes < 10 && !hasGoneBack(task));
        workload.stop();
        daemon.awaitAllApplied();
        assertThat(hasGoneBack(task)).as("after %d crashes", crashes).isTrue();
        try (Connection from = source.connect("crashed");
            Connection to = target.connect("crashed")) {
          Comparison.assertEqual(from, to, ShopSchema.TABLES);
        }
      }
    } finally {
      target.close();
    }
  }

  private static void awaitMoreApplied(DaemonProcess daemon) throws Exception {
    long before = changesApplied(daemon);
    await()
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> changesApplied(daemon) > before);
  }

  private static long changesApplied(DaemonProcess daemon) throws Exception {
    return daemon.status().at("/target/changes").asLong();
  }

  private static boolean hasGoneBack(Path task) throws IOException {
    return Files.readString(task.resolveSibling("daemon.out")).contains("the target has gone back");
  }
}
