package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.binlog.BinlogApplications;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Random applications write to tables of all types while the daemon that copies them is killed. */
abstract class RandomTablesKill {
  private static final int KILLS = Integer.getInteger("sluice.kills", 3);
  private static final long SEED = Long.getLong("sluice.seed", 20261128L);
  private static final int APPLICATIONS = 6;
  private static final int STEPS = 60;
  private static final String DATABASE = "random";

  private final ShopServer kind;

  RandomTablesKill(ShopServer kind) {
    this.kind = kind;
  }

  @BeforeEach
  void requireServer() {
    kind.assumeAvailable();
  }

  @Test
  @Timeout(1800)
  void tablesOfAllTypesAreEqualWheneverTheDaemonIsKilled(@TempDir Path folder) throws Exception {
    Random random = new Random(SEED);
    try (EmbeddedServer source = kind.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        BinlogApplications applications =
            new BinlogApplications(source, DATABASE, SEED, APPLICATIONS, false)) {
      target.createDatabase(DATABASE);
      applications.begin();
      Path task = task(folder, source, target);
      for (int kill = 0; kill < KILLS; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          applications.work(STEPS);
          if (kill % 3 > 0) {
            daemon.awaitPhase("replicating");
            applications.work(random.nextInt(STEPS));
          }
          // As long as a start takes, so that each of its moments is met.
          Thread.sleep(random.nextInt(kill % 3 == 0 ? 6_000 : 1_000));
          daemon.kill();
        }
        applications.work(random.nextInt(STEPS));
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        applications.work(STEPS);
        applications.finish();
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(applications.differences(target, Set.of()))
            .as("seed %d: %s", SEED, daemon.output())
            .isEmpty();
        assertThat(applications.succeeded()).isGreaterThan(applications.tried() / 2);
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  private Path task(Path folder, EmbeddedServer source, EmbeddedPostgres target)
      throws IOException {
    return Files.writeString(
        folder.resolve("task.yaml"),
        """
        task: random
        migration-type: full-load-and-cdc
        source:
          type: %s
          url: %1$s://root@127.0.0.1:%d/%s
        target:
          type: postgresql
          url: postgresql://postgres@127.0.0.1:%d/%3$s
        data-dir: %s
        http: 127.0.0.1:%d
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: "1"
              rule-action: include
              object-locator: { schema-name: %3$s, table-name: "%%" }
        task-settings: {FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ErrorBehavior: {DataErrorPolicy: STOP_TASK}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}
        """
            .formatted(
                kind.type(),
                source.port(),
                DATABASE,
                target.port(),
                folder.resolve("data"),
                FreePort.find()));
  }
}
