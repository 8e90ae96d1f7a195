package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.PATIENCE;
import static dev.sluice.engine.daemon.WayBackTask.armed;
import static dev.sluice.engine.daemon.WayBackTask.claim;
import static dev.sluice.engine.daemon.WayBackTask.switches;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.FallbackGate;
import dev.sluice.sink.control.fallback.FallbackState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A way back while it is armed: what ends that, what does not, and what the task shows of it. */
class ArmedWayBackTest {
  private static final List<TableId> TABLES =
      List.of(TableId.parse("public.item"), TableId.parse("public.sold"));

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aCanaryThatFailedOnceEndsNoCutoverButAnotherDaemonDoes() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "patient");
    FallbackGate gate = FallbackGate.of(TaskContext.of(task.config())).orElseThrow();
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      FallbackState before;
      UUID announced = UUID.randomUUID();
      try (RunningDaemon back = armed(task, forward)) {
        before = gate.state().orElseThrow();
        switches(task).announce(claim(task), announced);
        gate.awaitSeen(announced);
        breakTheCanary(task);
        await().atMost(PATIENCE).until(() -> gate.problems(TABLES).isEmpty());
        assertThat(back.phase()).isEqualTo("armed");
        gate.requireStill(before, TABLES);
        assertThat(gate.state().orElseThrow().seen()).isEqualTo(Optional.of(announced));
      }
      try (RunningDaemon other = RunningDaemon.start(task.fallback())) {
        other.awaitPhase("armed");
        await().atMost(PATIENCE).until(() -> gate.problems(TABLES).isEmpty());
        FallbackState earlier = before;
        assertThatThrownBy(() -> gate.requireStill(earlier, TABLES))
            .hasMessageContaining("started again meanwhile");
      }
    }
  }

  /** Ends the connection by which a canary is noted on the old source, until the task shows it. */
  private static void breakTheCanary(DdlTask task) throws Exception {
    FallbackGate gate = FallbackGate.of(TaskContext.of(task.config())).orElseThrow();
    try (Connection connection = task.sourceServer().connect(task.name());
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("LOCK TABLE sluice_control.fallback_canary IN ACCESS EXCLUSIVE MODE");
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                task.source(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE NOT granted AND"
                        + " relation = 'sluice_control.fallback_canary'::regclass");
                return gate.state().flatMap(FallbackState::problem).isPresent();
              });
      connection.rollback();
    }
  }
}
