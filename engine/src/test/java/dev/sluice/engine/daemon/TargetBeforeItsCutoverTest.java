package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.UnknownCutovers;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A target that was set back to before its cutover, and that applications wrote to since. */
@ExtendWith(SharedBroker.class)
class TargetBeforeItsCutoverTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void neitherAStartNorAResyncTouchesWhatTheApplicationsWrote() throws Exception {
    DdlTask task = shop("restored");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.assertRowsEqual(running);
    }
    onTargetServer(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'restored'",
        "CREATE DATABASE kept TEMPLATE restored");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Outcome moved = running.daemon().cutover(WayBackTask.order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
    }
    onTargetServer("DROP DATABASE restored WITH (FORCE)", "ALTER DATABASE kept RENAME TO restored");
    task.onTarget(
        "UPDATE item SET name = 'sold' WHERE id = 1", "INSERT INTO item VALUES (7, 'new', 1)");

    assertRefused(task);
    String file = task.file().toString();
    assertThat(CommandLines.run("resync", file, "--delete-extra")).isEqualTo(2);
    assertRefused(task);
    // Without any record of the task it would load, and drop the tables.
    task.onTarget("DROP SCHEMA sluice_control CASCADE");
    assertRefused(task);

    assertThat(task.target("SELECT string_agg(name, ' ' ORDER BY id) FROM item"))
        .isEqualTo("sold new");
  }

  @Test
  void aCutoverToAnotherTargetConcernsNobodyElse() throws Exception {
    DdlTask task = shop("elsewhere");
    decide(task, UUID.randomUUID(), "another server");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.assertRowsEqual(running);
    }
  }

  /** An attempt that began before the decision asks the source after it. */
  @Test
  void aDecisionThatTheTargetWasToldOfIsNotUnknown() throws Exception {
    DdlTask task = shop("told");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.assertRowsEqual(running);
    }
    UUID cutover = UUID.randomUUID();
    TaskContext context = TaskContext.of(task.config());
    decide(task, cutover, context.movedTo());
    assertThat(UnknownCutovers.problems(context)).hasSize(1);
    context
        .steps()
        .record(
            WayBackTask.claim(task),
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_DECIDING,
            cutover + " " + Instant.now());
    assertThat(UnknownCutovers.problems(context)).isEmpty();
  }

  private static void decide(DdlTask task, UUID cutover, String movedTo) throws Exception {
    WriterStop writers = TaskContext.of(task.config()).source().writers().orElseThrow();
    try (StoppedWriters stopped =
        writers.stop(
            new WriterStop.Request(
                cutover,
                List.of(TableId.parse("public.item")),
                WayBackTask.BUDGET,
                WayBackTask.BUDGET))) {
      stopped.prepareMove(movedTo);
      stopped.decide();
    }
  }

  private DdlTask shop(String name) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "");
    task.onSource("INSERT INTO item VALUES (1, 'here', 1)");
    return task;
  }

  private static void assertRefused(DdlTask task) {
    RunningDaemon running = RunningDaemon.start(task.config());
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("the target does not know of it")
        .hasMessageContaining("--reopen-source");
  }

  private static void onTargetServer(String... statements) throws Exception {
    try (Connection connection = SERVERS.target().connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
