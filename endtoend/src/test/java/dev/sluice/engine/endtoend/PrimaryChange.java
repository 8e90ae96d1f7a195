package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.mariadb.EmbeddedReplica;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.Relay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A replica takes over for the server of MariaDB or MySQL that a task has read. */
abstract class PrimaryChange extends BinlogToPostgres {
  private static final String TYPE = "full-load-and-cdc";
  private static final long SEED = Long.getLong("sluice.seed", 20261128L);

  PrimaryChange(ShopServer kind) {
    super(kind);
  }

  @Test
  @Timeout(900)
  void aTaskGoesOnWithThePromotedReplicaWhereverItsDaemonIsKilled(@TempDir Path folder)
      throws Exception {
    BinlogTask task = task(folder, "stopped");
    Random random = new Random(SEED);
    try (EmbeddedServer primary = kind.start();
        EmbeddedReplica replica = EmbeddedReplica.of(primary, kind.replicaBuilder().start())) {
      BinlogShop.create(kind, primary);
      beginAnotherFile(primary);
      BinlogWriters before = writers(primary, 1);
      try (DaemonProcess daemon = DaemonProcess.run(task.write(primary, TYPE))) {
        daemon.awaitPhase("replicating");
        Thread.sleep(2_000);
        daemon.kill();
      }
      before.stop();
      replica.awaitCaughtUp();
      replica.promote();
      primary.kill();
      Path file = task.write(replica.server(), TYPE);
      BinlogWriters writers = writers(replica.server(), 2);
      for (int kill = 0; kill < 2; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(file)) {
          daemon.awaitPhase("replicating");
          Thread.sleep(random.nextInt(1_500));
          daemon.kill();
          if (kill == 0) {
            assertThat(daemon.output()).contains("the source is another server");
          }
        }
      }
      writers.stop();
      try (DaemonProcess daemon = DaemonProcess.run(file)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertEqual(replica.server(), "stopped");
        assertThat(daemon.output().split("the source is another server", -1))
            .as("said once")
            .hasSizeLessThanOrEqualTo(2);
        assertThat(DaemonProcess.commandHere("validate", file.toString()).exitCode()).isZero();
      }
    }
  }

  @Test
  @Timeout(900)
  void aDaemonThatRunsGoesOnWithTheReplicaThatTookTheAddress(@TempDir Path folder)
      throws Exception {
    BinlogTask task = task(folder, "running");
    Path data = folder.resolve("replica");
    try (EmbeddedServer primary = kind.start();
        EmbeddedReplica replica =
            EmbeddedReplica.of(primary, kind.replicaBuilder().directory(data).start())) {
      BinlogShop.create(kind, primary);
      try (DaemonProcess daemon = DaemonProcess.run(task.write(primary, TYPE))) {
        daemon.awaitPhase("replicating");
        beginAnotherFile(primary);
        writers(primary, 1).stop();
        replica.awaitCaughtUp();
        replica.promote();
        replica.server().kill();
        primary.kill();
        // MariaDB computes its identity of machine and port: it has that of the former server.
        try (EmbeddedServer promoted =
            kind.certifiedAs(primary, kind.replicaBuilder())
                .directory(data)
                .port(primary.port())
                .start()) {
          writers(promoted, 2).stop();
          daemon.awaitAllApplied();
          assertEqual(promoted, "running");
          assertThat(daemon.output()).contains("the source is another server");
          assertThat(daemon.terminate()).isZero();
        }
      }
    }
  }

  @Test
  @Timeout(900)
  void aDaemonLeavesAFormerPrimaryThatStillAnswers(@TempDir Path folder) throws Exception {
    BinlogTask task = task(folder, "left");
    try (EmbeddedServer primary = kind.start();
        EmbeddedReplica replica =
            EmbeddedReplica.of(primary, kind.certifiedAs(primary, kind.replicaBuilder()).start());
        Relay address = new Relay(primary.port())) {
      BinlogShop.create(kind, primary);
      Path file = task.write(primary, TYPE);
      Files.writeString(
          file,
          Files.readString(file).replace(":" + primary.port() + "/", ":" + address.port() + "/"));
      try (DaemonProcess daemon = DaemonProcess.run(file)) {
        daemon.awaitPhase("replicating");
        beginAnotherFile(primary);
        count(primary);
        daemon.awaitAllApplied();
        replica.awaitCaughtUp();
        replica.promote();
        address.moveTo(replica.server().port());
        await("the task goes on with the new primary")
            .atMost(Duration.ofMinutes(10))
            .pollInterval(Duration.ofSeconds(1))
            .until(
                () -> {
                  count(replica.server());
                  return daemon.output().contains("the source is another server");
                });
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertEqual(replica.server(), "left");
        assertThat(daemon.output()).contains("answers at its address, and has executed");
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  /** One change. */
  private static void count(EmbeddedServer server) throws SQLException {
    try (Connection connection = server.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO counter (n) VALUES (1)");
    }
  }

  @Test
  @Timeout(900)
  void aReplicaThatLacksWhatTheTargetHasIsRefusedByName(@TempDir Path folder) throws Exception {
    BinlogTask task = task(folder, "lost");
    try (EmbeddedServer primary = kind.start();
        EmbeddedReplica replica = EmbeddedReplica.of(primary, kind.replicaBuilder().start())) {
      BinlogShop.create(kind, primary);
      replica.awaitCaughtUp();
      replica.pause();
      try (DaemonProcess daemon = DaemonProcess.run(task.write(primary, TYPE))) {
        daemon.awaitPhase("replicating");
        writers(primary, 1).stop();
        daemon.awaitAllApplied();
        assertThat(daemon.terminate()).isZero();
      }
      replica.promote();
      writers(replica.server(), 2).stop();
      try (DaemonProcess daemon = DaemonProcess.run(task.write(replica.server(), TYPE))) {
        assertThat(daemon.awaitEnd()).as(daemon.output()).isNotZero();
        assertThat(daemon.output())
            .contains("cannot go on as a replica of the former server either");
        for (String pattern : kind.refusalOfTheLost()) {
          assertThat(daemon.output()).containsPattern(pattern);
        }
      }
      assertThatCode(() -> assertEqual(primary, "lost")).doesNotThrowAnyException();
    }
  }

  private BinlogTask task(Path folder, String name) throws SQLException {
    target.createDatabase(name);
    return new BinlogTask(kind, target, folder, name);
  }

  /** Applications that write for a moment at least. */
  private BinlogWriters writers(EmbeddedServer server, int number) throws InterruptedException {
    BinlogWriters writers = BinlogWriters.start(kind, server, 2, SEED + 10L * number);
    Thread.sleep(1_000);
    return writers;
  }

  /** Servers that begin in one second have the same log, which proves a place without GTIDs. */
  private static void beginAnotherFile(EmbeddedServer server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("FLUSH BINARY LOGS");
    }
  }

  private static void assertEqual(EmbeddedServer source, String database) throws SQLException {
    try (Connection to = target.connect(database)) {
      BinlogShop.assertEqual(source, to);
    }
  }
}
