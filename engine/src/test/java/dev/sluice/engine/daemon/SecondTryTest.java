package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.armed;
import static dev.sluice.engine.daemon.WayBackTask.cutOver;
import static dev.sluice.engine.daemon.WayBackTask.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** After a fallback everything can be done once more, with commands only. */
@ExtendWith(SharedBroker.class)
class SecondTryTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aWayBackIsArmedAndUsedASecondTime() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "twice");
    String file = task.file().toString();
    thereAndBack(task, "first");
    assertThat(CommandLines.run("stop", file, "--fallback", "--drop", "--reopen-source", "--yes"))
        .isZero();
    assertThat(CommandLines.run("stop", file, "--drop")).isZero();
    assertThat(CommandLines.run("forget-cutover", file, "--yes")).isZero();
    task.onTarget("DROP TABLE item, sold");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      RunningDaemon refused = RunningDaemon.start(task.fallback());
      assertThatThrownBy(refused::awaitEnd)
          .hasMessageContaining("sluice forget-cutover TASK.yaml --fallback");
      assertThat(forward.phase()).isEqualTo("replicating");
    }
    assertThat(CommandLines.run("forget-cutover", file, "--fallback", "--yes")).isZero();

    thereAndBack(task, "second");

    assertThat(task.source("SELECT string_agg(what, ' ' ORDER BY id) FROM sold"))
        .isEqualTo("first there first here second there second here");
  }

  private static void thereAndBack(DdlTask task, String which) throws Exception {
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      cutOver(forward, back);
      task.onTarget("INSERT INTO sold (what) VALUES ('" + which + " there')");
      Outcome returned = back.daemon().cutover(order());
      assertThat(returned.success()).as(returned.toString()).isTrue();
      task.onSource("INSERT INTO sold (what) VALUES ('" + which + " here')");
    }
  }
}
