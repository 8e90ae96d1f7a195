package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.SourceWatchStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.sink.control.fallback.SwitchStore;
import dev.sluice.sink.control.schema.Checkpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a task may not do any more once its way back has begun, or has brought everybody back. */
@ExtendWith(SharedBroker.class)
class FallbackSafetyTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String SOLD =
      "CREATE TABLE sold (id serial PRIMARY KEY, what text NOT NULL UNIQUE)";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aFallbackIsNotUndoneByTheTaskThatWasCutOver() throws Exception {
    Path switched = folder.resolve("switched");
    DdlTask task = shop("undone").withHook("true", "echo x >> " + switched, "true");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = RunningDaemon.start(task.fallback())) {
      back.awaitPhase("armed");
      await().atMost(PATIENCE).until(() -> isArmed(forward));
      Outcome moved = forward.daemon().cutover(order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
      back.awaitPhase("replicating");

      // Both sides would take writes.
      String file = task.file().toString();
      assertThat(CommandLines.run("stop", file, "--drop", "--reopen-source", "--yes")).isEqualTo(2);
      assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");

      task.onTarget("INSERT INTO sold (what) VALUES ('there')");
      task.assertRowsEqual(back);
      Outcome returned = back.daemon().cutover(order());
      assertThat(returned.success()).as(returned.toString()).isTrue();
      task.onSource("INSERT INTO sold (what) VALUES ('here again')");
      awaitLook(forward);
      awaitLook(forward);
      assertThat(forward.daemon().status().problem()).isNull();
    }
    assertThat(Files.readAllLines(switched)).hasSize(1);
    // As if it had been killed before its last steps.
    task.onTarget(
        "UPDATE sluice_control.task_step SET state = 'quiet', detail = (SELECT detail FROM"
            + " sluice_control.task_step WHERE step = 'cutover-decision') WHERE step = 'cutover'");
    try (RunningDaemon forward = RunningDaemon.start(task.config())) {
      forward.awaitPhase("cut-over");
      assertThat(Files.readAllLines(switched)).hasSize(1);
      task.onSource("INSERT INTO sold (what) VALUES ('still here')");
    }
  }

  @Test
  void aWayBackThatHasNotBegunYetIsNotForgotten() throws Exception {
    DdlTask task = shop("waiting");
    UUID cutover = UUID.randomUUID();
    TaskContext context = TaskContext.of(task.config());
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      task.assertRowsEqual(forward);
    }
    Checkpoint claimed = context.checkpoints().read(context.task()).orElseThrow();
    SwitchStore switches = placed(context, claimed, cutover);
    context
        .steps()
        .record(
            claimed,
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_QUIET,
            cutover + " " + Instant.now());
    try (TaskLock lock = TaskLock.take(context.task(), task.config().dataDir())) {
      assertThatThrownBy(() -> TaskRemoval.of(task.config()).remove(lock))
          .hasMessageContaining("its way back has not begun");
      assertThat(switches.release(claimed, cutover)).isTrue();
      assertThatThrownBy(() -> TaskRemoval.of(task.config()).remove(lock))
          .hasMessageContaining("has not ended");
      context.steps().record(claimed, TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DONE, "");
      assertThat(TaskRemoval.of(task.config()).remove(lock)).isNotEmpty();
    }
  }

  @Test
  void aSwitchThatWasNeverDecidedIsVoidThoughTheWayBackIsNotInTheFileAnyMore() throws Exception {
    DdlTask task = shop("forgotten");
    UUID never = UUID.randomUUID();
    TaskContext context = TaskContext.of(task.config());
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      task.assertRowsEqual(forward);
    }
    Checkpoint claimed = context.checkpoints().read(context.task()).orElseThrow();
    SwitchStore switches = placed(context, claimed, never);
    Files.writeString(task.file(), Files.readString(task.file()).replaceFirst("fallback:.*\n", ""));
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      assertThat(switches.open()).isEmpty();
      Outcome moved = forward.daemon().cutover(order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
      // As an earlier version has left it.
      forward.awaitPhase("cut-over");
    }
    task.onTarget("UPDATE sluice_control.fallback_switch SET state = 'placed'");
    assertThat(CommandLines.run("stop", task.file().toString(), "--drop")).isZero();
  }

  @Test
  void aHookThatLetsGoOnlyAfterTheFallbackIsNotToldThatTheApplicationsMoved() throws Exception {
    Path said = folder.resolve("said");
    Path broken = Files.createFile(folder.resolve("broken"));
    String resume = "test ! -e %s && echo $SLUICE_OUTCOME >> %s".formatted(broken, said);
    DdlTask task = shop("hooked").withHook("true", "true", resume);
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = RunningDaemon.start(task.fallback())) {
        back.awaitPhase("armed");
        await().atMost(PATIENCE).until(() -> isArmed(forward));
        assertThat(forward.daemon().cutover(order()).ending()).isEqualTo(Ending.NOT_COVERED);
        back.awaitPhase("replicating");
        task.assertRowsEqual(back);
        Outcome returned = back.daemon().cutover(order());
        assertThat(returned.success()).as(returned.toString()).isTrue();
      }
      Files.delete(broken);
      await().atMost(PATIENCE).until(() -> Files.exists(said));
      assertThat(said).content().isEqualTo("released\n");
    }
    // The same by the next start.
    task.record(TaskStepNames.HOOK + "till", TaskStepNames.HOOK_HOLDS, "by hand");
    try (RunningDaemon forward = RunningDaemon.start(task.config())) {
      forward.awaitPhase("cut-over");
    }
    assertThat(said).content().isEqualTo("released\nreleased\n");
  }

  @Test
  void aFallbackThatIsDecidedAndHasNotEndedIsNotForgotten() throws Exception {
    DdlTask task = shop("between");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = RunningDaemon.start(task.fallback())) {
      back.awaitPhase("armed");
      await().atMost(PATIENCE).until(() -> isArmed(forward));
      Outcome moved = forward.daemon().cutover(order());
      assertThat(moved.success()).as(moved.toString()).isTrue();
      back.awaitPhase("replicating");
      task.onTarget("INSERT INTO sold (what) VALUES ('there')");
      task.assertRowsEqual(back);
    }
    decideTheFallback(task);
    // Neither side takes writes.
    assertThatThrownBy(() -> task.onTarget("DELETE FROM sold")).hasMessageContaining("moved");
    assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");

    String file = task.file().toString();
    assertThat(CommandLines.run("stop", file, "--fallback", "--drop")).isEqualTo(2);
    assertThat(CommandLines.run("stop", file, "--fallback", "--drop", "--source-gone"))
        .isEqualTo(2);
    try (RunningDaemon back = RunningDaemon.start(task.fallback())) {
      back.awaitPhase("cut-over");
    }
    task.onSource("INSERT INTO sold (what) VALUES ('here again')");
    assertThat(CommandLines.run("stop", file, "--fallback", "--drop")).isZero();
    task.onSource("INSERT INTO sold (what) VALUES ('still here')");
  }

  /** As a daemon does that dies before it opens the old source. */
  private static void decideTheFallback(DdlTask task) throws Exception {
    TaskContext back = TaskContext.of(task.fallback());
    UUID cutover = UUID.randomUUID();
    try (StoppedWriters stopped =
        back.source()
            .writers()
            .orElseThrow()
            .stop(
                new WriterStop.Request(
                    cutover,
                    List.of(TableId.parse("public.item"), TableId.parse("public.sold")),
                    PATIENCE,
                    PATIENCE))) {
      stopped.prepareMove(back.movedTo());
      stopped.decide();
    }
    back.steps()
        .record(
            back.checkpoints().read(back.task()).orElseThrow(),
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_QUIET,
            cutover + " " + Instant.now());
  }

  @Test
  void aClosedSourceIsOpenedThoughTheTargetIsLost() throws Exception {
    EmbeddedPostgres target = EmbeddedPostgres.start();
    DdlTask task = DdlTask.make(folder, "lonely", SERVERS.source(), target, "");
    try {
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        Outcome moved = running.daemon().cutover(order());
        assertThat(moved.success()).as(moved.toString()).isTrue();
      }
    } finally {
      target.close();
    }
    assertThatThrownBy(() -> task.onSource("DELETE FROM item")).hasMessageContaining("moved");

    int code =
        CommandLines.run("stop", task.file().toString(), "--drop", "--reopen-source", "--yes");

    assertThat(code).isEqualTo(1);
    task.onSource("INSERT INTO item VALUES (1, 'open', 0)");
  }

  private DdlTask shop(String name) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "");
    task.withFallback("carrier_" + name);
    task.onSource("CREATE ROLE carrier_" + name + " LOGIN SUPERUSER", SOLD);
    return task;
  }

  private static boolean isArmed(RunningDaemon forward) throws InterruptedException {
    return forward.daemon().cutoverReport(order()).findings().stream()
        .anyMatch(found -> found.kind().equals("fallback"));
  }

  private static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(Duration.ofSeconds(20)), Set.of());
  }

  /** Waits until the old source was looked at once more. */
  private static void awaitLook(RunningDaemon forward) {
    Optional<Instant> before =
        Optional.ofNullable(forward.daemon().status().sourceWatch())
            .map(SourceWatchStatus::lookedAt);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                Optional.ofNullable(forward.daemon().status().sourceWatch())
                    .map(SourceWatchStatus::lookedAt)
                    .filter(at -> before.isEmpty() || at.isAfter(before.get()))
                    .isPresent());
  }

  /** The switches of a task whose cutover was about to be decided. */
  private static SwitchStore placed(TaskContext context, Checkpoint claimed, UUID cutover) {
    SwitchStore switches =
        new SwitchStore(context.target(), context.controlSchema(), context.task());
    switches.announce(claimed, cutover);
    switches.place(claimed, cutover);
    return switches;
  }
}
