package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** No row is repaired any more once applications may write to the target. */
@ExtendWith(SharedBroker.class)
class RepairsAndCutoverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration BUDGET = Duration.ofSeconds(20);
  private static final List<TableId> ITEM = List.of(TableId.parse("public.item"));

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void whatApplicationsWriteAfterTheDecisionIsNotRepairedOnRequest() throws Exception {
    DdlTask task = heldAfterTheDecision("requested", "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      CompletableFuture<Outcome> cutover = async(() -> running.daemon().cutover(order()));
      awaitFile("resuming", cutover);
      writeToTheTarget(task);

      Outcome resync = running.daemon().resync(ITEM, true);
      assertThat(resync.success()).as(resync.toString()).isFalse();
      assertThat(resync.message()).contains("cutover");
      Outcome repair = running.daemon().repair(List.of(), true);
      assertThat(repair.success()).as(repair.toString()).isFalse();
      assertThat(repair.message()).contains("cutover");

      assertWrittenRowsAreThere(task);
      Files.delete(folder.resolve("hold"));
      assertThat(join(cutover).success()).as(join(cutover).toString()).isTrue();
      assertWrittenRowsAreThere(task);
    }
  }

  @Test
  void whatApplicationsWriteAfterTheDecisionIsNotRepairedByTheSettings() throws Exception {
    DdlTask task =
        heldAfterTheDecision(
            "policy",
            "ValidationSettings: { EnableValidation: true }\n"
                + "  Sluice: { ValidationRepair: repair-and-delete-extra }");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await("every row is proven equal")
          .atMost(PATIENCE)
          .until(
              () ->
                  running.daemon().cutoverReport(order()).findings().stream()
                      .noneMatch(finding -> finding.kind().equals("not-proven")));
      CompletableFuture<Outcome> cutover = async(() -> running.daemon().cutover(order()));
      awaitFile("resuming", cutover);
      writeToTheTarget(task);

      // A pass would find these rows, and the settings would repair them.
      Outcome validated = running.daemon().validate(ITEM, Optional.empty());
      assertThat(validated.success()).as(validated.toString()).isFalse();

      assertWrittenRowsAreThere(task);
      Files.delete(folder.resolve("hold"));
      assertThat(join(cutover).success()).as(join(cutover).toString()).isTrue();
      assertWrittenRowsAreThere(task);
    }
  }

  @Test
  void noRowIsRepairedWhileTheTargetHasTheNoteThatTheSourceMayDecide() throws Exception {
    DdlTask task = shop("noted", "ValidationSettings: { EnableValidation: true }");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    task.onTarget(
        "DELETE FROM sluice_control.validation_journal",
        "UPDATE item SET name = 'wrong' WHERE id = 5");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> running.daemon().status().validation().failed() == 1);
      task.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, "");

      Outcome refused = running.daemon().repair(ITEM, false);
      assertThat(refused.success()).as(refused.toString()).isFalse();
      assertThat(refused.details()).singleElement().asString().contains("cut over");
      assertThat(task.target("SELECT name FROM item WHERE id = 5")).isEqualTo("wrong");

      task.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_FAILED, "");
      Outcome repaired = running.daemon().repair(ITEM, false);
      assertThat(repaired.success()).as(repaired.toString()).isTrue();
      task.assertRowsEqual(running);
    }
  }

  @Test
  void noResyncIsRequestedWhileOnlyTheSourceKnowsWhatWasDecided() throws Exception {
    DdlTask task = shop("asked", "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    task.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, "");
    try (TaskLock lock = TaskLock.take("asked", task.config().dataDir())) {
      assertThatThrownBy(() -> ResyncRequest.of(task.config()).make(lock, true))
          .hasMessageContaining("only the source knows");
      task.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_FAILED, "");
      ResyncRequest.of(task.config()).make(lock, true);
    }
  }

  @Test
  void noCutoverBeginsBesideACommandThatRepairs() throws Exception {
    DdlTask task = shop("beside", "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      CompletableFuture<Outcome> resync;
      try (Connection blocker = SERVERS.target().connect("beside")) {
        // No row of it can be read.
        Sql.execute(blocker, "BEGIN; LOCK TABLE item");
        resync = async(() -> running.daemon().resync(ITEM, true));
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    resync.isDone()
                        || running.daemon().cutoverReport(order()).toString().contains("single"));
        Outcome refused = running.daemon().cutover(order());
        assertThat(refused.success()).as(refused.toString()).isFalse();
        assertThat(refused.toString()).contains("a command for single tables is running");
        assertThat(running.phase()).isEqualTo("replicating");
        Sql.execute(blocker, "ROLLBACK");
      }
      assertThat(join(resync).success()).as(join(resync).toString()).isTrue();
      assertThat(running.daemon().cutover(order()).success()).isTrue();
    }
  }

  @Test
  void aCutoverThatIsGivenUpLetsRowsBeRepairedAgain() throws Exception {
    Path broken = Files.createFile(folder.resolve("broken"));
    DdlTask task = shop("given", "").withHook("test ! -e " + broken, "true", "true");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(running.daemon().cutover(order()).success()).isFalse();
      task.onTarget("UPDATE item SET name = 'wrong' WHERE id = 5");
      Outcome resync = running.daemon().resync(ITEM, true);
      assertThat(resync.success()).as(resync.toString()).isTrue();
      task.assertRowsEqual(running);
    }
  }

  /** Its hook says that the applications go on at the target, and does not end before it may. */
  private DdlTask heldAfterTheDecision(String name, String settings) throws Exception {
    Path hold = Files.createFile(folder.resolve("hold"));
    DdlTask task =
        shop(name, settings)
            .withHook(
                "true",
                "true",
                "touch %s; while test -e %s; do sleep 0.02; done"
                    .formatted(folder.resolve("resuming"), hold));
    Files.writeString(
        task.file(), Files.readString(task.file()).replace("timeout: 10s", "timeout: 180s"));
    return task;
  }

  private DdlTask shop(String name, String settings) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), settings);
    task.onSource("INSERT INTO item SELECT i, 'n', 0 FROM generate_series(1, 100) i");
    return task;
  }

  private static void writeToTheTarget(DdlTask task) throws Exception {
    task.onTarget(
        "INSERT INTO item VALUES (1001, 'of an application', 1)",
        "UPDATE item SET name = 'of an application' WHERE id = 7",
        "DELETE FROM item WHERE id = 8");
  }

  private static void assertWrittenRowsAreThere(DdlTask task) throws Exception {
    assertThat(
            task.target(
                "SELECT string_agg(id::text, ',' ORDER BY id) FROM item"
                    + " WHERE name = 'of an application' OR id = 8"))
        .isEqualTo("7,1001");
  }

  private void awaitFile(String name, CompletableFuture<Outcome> cutover) {
    await().atMost(PATIENCE).until(() -> cutover.isDone() || Files.exists(folder.resolve(name)));
    assertThat(cutover).isNotDone();
  }

  private static <T> CompletableFuture<T> async(Callable<T> work) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return work.call();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static Outcome join(CompletableFuture<Outcome> outcome) throws Exception {
    return outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(BUDGET), Set.of());
  }
}
