package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.TwoServers;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The way back is armed before the cutover, begins at its position, and brings everybody back. */
class FallbackTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration BUDGET = Duration.ofSeconds(20);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void theOldSourceFollowsTheNewSideUntilTheApplicationsComeBack() throws Exception {
    DdlTask task = shop("back");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      assertThat(forward.daemon().cutover(order()).details())
          .anyMatch(line -> line.contains("fallback-not-armed"));
      assertThat(forward.phase()).isEqualTo("replicating");
      try (RunningDaemon back = armed(task, forward)) {
        task.onSource(
            "INSERT INTO sold (what) SELECT 'before ' || i FROM generate_series(1, 500) i",
            "CREATE TABLE later (id int PRIMARY KEY, what text)",
            "ALTER TABLE item ADD COLUMN note text",
            "INSERT INTO later VALUES (1, 'on the source')");
        task.assertEqual(forward);
        awaitCovered(forward);
        Outcome moved = forward.daemon().cutover(order());
        assertThat(moved.success()).as(moved.toString()).isTrue();
        assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
        long appliedThere = forward.daemon().status().target().changes();

        back.awaitPhase("replicating");
        task.onTarget(
            "INSERT INTO sold (what) SELECT 'after ' || i FROM generate_series(1, 300) i",
            "UPDATE item SET price = price + 1, note = 'new side' WHERE id <= 10",
            "DELETE FROM item WHERE id = 100",
            "ALTER TABLE item ADD COLUMN colour text DEFAULT 'red'",
            "INSERT INTO later VALUES (2, 'on the new side')",
            "CREATE TABLE newest (id int PRIMARY KEY)",
            "INSERT INTO newest VALUES (1), (2)");
        equalBothWays(task, back);
        assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
        assertThat(forward.daemon().status().target().changes()).isEqualTo(appliedThere);
        assertThat(back.daemon().status().target().changes()).isBetween(315L, 325L);
        assertThat(
                task.source(
                    "SELECT count(*) FROM pg_replication_slots WHERE slot_name ="
                        + " 'sluice_back'"))
            .isEqualTo("0");
        assertThat(forward.daemon().status().problem()).isNull();

        Outcome returned = back.daemon().cutover(order());
        assertThat(returned.success()).as(returned.toString()).isTrue();
        assertThat(back.phase()).isEqualTo("cut-over");
        task.onSource("INSERT INTO sold (what) VALUES ('back again')");
        assertThatThrownBy(() -> task.onTarget("INSERT INTO sold (what) VALUES ('no')"))
            .hasMessageContaining("moved");
        assertThat(Integer.parseInt(task.source("SELECT id FROM sold WHERE what = 'back again'")))
            .isGreaterThan(800);
      }
    }
  }

  private static void equalBothWays(DdlTask task, RunningDaemon back) throws Exception {
    task.assertEqual(back);
  }

  private DdlTask shop(String name) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "");
    task.withFallback("carrier_" + name);
    task.onSource(
        "CREATE ROLE carrier_" + name + " LOGIN SUPERUSER",
        "INSERT INTO item SELECT i, 'n', 0 FROM generate_series(1, 100) i",
        "CREATE TABLE sold (id serial PRIMARY KEY, what text NOT NULL UNIQUE)");
    return task;
  }

  /** The daemon of the way back, in phase armed. */
  private static RunningDaemon armed(DdlTask task, RunningDaemon forward) throws Exception {
    RunningDaemon back = RunningDaemon.start(task.fallback());
    try {
      back.awaitPhase("armed");
      awaitCovered(forward);
      return back;
    } catch (RuntimeException | Error e) {
      back.daemon().stop(false);
      throw e;
    }
  }

  private static void awaitCovered(RunningDaemon forward) {
    await("the way back covers all tables")
        .atMost(PATIENCE)
        .until(() -> finding(forward, "fallback").isPresent());
  }

  private static Optional<Finding> finding(RunningDaemon running, String kind)
      throws InterruptedException {
    CutoverReport report = running.daemon().cutoverReport(order());
    return report.findings().stream().filter(found -> found.kind().equals(kind)).findFirst();
  }

  private static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of());
  }
}
