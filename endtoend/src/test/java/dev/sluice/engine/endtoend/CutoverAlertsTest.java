package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.monitoring.PrometheusProgram;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real faults around a cutover with a way back fire the alerts that users load into Prometheus.
 * Only the times in the rules are shortened. Skipped where Prometheus is not installed.
 */
class CutoverAlertsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  private PrometheusProcess prometheus;

  @BeforeAll
  static void required() {
    PrometheusProgram.required("prometheus");
  }

  @Test
  void aWayBackThatDoesNotWorkAndOneThatFillsTheLogOfTheNewSide(@TempDir Path folder)
      throws Exception {
    Path task = task(folder, "returning", "{FallbackLogLimit: 64}").fallback("carrier").write();
    try (DaemonProcess forward = DaemonProcess.run(task)) {
      // Not before: the first load makes the tables of the new side.
      forward.awaitPhase("replicating");
      try (DaemonProcess back = DaemonProcess.runFallback(task);
          PrometheusProcess started = prometheus(folder, forward)) {
        prometheus = started;
        awaitArmed(task);
        cutOver(task, forward);
        back.awaitPhase("replicating");

        prometheus.awaitOver("SluiceWayBackDown");
        back.kill();
        prometheus.awaitFiring("SluiceWayBackDown");

        assertQuiet("SluiceWayBackLogFills");
        fillTheLogOfTheNewSide("returning");
        prometheus.awaitFiring("SluiceWayBackLogFills");
      }
    }
  }

  @Test
  void changesOnTheSourceAfterTheCutover(@TempDir Path folder) throws Exception {
    Path task = task(folder, "written", "{ErrorProfile: stop}").write();
    try (DaemonProcess forward = DaemonProcess.run(task)) {
      forward.awaitPhase("replicating");
      try (PrometheusProcess started = prometheus(folder, forward)) {
        prometheus = started;
        cutOver(task, forward);
        assertQuiet("SluiceSourceWritten");
        writeToTheSource("written");
        prometheus.awaitFiring("SluiceSourceWritten");
      }
    }
  }

  private static PrometheusProcess prometheus(Path folder, DaemonProcess daemon) throws Exception {
    return PrometheusProcess.start(folder, daemon.address(), ShortenedRules.write(folder));
  }

  private static void cutOver(Path task, DaemonProcess daemon) {
    DaemonProcess.Finished cutover =
        DaemonProcess.commandHere(
            "cutover", task.toString(), "--budget", "60", "--accept", "not-proven");
    assertThat(cutover.exitCode()).as(cutover.output()).isZero();
    daemon.awaitPhase("cut-over");
  }

  /** Its owner opens the table. */
  private static void writeToTheSource(String database) throws Exception {
    execute(
        SERVERS.source(),
        database,
        "SET sluice_moved.ddl = 'allowed'; ALTER TABLE shop.item DISABLE TRIGGER ALL;"
            + " INSERT INTO shop.item VALUES (2);"
            + " ALTER TABLE shop.item ENABLE ALWAYS TRIGGER \"!sluice_moved\"");
  }

  /** About 45 MB, of 64 that it may keep. */
  private static void fillTheLogOfTheNewSide(String database) throws Exception {
    execute(
        SERVERS.target(),
        database,
        "SELECT count(pg_logical_emit_message(false, 'till', repeat(md5(i::text), 30000)))"
            + " FROM generate_series(1, 47) i");
  }

  private void assertQuiet(String alert) throws Exception {
    assertThat(prometheus.wasActive(alert)).as("%s before its fault", alert).isFalse();
  }

  private static void awaitArmed(Path task) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !DaemonProcess.commandHere("cutover", task.toString(), "--dry-run")
                    .output()
                    .contains("fallback-not-armed"));
  }

  private static TaskFolder task(Path folder, String name, String settings) throws Exception {
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    execute(
        SERVERS.source(),
        name,
        "DO $$BEGIN CREATE ROLE carrier LOGIN SUPERUSER; EXCEPTION WHEN duplicate_object THEN END$$;"
            + " CREATE SCHEMA shop; CREATE TABLE shop.item (id int PRIMARY KEY);"
            + " INSERT INTO shop.item VALUES (1)");
    return TaskFolder.of(folder, name, SERVERS.source(), SERVERS.target(), name, "shop")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}, Sluice: "
                + settings
                + "}");
  }
}
