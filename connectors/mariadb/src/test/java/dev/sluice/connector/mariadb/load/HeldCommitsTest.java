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
import dev.sluice.embedded.postgres.Relay;
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
        Statement statement = application.createStatement()) {
      statement.execute("CREATE TABLE t (id SERIAL PRIMARY KEY)");
      statement.execute("SET SESSION lock_wait_timeout = " + COMMIT_SECONDS);
      // On a busy machine the server may end the daemon's session before the application commits.
      await().atMost(LIMIT).until(() -> commitWasHeldBack(server, statement));
    }
  }

  /** Lets a daemon stand still, and commits; returns whether the commit waited. */
  private static boolean commitWasHeldBack(EmbeddedMariadb server, Statement application)
      throws Exception {
    try (Relay network = new Relay(server.port());
        Connection admin = server.connect()) {
      network.harmAt("BACKUP STAGE BLOCK_COMMIT", Relay.Harm.FREEZE);
      SnapshotOpening snapshots = snapshots(network.port());
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
      network.awaitHarm();
      CompletableFuture<Integer> commit =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return application.executeUpdate("INSERT INTO t VALUES (NULL)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      boolean heldBack = false;
      while (!heldBack && !commit.isDone()) {
        heldBack = isHeldBack(admin);
      }
      assertThat(commit.get()).isEqualTo(1);
      assertThat(opening).isNotDone();
      return heldBack;
    }
  }

  private static SnapshotOpening snapshots(int port) {
    return new SnapshotOpening(
        new MariadbServer(
            new Endpoint(
                MariadbConfig.TYPE, "127.0.0.1", port, "test", "root", Secret.NONE, Map.of()),
            "held"),
        place -> Optional.empty(),
        new CapturedServer());
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
