package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.sink.control.fallback.SwitchStore;
import dev.sluice.sink.control.schema.Checkpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A task with a way back, and what tests ask of both. */
final class WayBackTask {
  static final Duration PATIENCE = Duration.ofMinutes(3);
  static final Duration BUDGET = Duration.ofSeconds(20);

  private WayBackTask() {}

  /** With a superuser as the role of the way back, and the tables item and sold. */
  static DdlTask shop(Path folder, TwoServers servers, String name) throws Exception {
    DdlTask task = DdlTask.make(folder, name, servers.source(), servers.target(), "");
    task.withFallback("carrier_" + name);
    task.onSource(
        "CREATE ROLE carrier_" + name + " LOGIN SUPERUSER",
        "INSERT INTO item SELECT i, 'n', 0 FROM generate_series(1, 100) i",
        "CREATE TABLE sold (id serial PRIMARY KEY, what text NOT NULL UNIQUE)");
    return task;
  }

  /** The daemon of the way back, in phase armed. */
  static RunningDaemon armed(DdlTask task, RunningDaemon forward) throws Exception {
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

  /** The daemon of a way back that has begun; the task is cut over, and its daemon has ended. */
  static RunningDaemon begun(DdlTask task) throws Exception {
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      RunningDaemon back = armed(task, forward);
      try {
        cutOver(forward, back);
        return back;
      } catch (RuntimeException | Error e) {
        back.daemon().stop(false);
        throw e;
      }
    }
  }

  /** Moves the applications to the new side, and waits until the way back has begun. */
  static void cutOver(RunningDaemon forward, RunningDaemon back) throws InterruptedException {
    Outcome moved = forward.daemon().cutover(order());
    assertThat(moved.success()).as(moved.toString()).isTrue();
    back.awaitPhase("replicating");
  }

  static void awaitCovered(RunningDaemon forward) {
    await("the way back covers all tables")
        .atMost(PATIENCE)
        .until(() -> finding(forward, "fallback").isPresent());
  }

  static Optional<Finding> finding(RunningDaemon running, String kind) throws InterruptedException {
    CutoverReport report = running.daemon().cutoverReport(order());
    return report.findings().stream().filter(found -> found.kind().equals(kind)).findFirst();
  }

  static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of());
  }

  static SwitchStore switches(DdlTask task) {
    TaskContext context = TaskContext.of(task.config());
    return new SwitchStore(context.target(), context.controlSchema(), context.task());
  }

  static Checkpoint claim(DdlTask task) {
    TaskContext context = TaskContext.of(task.config());
    return context.checkpoints().read(context.task()).orElseThrow();
  }
}
