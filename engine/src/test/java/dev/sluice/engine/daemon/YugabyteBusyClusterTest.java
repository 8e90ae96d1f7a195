package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.strict.MeasuredServer;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.engine.SentToYugabyte;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A load of a cluster that says how busy its servers are. */
@ExtendWith(SharedBroker.class)
@Timeout(900)
class YugabyteBusyClusterTest {
  private static final int TABLES = 12;
  private static final int ROWS = 200;
  private static final String NUMBER = "FullLoadSettings.MaxFullLoadSubTasks";

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  private StrictProxy proxy;

  @BeforeEach
  void start() throws Exception {
    proxy = SERVERS.another();
  }

  @AfterEach
  void stop() throws Exception {
    proxy.close();
    SentToYugabyte.requireListed(proxy);
  }

  @Test
  void aLoadAsksWhileItRunsAndEndsEqualOnServersThatLackMemoryOrDoNotAnswer() throws Exception {
    create("busy");
    proxy.measure(
        List.of(MeasuredServer.aboveItsMemory(proxy.port()), MeasuredServer.notAnswering(1)));
    proxy.beforeEach(
        "copy",
        () -> await("the servers are asked").atMost(Duration.ofMinutes(5)).until(this::isAsked));
    try (RunningDaemon running = RunningDaemon.replicating(task("busy", "").config())) {
      assertThat(running.daemon().status().settings().inEffect().get(NUMBER).value())
          .contains(
              "4 for each server of the cluster, at most 8, fewer while its servers are busy");
      running.awaitApplied();
      requireEqual("busy");
    }
  }

  @Test
  void aNumberOfTheTaskFileStays() throws Exception {
    create("fixed");
    proxy.measure(List.of(MeasuredServer.aboveItsMemory(proxy.port())));
    try (RunningDaemon running =
        RunningDaemon.replicating(task("fixed", ", MaxFullLoadSubTasks: 4").config())) {
      assertThat(running.daemon().status().settings().inEffect().get(NUMBER).value())
          .isEqualTo("4 segments");
      running.awaitApplied();
      requireEqual("fixed");
    }
    assertThat(isAsked()).isFalse();
  }

  private boolean isAsked() {
    return proxy.statements().stream().anyMatch(sql -> sql.contains("yb_servers_metrics()"));
  }

  private static void create(String database) throws SQLException {
    SERVERS.createDatabase(database);
    List<String> statements = new ArrayList<>(List.of("CREATE SCHEMA shop"));
    for (int table = 1; table <= TABLES; table++) {
      statements.add("CREATE TABLE shop.item%d (id int PRIMARY KEY, name text)".formatted(table));
    }
    SERVERS.onTarget(database, statements.toArray(String[]::new));
    for (int table = 1; table <= TABLES; table++) {
      statements.add(
          "INSERT INTO shop.item%d SELECT i, 'n' || i FROM generate_series(1, %d) i"
              .formatted(table, ROWS));
    }
    SERVERS.onSource(database, statements.toArray(String[]::new));
  }

  private static void requireEqual(String database) throws SQLException {
    for (int table = 1; table <= TABLES; table++) {
      String rows = "SELECT i::text FROM shop.item%d i ORDER BY id".formatted(table);
      assertThat(SERVERS.onTarget(database, rows))
          .hasSize(ROWS)
          .isEqualTo(SERVERS.onSource(database, rows));
    }
  }

  private TaskFolder task(String database, String loadSettings) throws Exception {
    return SERVERS
        .task(folder.resolve(database), database)
        .target(
            "yugabytedb", "yugabytedb://postgres@127.0.0.1:%d/%s".formatted(proxy.port(), database))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DO_NOTHING%s},".formatted(loadSettings)
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.1,"
                + " RecoverableErrorThrottling: false}}");
  }
}
