package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.monitoring.AlertRules;
import dev.sluice.monitoring.AlertRules.Alert;
import dev.sluice.monitoring.Board;
import dev.sluice.monitoring.Expression;
import dev.sluice.monitoring.Expression.Selector;
import dev.sluice.monitoring.PrometheusProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real faults of a task fire the alerts that users load into Prometheus, and nothing fires them
 * before. Only the times in the rules are shortened. Skipped where Prometheus is not installed.
 */
class PrometheusAlertsTest {
  private static final Path ROOT = Path.of("..");
  private static final String DATABASE = "watched";

  private static final int SEGMENTS = 14;
  private static final String SEGMENTS_LIMIT = "256MB";

  private PrometheusProcess prometheus;

  @Test
  void eachFaultFiresItsAlertAndNothingFiresItBefore(@TempDir Path folder) throws Exception {
    PrometheusProgram.required("prometheus");
    EmbeddedPostgres.Builder targetServer =
        EmbeddedPostgres.builder().directory(folder.resolve("target"));
    EmbeddedPostgres target = targetServer.start();
    try (EmbeddedPostgres source =
        EmbeddedPostgres.builder().setting("max_slot_wal_keep_size", SEGMENTS_LIMIT).start()) {
      create(source);
      target.createDatabase(DATABASE);
      Path task = task(folder, source, target);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        awaitReady(daemon);
        try (PrometheusProcess started =
            PrometheusProcess.start(folder, daemon.address(), ShortenedRules.write(folder))) {
          prometheus = started;
          awaitEverySeries();
          assertEveryRuleIsEvaluated();

          // One table is too large for its kind; the others are read soon after the load.
          prometheus.awaitAnswer(neverProven("shop.ledger"));
          prometheus.awaitAnswer("absent(" + neverProven("shop.item") + ")");

          assertQuiet("SluiceChangesRejected");
          execute(target, DATABASE, "DELETE FROM shop.item WHERE id = 7");
          execute(source, DATABASE, "UPDATE shop.item SET name = 'new' WHERE id = 7");
          prometheus.awaitFiring("SluiceChangesRejected");

          assertQuiet("SluiceRejectedRowsDiffer");
          assertThat(DaemonProcess.commandHere("validate", task.toString()).exitCode())
              .isEqualTo(1);
          prometheus.awaitFiring("SluiceRejectedRowsDiffer");
          assertQuiet("SluiceRowsDiffer");

          assertQuiet("SluiceNotReady");
          assertQuiet("SluiceTargetBehind");
          assertQuiet("SluiceSlowToTarget");
          assertQuiet("SluiceKafkaDiskFills");
          target.close();
          for (int i = 0; i < 5; i++) {
            insert(source, 1000);
          }
          prometheus.awaitFiring("SluiceKafkaDiskFills");
          prometheus.awaitFiring("SluiceNotReady");
          prometheus.awaitFiring("SluiceProblem");
          prometheus.awaitFiring("SluiceTargetBehind");
          target = targetServer.port(target.port()).start();
          awaitReady(daemon);
          prometheus.awaitFiring("SluiceSlowToTarget");
          prometheus.awaitOver("SluiceNotReady");

          assertQuiet("SluiceSwapFull");
          insert(source, 20_000);
          prometheus.awaitFiring("SluiceSwapFull");
          tune(task, "SwapLimit=1024");
          daemon.awaitAllAppliedButNamed();
          prometheus.awaitOver("SluiceSwapFull");

          stallTheCapture(source, task);

          assertQuiet("SluiceForeignMessages");
          execute(
              source,
              DATABASE,
              "SELECT pg_logical_emit_message(true, 'sluice." + DATABASE + ".fence', 'of others')");
          prometheus.awaitFiring("SluiceForeignMessages");

          assertQuiet("SluiceRowsDiffer");
          execute(target, DATABASE, "DELETE FROM shop.item WHERE id = 9");
          assertThat(DaemonProcess.commandHere("validate", task.toString()).exitCode())
              .isEqualTo(1);
          prometheus.awaitFiring("SluiceRowsDiffer");

          assertQuiet("SluiceTableSuspended");
          execute(target, DATABASE, "DROP TABLE shop.shelf");
          execute(source, DATABASE, "INSERT INTO shop.shelf VALUES (2)");
          prometheus.awaitFiring("SluiceTableSuspended");

          // Before, a scrape may have taken too long on a loaded machine.
          prometheus.awaitOver("SluiceNotScraped");
          assertQuiet("SluiceRestarts");
          daemon.kill();
          prometheus.awaitFiring("SluiceNotScraped");
          for (int i = 0; i < 3; i++) {
            restart(task);
          }
          prometheus.awaitFiring("SluiceRestarts");
        }
      }
    } finally {
      target.close();
    }
  }

  /** Starts the daemon, and kills it when it was scraped. */
  private void restart(Path task) throws Exception {
    try (DaemonProcess again = DaemonProcess.run(task)) {
      prometheus.awaitOver("SluiceNotScraped");
      again.kill();
    }
    prometheus.awaitFiring("SluiceNotScraped");
  }

  /** The server's process that sends the log stands still, and its connection stays open. */
  private void stallTheCapture(EmbeddedPostgres source, Path task) throws Exception {
    assertQuiet("SluiceCaptureStalled");
    // It reads every table, and finds the row of the rejected change.
    assertThat(DaemonProcess.commandHere("validate", task.toString()).exitCode()).isEqualTo(1);
    prometheus.awaitOver("SluiceProofTooOld");
    String sender =
        text(source, DATABASE, "SELECT active_pid FROM pg_replication_slots WHERE NOT temporary");
    signal(sender, "STOP");
    try {
      insert(source, 1);
      prometheus.awaitFiring("SluiceCaptureStalled");
      // Nothing can be compared while nothing is captured.
      prometheus.awaitFiring("SluiceProofTooOld");

      assertQuiet("SluiceSlotAtRisk");
      for (int i = 0; i < SEGMENTS; i++) {
        insert(source, 1);
        execute(source, DATABASE, "SELECT pg_switch_wal()");
      }
      prometheus.awaitFiring("SluiceSlotAtRisk");
      // At this rate; the large transaction before may have fired it already.
      prometheus.awaitFiring("SluiceSourceLogFills");
    } finally {
      signal(sender, "CONT");
    }
    prometheus.awaitOver("SluiceCaptureStalled");
    prometheus.awaitOver("SluiceSlotAtRisk");
  }

  private static String neverProven(String table) {
    return "ALERTS{alertname=\"SluiceNeverProven\",alertstate=\"firing\",table=\"" + table + "\"}";
  }

  /** Every series that rules and board name is one that a daemon has. */
  private void awaitEverySeries() throws Exception {
    Set<String> series =
        Stream.concat(
                AlertRules.read(ROOT).stream().map(Alert::expression),
                Board.read(ROOT).expressions(DATABASE).stream())
            .flatMap(text -> Expression.of(text).selectors().stream())
            .map(Selector::text)
            .collect(Collectors.toSet());
    assertThat(series).hasSizeGreaterThan(40);
    prometheus.awaitAnswers(series);
  }

  private void assertEveryRuleIsEvaluated() throws Exception {
    JsonNode rules = prometheus.rules();
    assertThat(rules).hasSameSizeAs(AlertRules.read(ROOT));
    assertThat(rules)
        .allSatisfy(
            rule -> assertThat(rule.path("health").asText()).as("%s", rule).isEqualTo("ok"));
  }

  private void assertQuiet(String alert) throws Exception {
    assertThat(prometheus.wasActive(alert)).as("%s before its fault", alert).isFalse();
  }

  private static void awaitReady(DaemonProcess daemon) {
    await().atMost(Duration.ofMinutes(5)).until(() -> daemon.answerOf("/ready") == 200);
  }

  private static void create(EmbeddedPostgres source) throws Exception {
    source.createDatabase(DATABASE);
    execute(
        source,
        DATABASE,
        "CREATE SCHEMA shop; CREATE TABLE shop.item (id serial PRIMARY KEY, name text);"
            + " CREATE TABLE shop.shelf (id int PRIMARY KEY); INSERT INTO shop.shelf VALUES (1);"
            + " CREATE TABLE shop.ledger (line text); INSERT INTO shop.ledger VALUES ('a line');"
            + " ANALYZE shop.ledger");
    insert(source, 100);
  }

  /** Rows that do not compress to nothing, in one transaction. */
  private static void insert(EmbeddedPostgres source, int rows) throws Exception {
    execute(
        source,
        DATABASE,
        "INSERT INTO shop.item (name) SELECT (SELECT string_agg(md5(random()::text || g || part), '')"
            + " FROM generate_series(1, 10) part) FROM generate_series(1, "
            + rows
            + ") g");
  }

  private static void tune(Path task, String setting) {
    DaemonProcess.Finished tuned = DaemonProcess.commandHere("tune", task.toString(), setting);
    assertThat(tuned.exitCode()).as(tuned.output()).isZero();
  }

  private static void signal(String process, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, process).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  private static Path task(Path folder, EmbeddedPostgres source, EmbeddedPostgres target)
      throws Exception {
    return TaskFolder.of(folder, DATABASE, source, target, DATABASE, "shop")
        .replacing("source:\n", "source:\n  replica-identity-full: true\n")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1, MemoryLimitTotal: 1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2, RecoverableErrorThrottlingMax: 1,"
                + " RecoverableErrorStopRetryAfterThrottlingMax: false},"
                + " ValidationSettings: {EnableValidation: true},"
                + " Sluice: {ErrorProfile: dms-defaults, SwapLimit: 1, JournalLimit: 256,"
                + " ValidationUnkeyedTableLimit: 0}}")
        .write();
  }
}
