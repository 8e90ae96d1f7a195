package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.strict.ListedServer;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.engine.SentToYugabyte;
import dev.sluice.engine.SharedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A whole task on a cluster of two servers, of which one is preferred. */
@ExtendWith(SharedBroker.class)
@Timeout(900)
class YugabyteClusterTest {
  private static final String NEAR = "aws.eu.eu-a";
  private static final String FAR = "aws.us.us-a";

  private static final String[] TABLES = {
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.item (id int PRIMARY KEY, name text)",
    "CREATE TABLE shop.line (id int PRIMARY KEY, item int)"
  };

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  @Test
  void aTaskRunsOnThePreferredServerAndGoesOnOnTheOtherOneWhenThatEnds() throws Exception {
    SERVERS.createDatabase("shop");
    SERVERS.onSource("shop", TABLES);
    SERVERS.onSource("shop", "INSERT INTO shop.item VALUES (1, 'loaded')");
    SERVERS.onTarget("shop", TABLES);
    StrictProxy far = SERVERS.proxy();
    StrictProxy near = SERVERS.another();
    List<ListedServer> cluster =
        List.of(ListedServer.primary(far.port(), FAR), ListedServer.primary(near.port(), NEAR));
    far.list(cluster);
    near.list(cluster);
    try (RunningDaemon running = RunningDaemon.replicating(config(far))) {
      await("the session that has asked for the servers has ended")
          .atMost(Duration.ofMinutes(5))
          .until(() -> far.connections() == 0);
      assertThat(near.connections()).isPositive();
      SERVERS.onSource("shop", "INSERT INTO shop.item VALUES (2, 'near')");
      running.awaitApplied();
      near.close();
      SERVERS.onSource(
          "shop", "INSERT INTO shop.item VALUES (3, 'far')", "INSERT INTO shop.line VALUES (1, 3)");
      running.awaitApplied();
      assertThat(SERVERS.onTarget("shop", "SELECT name FROM shop.item ORDER BY id"))
          .containsExactly("loaded", "near", "far");
      assertThat(SERVERS.onTarget("shop", "SELECT item FROM shop.line")).containsExactly("3");
      assertThat(far.connections()).isPositive();
      running.daemon().stop(true);
      running.awaitEnd();
    } finally {
      near.close();
    }
    SentToYugabyte.requireListed(near);
  }

  private TaskConfig config(StrictProxy asked) throws Exception {
    return SERVERS
        .task(folder, "shop")
        .target(
            "yugabytedb",
            "yugabytedb://postgres@127.0.0.1:%d/shop?load-balance=true&topology-keys=%s:1"
                .formatted(asked.port(), NEAR))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DO_NOTHING},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.1,"
                + " RecoverableErrorThrottling: false}}")
        .config();
  }
}
