package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.status.DaemonMetric;
import dev.sluice.engine.status.DaemonMetric.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The metrics of a real task, as a scraper reads them. */
@ExtendWith(SharedBroker.class)
class MetricsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.builder().setting("track_commit_timestamp", "on").start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aTaskThatLoadsReplicatesAndHasARejectedRowExposesEveryMetricOfTheList() throws Exception {
    TaskConfig config = task("listed");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.phase()).isEqualTo("replicating");
      changeAndReject("listed", config);
      await()
          .atMost(PATIENCE)
          .until(() -> ExposedMetrics.scrape(config.http()).value("sluice_validation_tables") == 2);

      ExposedMetrics page = ExposedMetrics.scrape(config.http());
      assertThat(page.type()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
      ExposedMetrics open = ExposedMetrics.scrapeOpenMetrics(config.http());
      assertThat(open.type())
          .isEqualTo("application/openmetrics-text; version=1.0.0; charset=utf-8");
      assertThat(open.text()).endsWith("\n# EOF\n");
      for (DaemonMetric metric : DaemonMetric.all()) {
        String name = metric.name();
        String type = metric.type().name().toLowerCase(Locale.ROOT);
        assertThat(page.text())
            .contains("# HELP " + name + " " + metric.help() + "\n")
            .contains(
                "# TYPE " + name + " " + (metric.type() == Type.INFO ? "gauge" : type) + "\n");
        String base = name.replaceFirst("_(total|info)$", "");
        assertThat(open.text())
            .contains("# HELP " + base + " " + metric.help() + "\n")
            .contains("# TYPE " + base + " " + type + "\n");
        metric
            .unit()
            .ifPresent(
                unit -> assertThat(open.text()).contains("# UNIT " + base + " " + unit + "\n"));
        String sample = metric.type() == Type.HISTOGRAM ? name + "_count" : name;
        assertThat(page.series(sample)).as(name).isNotEmpty();
        assertThat(page.values().keySet())
            .filteredOn(series -> series.startsWith(sample + "{"))
            .allSatisfy(
                series ->
                    metric.labels().forEach(label -> assertThat(series).contains(label + "=\"")));
      }
    }
  }

  @Test
  void theMetricsHaveWhatWasLoadedAppliedAndRejected() throws Exception {
    TaskConfig config = task("summed");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.phase()).isEqualTo("replicating");
      changeAndReject("summed", config);
      ExposedMetrics page = ExposedMetrics.scrape(config.http());

      assertThat(page.value("sluice_load_rows_total")).isEqualTo(12);
      assertThat(page.value("sluice_load_bytes_total")).isPositive();
      assertThat(page.value("sluice_load_tables")).isEqualTo(2);
      assertThat(page.value("sluice_load_tables_done")).isEqualTo(2);
      assertThat(page.value("sluice_load_progress_ratio")).isEqualTo(1);
      assertThat(page.value("sluice_table_load_rows{table=\"public.noted\"}")).isEqualTo(10);

      assertThat(page.value("sluice_source_rows_total")).isEqualTo(104);
      assertThat(page.value("sluice_source_transactions_total")).isGreaterThanOrEqualTo(4);
      assertThat(page.value("sluice_journal_written_bytes_total")).isPositive();
      assertThat(page.value("sluice_target_rows_total")).isEqualTo(104);
      assertThat(page.value("sluice_target_conflicts_total")).isEqualTo(1);
      assertThat(page.value("sluice_table_source_rows_total{table=\"public.noted\"}"))
          .isEqualTo(103);
      assertThat(page.value("sluice_table_target_rows_total{table=\"public.other\"}")).isEqualTo(1);
      assertThat(page.value("sluice_table_conflicts_total{table=\"public.noted\"}")).isEqualTo(1);

      double windows = page.value("sluice_windows_applied_total");
      assertThat(page.sum("sluice_window_rows_sum")).isEqualTo(104);
      assertThat(page.sum("sluice_window_rows_count")).isEqualTo(windows);
      assertThat(page.sum("sluice_window_seconds_count")).isEqualTo(windows);
      assertThat(page.value("sluice_commit_to_visible_seconds_count")).isBetween(1.0, windows);
      assertThat(page.value("sluice_commit_to_visible_seconds_bucket{le=\"+Inf\"}"))
          .isEqualTo(page.value("sluice_commit_to_visible_seconds_count"));
      assertThat(page.value("sluice_stage_seconds_total{stage=\"insert\"}")).isPositive();
      assertThat(page.value("sluice_stage_seconds_total{stage=\"commit\"}")).isPositive();
      assertThat(page.sum("sluice_stage_seconds_total")).isPositive();

      assertThat(page.value("sluice_phase{phase=\"replicating\"}")).isEqualTo(1);
      assertThat(page.sum("sluice_phase")).isEqualTo(1);
      assertThat(page.sum("sluice_problem")).isZero();
      double committed =
          Double.parseDouble(
              text(
                  source,
                  "summed",
                  "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM other WHERE id ="
                      + " 3"));
      assertThat(page.value("sluice_source_last_commit_timestamp_seconds"))
          .isGreaterThanOrEqualTo(Math.floor(committed * 1000) / 1000);
      assertThat(page.value("sluice_target_last_commit_timestamp_seconds"))
          .isGreaterThanOrEqualTo(Math.floor(committed * 1000) / 1000);
    }
  }

  @Test
  void noCounterFallsWhenApplyingBeginsAgain() throws Exception {
    TaskConfig config = task("again");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.phase()).isEqualTo("replicating");
      changeAndReject("again", config);
      // Later a session of the validation may not have ended.
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  ExposedMetrics.scrape(config.http()).value("sluice_validation_sessions_total")
                      > 0);
      ExposedMetrics before = ExposedMetrics.scrape(config.http());
      assertThat(before.value("sluice_retries_total{work=\"task\"}")).isZero();

      execute(
          source,
          "again",
          "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name ="
              + " 'sluice_again'");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  ExposedMetrics.scrape(config.http()).value("sluice_retries_total{work=\"task\"}")
                      > 0);
      assertNoneFell(before, ExposedMetrics.scrape(config.http()));

      execute(source, "again", "INSERT INTO other VALUES (4)");
      await()
          .atMost(PATIENCE)
          .until(
              () -> ExposedMetrics.scrape(config.http()).value("sluice_target_rows_total") == 105);
      ExposedMetrics after = ExposedMetrics.scrape(config.http());
      assertNoneFell(before, after);
      assertThat(after.value("sluice_target_rows_total")).isEqualTo(105);
      assertThat(after.sum("sluice_window_rows_sum")).isEqualTo(105);
    }
  }

  private static void assertNoneFell(ExposedMetrics before, ExposedMetrics after) {
    for (DaemonMetric metric : DaemonMetric.all()) {
      if (metric.type() == Type.COUNTER || metric.type() == Type.HISTOGRAM) {
        String name = metric.name();
        for (Map.Entry<String, Double> series : before.values().entrySet()) {
          if (series.getKey().matches(name + "(_count|_sum|_bucket)?(\\{.*)?")) {
            assertThat(after.value(series.getKey()))
                .as(series.getKey())
                .isGreaterThanOrEqualTo(series.getValue());
          }
        }
      }
    }
  }

  /** 104 changes in four transactions, of which the target lacks the row of one. */
  private static void changeAndReject(String name, TaskConfig config) throws Exception {
    execute(target, name, "DELETE FROM noted WHERE id = 1");
    execute(source, name, "INSERT INTO noted SELECT i, 'n' FROM generate_series(11, 110) i");
    execute(source, name, "UPDATE noted SET note = 'changed' WHERE id IN (1, 2)");
    execute(source, name, "DELETE FROM noted WHERE id = 3");
    execute(source, name, "INSERT INTO other VALUES (3)");
    // A fence does not succeed once a change was rejected.
    await()
        .atMost(PATIENCE)
        .until(() -> ExposedMetrics.scrape(config.http()).value("sluice_target_rows_total") == 104);
  }

  private TaskConfig task(String name) throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    execute(
        source,
        name,
        "CREATE TABLE noted (id int PRIMARY KEY, note text);"
            + " INSERT INTO noted SELECT i, 'first' FROM generate_series(1, 10) i;"
            + " CREATE TABLE other (id int PRIMARY KEY);"
            + " INSERT INTO other VALUES (1), (2)");
    return TaskFolder.of(folder.resolve(name), name, source, target, name, "public")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ValidationSettings: {EnableValidation: true},"
                + " ErrorBehavior: {ApplyErrorUpdatePolicy: LOG_ERROR,"
                + " RecoverableErrorInterval: 0.2}}")
        .config();
  }
}
