package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.PATIENCE;
import static dev.sluice.engine.daemon.WayBackTask.begun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.FreePort;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.NoWayBack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The old source takes no writes beside a way back, or beside a new side that may live. */
@ExtendWith(SharedBroker.class)
class OldSourceOpeningTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void itIsNotOpenedBesideAWayBackWhileTheNewSideDoesNotAnswer() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "beside");
    try (RunningDaemon back = begun(task)) {
      String text = Files.readString(task.file());
      task.withTargetPort(FreePort.find());
      assertThat(reopen(task)).isEqualTo(2);
      assertClosed(task);
      assertThatThrownBy(() -> NoWayBack.require(TaskContext.of(task.config())))
          .hasMessageContaining("its daemon runs");
      assertThat(back.phase()).isEqualTo("replicating");
      Files.writeString(task.file(), text);
    }
    task.withTargetPort(FreePort.find());

    assertThat(reopen(task)).isEqualTo(2);

    assertClosed(task);
    assertThatThrownBy(() -> NoWayBack.require(TaskContext.of(task.config())))
        .hasMessageContaining("it has begun at cutover")
        .hasMessageContaining("--target-lost");
  }

  @Test
  void aWayBackThatBeginsWhileTheTaskIsRemovedKeepsItClosed() throws Exception {
    Path held = folder.resolve("held");
    Path go = Files.createFile(folder.resolve("go"));
    DdlTask task =
        WayBackTask.shop(folder, SERVERS, "meanwhile")
            .withHook(
                "true",
                "true",
                "touch " + held + "; while test ! -e " + go + "; do sleep 0.1; done");
    begun(task).close();
    Files.deleteIfExists(held);
    Files.delete(go);
    // As if the way back had not begun yet, and the hook had held the applications.
    task.onSource("UPDATE sluice_control.task_step SET step = 'later' WHERE step = 'fallback'");
    task.onTarget(
        "DELETE FROM sluice_control.fallback_switch",
        "UPDATE sluice_control.task_step SET state = 'holds' WHERE step = 'hook till'");

    CompletableFuture<Integer> opening = CompletableFuture.supplyAsync(() -> reopen(task));
    await().atMost(PATIENCE).until(() -> Files.exists(held));
    task.onSource("UPDATE sluice_control.task_step SET step = 'fallback' WHERE step = 'later'");
    Files.createFile(go);

    assertThat(opening.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(2);
    assertClosed(task);
  }

  private static int reopen(DdlTask task) {
    return CommandLines.run("stop", task.file().toString(), "--drop", "--reopen-source", "--yes");
  }

  private static void assertClosed(DdlTask task) {
    assertThatThrownBy(() -> task.onSource("DELETE FROM sold")).hasMessageContaining("moved");
  }
}
