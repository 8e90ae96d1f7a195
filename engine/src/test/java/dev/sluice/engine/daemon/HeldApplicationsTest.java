package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whoever is held by a hook is let go, whatever ends or fails; and nobody says so before. */
@ExtendWith(SharedBroker.class)
class HeldApplicationsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void applicationsThatAHookCannotLetGoAreAProblemUntilItCan() throws Exception {
    DdlTask task = task("stuck");
    Path broken = folder.resolve("broken");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Files.createFile(broken);
      Outcome rehearsed = running.daemon().rehearse(order(Duration.ofSeconds(20)));
      assertThat(rehearsed.ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(rehearsed.message())
          .contains("applications may still be held", "hook till, resume")
          .doesNotContain("and go on");
      assertThat(running.daemon().status().problem()).contains("applications may still be held");
      assertThat(
              running.daemon().cutoverReport(order(Duration.ofSeconds(20))).findings().stream()
                  .filter(finding -> finding.kind().equals("hook")))
          .extracting(Finding::found)
          .singleElement()
          .asString()
          .contains("could not let them go");
      assertThat(notes(task).open()).containsOnlyKeys("till");

      Files.delete(broken);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(running.daemon().status().problem()).isNull());
      assertThat(notes(task).open()).isEmpty();
      assertThat(said()).endsWith("released\n");
      assertThat(running.daemon().rehearse(order(Duration.ofSeconds(20))).ending())
          .isEqualTo(Ending.DONE);
    }
  }

  @Test
  void aStopDuringARehearsalLetsThemGo() throws Exception {
    DdlTask task = task("stopped");
    CompletableFuture<Outcome> rehearsal;
    try (RunningDaemon running = RunningDaemon.replicating(task.config());
        Connection blocker = SERVERS.target().connect("stopped")) {
      rehearsal =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return running.daemon().rehearse(order(Duration.ofMinutes(10)));
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      await().atMost(PATIENCE).until(() -> said().equals("pause\n"));
      Files.delete(folder.resolve("hold"));
      Sql.execute(blocker, "BEGIN; LOCK TABLE item");
      running.daemon().stop(false);
      await().atMost(PATIENCE).until(() -> said().equals("pause\nreleased\n"));
      Sql.execute(blocker, "ROLLBACK");
    }
    assertThat(rehearsal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).ending())
        .isNotEqualTo(Ending.DONE);
    assertThat(notes(task).open()).isEmpty();
  }

  private DdlTask task(String name) throws Exception {
    Path said = folder.resolve("said");
    if (name.equals("stopped")) {
      Files.createFile(folder.resolve("hold"));
    }
    return DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "")
        .withHook(
            "echo pause >> %s; while test -e %s; do sleep 0.02; done"
                .formatted(said, folder.resolve("hold")),
            "true",
            "test ! -e %s && echo $SLUICE_OUTCOME >> %s".formatted(folder.resolve("broken"), said));
  }

  private String said() throws Exception {
    Path said = folder.resolve("said");
    return Files.exists(said) ? Files.readString(said) : "";
  }

  private static TaskPauseNotes notes(DdlTask task) {
    return new TaskPauseNotes(TaskContext.of(task.config()), (step, state, detail) -> {});
  }

  private static CutoverOrder order(Duration budget) {
    return new CutoverOrder(PATIENCE, Optional.of(budget), Set.of());
  }
}
