package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.engine.workload.ShopData;
import dev.sluice.engine.workload.ShopScale;
import dev.sluice.engine.workload.ShopSchema;
import dev.sluice.engine.workload.ShopWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed at random moments under load, from its first seconds on, while tables come,
 * change and go beside. The number of kills is short here; the long form is {@code
 * -Dsluice.kills=20}.
 */
class KillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 4);
  private static final long SEED = Long.getLong("sluice.seed", 20261121L);

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
  void nothingIsLostAndNothingAppliedTwiceWhenTheDaemonIsKilled(@TempDir Path folder)
      throws Exception {
    kill(folder, "killed", false, start -> 1);
  }

  /** A start after a kill finds the lanes at different places, and lays them out anew. */
  @Test
  @Timeout(1800)
  void norWhenLanesApplyBesideEachOtherAndAreLaidOutAnewAfterAKill(@TempDir Path folder)
      throws Exception {
    int[] threads = {3, 2, 3, 3, 1, 4};
    kill(folder, "killed_lanes", true, start -> threads[start % threads.length]);
  }

  private static Path task(Path folder, String database, int threads) throws IOException {
    return TaskFolder.of(folder, database, source, target, database, ShopSchema.SCHEMA)
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " TargetMetadata: {ParallelApplyThreads: "
                + threads
                + "}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1,"
                + " BatchApplyPreserveTransaction: "
                + (threads <= 1)
                + "}}")
        .write();
  }

  /**
   * @param loaded whether it is loaded before the first kill, and before tables come and go
   * @param threads ParallelApplyThreads of each start, by its number
   */
  private static void kill(
      Path folder, String database, boolean loaded, IntUnaryOperator threads)
      throws Exception {
    source.createDatabase(database);
    target.createDatabase(database);
    ShopScale scale = new ShopScale(1);
    try (Connection connection = source.connect(database)) {
      ShopSchema.create(connection);
      ShopData.fill(connection, scale);
    }

    Random random = new Random(SEED);
    try (Connection other = source.connect(database);
        ShopWorkload workload = ShopWorkload.start(() -> source.connect(database), scale, 3, 300)) {
      if (loaded) {
        try (DaemonProcess daemon = DaemonProcess.run(task(folder, database, 3))) {
          daemon.awaitPhase("replicating");
          daemon.kill();
        }
      }
      FutureTask<Void> ddl =
          new FutureTask<>(
              () -> {
                new RandomDdl(SEED).run(other, ShopSchema.SCHEMA);
                return null;
              });
      Thread application = new Thread(ddl, "ddl");
      application.start();
      for (int kill = 0; kill < KILLS; kill++) {
        Path task = task(folder, database, threads.applyAsInt(kill));
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          if (kill % 2 == 1) {
            daemon.awaitPhase("replicating");
          }
          Thread.sleep(500 + random.nextInt(5_000));
          daemon.kill();
        }
      }
      Path task = task(folder, database, threads.applyAsInt(KILLS));
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        workload.stop();
        application.interrupt();
        ddl.get();
        daemon.awaitAllApplied();
        try (Connection from = source.connect(database);
            Connection to = target.connect(database)) {
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
}
