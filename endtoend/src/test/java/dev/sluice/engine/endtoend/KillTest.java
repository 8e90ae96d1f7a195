package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.engine.RandomDdl;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed at random moments under load, from its first seconds on, while tables come,
 * change and go beside. The number of kills is short here; the long form is {@code
 * -Dsluice.kills=20}.
 */
class KillTest {
  private static final long SEED = Long.getLong("sluice.seed", 20261121L);
  private static final String DATABASE = "killed";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  @Timeout(1800)
  void nothingIsLostAndNothingAppliedTwiceWhenTheDaemonIsKilled(@TempDir Path folder)
      throws Exception {
    ShopScale scale = new ShopScale(1);
    ShopDatabases.create(SERVERS.source(), SERVERS.target(), DATABASE, scale);
    Path task =
        TaskFolder.of(
                folder, "killed", SERVERS.source(), SERVERS.target(), DATABASE, ShopSchema.SCHEMA)
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
            .write();

    Random random = new Random(SEED);
    try (Connection other = SERVERS.source().connect(DATABASE);
        ShopWorkload workload =
            ShopWorkload.start(() -> SERVERS.source().connect(DATABASE), scale, 3, 100)) {
      RandomDdl tables = new RandomDdl(SEED);
      FutureTask<Void> ddl =
          new FutureTask<>(
              () -> {
                tables.run(other, ShopSchema.SCHEMA);
                return null;
              });
      Thread application = new Thread(ddl, "ddl");
      for (int kill = 0; kill < RandomKills.COUNT; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          if (kill % 2 == 1) {
            daemon.awaitPhase("replicating");
            // Not before: at its pace hardly any beginning of a load finds its tables again.
            start(application);
          }
          Thread.sleep(500 + random.nextInt(5_000));
          daemon.kill();
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        start(application);
        workload.stop();
        application.interrupt();
        ddl.get();
        // It may have dropped the only one just before.
        do {
          tables.transaction(other);
        } while (Comparison.tables(other, ShopSchema.SCHEMA).size() <= ShopSchema.TABLES.size());
        other.rollback();
        daemon.awaitAllApplied();
        try (Connection from = SERVERS.source().connect(DATABASE);
            Connection to = SERVERS.target().connect(DATABASE)) {
          Comparison.assertEqual(from, to, ShopSchema.TABLES);
          assertThat(Comparison.tables(from, ShopSchema.SCHEMA))
              .hasSizeGreaterThan(ShopSchema.TABLES.size());
          assertThat(Comparison.definitions(to, ShopSchema.SCHEMA))
              .isEqualTo(Comparison.definitions(from, ShopSchema.SCHEMA));
          Comparison.assertEqual(from, to, Comparison.tables(from, ShopSchema.SCHEMA));
        }
      }
    }
  }

  private static void start(Thread application) {
    if (application.getState() == Thread.State.NEW) {
      application.start();
    }
  }
}
