package dev.sluice.connector.mariadb.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HeldCommitsTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** How long the application's commit may be held back before it fails, and the test with it. */
  private static final int COMMIT_SECONDS = 120;

  @Test
  void aDaemonThatStandsStillWhileItHoldsCommitsBackIsEndedByTheServer() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedMariadb server = EmbeddedMariadb.start();
        Connection application = server.connect();
        Statement statement = application.createStatement();
        FrozenNetwork network = new FrozenNetwork(server.port(), "BACKUP STAGE BLOCK_COMMIT")) {
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
      statement.execute("SET SESSION lock_wait_timeout = " + COMMIT_SECONDS);
      SnapshotOpening snapshots =
          new SnapshotOpening(
              new MariadbServer(
                  new Endpoint(
                      MariadbConfig.TYPE,
                      "127.0.0.1",
                      network.port(),
                      "test",
                      "root",
                      Secret.NONE,
                      Map.of()),
                  "held"),
              place -> Optional.empty(),
              new CapturedServer());
      CompletableFuture<Boolean> opening =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  snapshots.open(LIMIT).close();
                  return true;
                } catch (RuntimeException e) {
                  return false;
                }
              });
      network.awaitFrozen();
      // A commit that waits shows that commits are held back.
      CompletableFuture<Integer> commit =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return statement.executeUpdate("INSERT INTO t VALUES (1)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      try (Connection admin = server.connect()) {
        await().atMost(LIMIT).until(() -> isHeldBack(admin));
      }
      assertThat(commit.get()).isEqualTo(1);
      assertThat(opening).isNotDone();
    }
  }

  private static boolean isHeldBack(Connection admin) throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT count(*) FROM information_schema.PROCESSLIST"
                    + " WHERE STATE LIKE 'Waiting for backup lock'")) {
      rows.next();
      return rows.getInt(1) > 0;
    }
  }
}
