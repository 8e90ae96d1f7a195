package dev.sluice.engine.endtoend;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.engine.RandomDdl;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed at random moments while several lanes apply and tables are altered, so that
 * each start finds the lanes at different positions, and mostly with another number of threads. The
 * long form is {@code -Dsluice.kills=20}.
 */
@Tag("soak")
class LanesKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 2);
  private static final long SEED = Long.getLong("sluice.seed", 20261121L);
  private static final String DATABASE = "killed_lanes";
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int[] THREADS = {3, 2, 3, 3, 1, 4};

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  @Timeout(1800)
  void nothingIsLostAndNothingAppliedTwiceInAnyLane(@TempDir Path folder) throws Exception {
    ShopScale scale = new ShopScale(1);
    ShopDatabases.create(SERVERS.source(), SERVERS.target(), DATABASE, scale);
    Random random = new Random(SEED);
    RandomDdl ddl = new RandomDdl(SEED);
    try (Connection other = SERVERS.source().connect(DATABASE);
        ShopWorkload workload =
            ShopWorkload.start(() -> SERVERS.source().connect(DATABASE), scale, 3, 300)) {
      other.setSchema(ShopSchema.SCHEMA);
      for (int kill = 0; kill < KILLS; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task(folder, kill))) {
          daemon.awaitPhase("replicating");
          alter(other, ddl, 3 + random.nextInt(15));
          daemon.kill();
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task(folder, KILLS))) {
        daemon.awaitPhase("replicating");
        alter(other, ddl, 5);
        workload.stop();
        daemon.awaitAllApplied();
        try (Connection from = SERVERS.source().connect(DATABASE);
            Connection to = SERVERS.target().connect(DATABASE)) {
          Comparison.assertEqual(from, to, Comparison.tables(from, ShopSchema.SCHEMA));
        }
      }
    }
  }

  /** At each of them all lanes meet, so that what is not applied at a kill must not grow long. */
  private static void alter(Connection connection, RandomDdl ddl, int transactions)
      throws SQLException {
    for (int i = 0; i < transactions; i++) {
      ddl.transaction(connection);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private static Path task(Path folder, int start) throws IOException {
    int threads = THREADS[start % THREADS.length];
    return TaskFolder.of(
            folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, ShopSchema.SCHEMA)
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " TargetMetadata: {ParallelApplyThreads: "
                + threads
                + "}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1,"
                + " BatchApplyPreserveTransaction: false}}")
        .write();
  }
}
