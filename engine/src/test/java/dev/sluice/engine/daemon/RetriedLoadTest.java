package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.status.TaskStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A load whose first attempt has failed. */
@ExtendWith(SharedBroker.class)
class RetriedLoadTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"full-load-and-cdc", "full-load"})
  void theStatusSaysNothingOfTheFailureOnceTheNextAttemptLoads(String type) throws Exception {
    String name = type.replace('-', '_');
    TaskConfig config = task(name, type);
    try (RunningDaemon running = RunningDaemon.start(config)) {
      awaitLoading(running);
      await("a session that writes")
          .atMost(PATIENCE)
          .until(
              () ->
                  !text(
                          SERVERS.target(),
                          name,
                          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                              + " WHERE datname = current_database() AND query LIKE 'COPY%STDIN%'")
                      .equals("0"));
      await("a retry")
          .atMost(PATIENCE)
          .until(() -> String.valueOf(running.daemon().status().problem()).contains("next try at"));

      await("the next attempt loads, and nothing is said of the first")
          .atMost(PATIENCE)
          .until(
              () -> {
                TaskStatus status = running.daemon().status();
                return isLoading(status) && status.problem() == null;
              });
      assertThat(running.daemon().scrape().measured().problems()).isEmpty();
      running.daemon().tune(Map.of("LoadRowsPerSecond", "0"));
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(SERVERS.target(), name, "SELECT count(*) FROM many")).isEqualTo("20000");
    }
  }

  private static void awaitLoading(RunningDaemon running) {
    await("rows are loaded").atMost(PATIENCE).until(() -> isLoading(running.daemon().status()));
  }

  /** Rows arrive; at the task's rate the last one is minutes away. */
  private static boolean isLoading(TaskStatus status) {
    return status.phase().equals("full-load")
        && status.throughput().throttled()
        && status.tables().stream()
            .anyMatch(table -> table.fullLoad() != null && table.fullLoad().rows() > 0);
  }

  private TaskConfig task(String name, String type) throws Exception {
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    execute(
        SERVERS.source(),
        name,
        "CREATE TABLE many (id int PRIMARY KEY, words text);"
            + " INSERT INTO many SELECT i, repeat('word ', 400) FROM generate_series(1, 20000) i;"
            + " ANALYZE many");
    return TaskFolder.of(
            folder.resolve(name), name, SERVERS.source(), SERVERS.target(), name, "public")
        .replacing("full-load-and-cdc", type)
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " Sluice: {LoadRowsPerSecond: 50},"
                + " ErrorBehavior: {RecoverableErrorInterval: 2}}")
        .config();
  }
}
