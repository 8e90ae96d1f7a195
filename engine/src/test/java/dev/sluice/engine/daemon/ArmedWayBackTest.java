package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.PATIENCE;
import static dev.sluice.engine.daemon.WayBackTask.armed;
import static dev.sluice.engine.daemon.WayBackTask.claim;
import static dev.sluice.engine.daemon.WayBackTask.switches;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.display.StatusText;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.FallbackGate;
import dev.sluice.engine.status.FallbackStatus;
import dev.sluice.sink.control.fallback.FallbackState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A way back while it is armed: what ends that, what does not, and what the task shows of it. */
@ExtendWith(SharedBroker.class)
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

  @Test
  void theTaskShowsWhetherItsWayBackIsArmedAndWhatIsInItsWay() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "shown");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      assertThat(awaitShown(forward, "not-armed").blocks())
          .singleElement()
          .asString()
          .contains("no daemon has armed it");
      Instant before = Instant.now();
      try (RunningDaemon back = armed(task, forward)) {
        FallbackStatus shown = awaitShown(forward, "armed");
        assertThat(shown.works()).isTrue();
        assertThat(shown.since()).isBetween(before, Instant.now());
        assertThat(shown.canaryMillis()).isNotNegative();
        assertThat(shown.canaryAt()).isAfter(before);
        assertThat(shown.keptBytes()).isNotNull();
        assertThat(shown.limitBytes()).isEqualTo(10L << 30);
        assertThat(new StatusText(forward.daemon().status()).text())
            .containsPattern("way back +armed since .*; canary .* of log for it, at most 10");
        assertThat(forward.daemon().cutover(WayBackTask.order()).success()).isTrue();
        back.awaitPhase("replicating");
        await()
            .atMost(PATIENCE)
            .until(
                () -> shown(forward, "begun").filter(now -> now.lagSeconds() != null).isPresent());
        assertThat(back.daemon().cutover(WayBackTask.order()).success()).isTrue();
        awaitShown(forward, "brought-back");
      }
    }
  }

  @Test
  void aDaemonThatIsGoneIsShownAsWhatIsInTheWay() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "gone");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = armed(task, forward)) {
        assertThat(awaitShown(forward, "armed").blocks()).isEmpty();
        assertThat(back.phase()).isEqualTo("armed");
      }
      FallbackStatus shown = awaitShown(forward, "not-armed");
      assertThat(shown.blocks()).first().asString().contains("its daemon was stopped");
      assertThat(shown.since()).isNotNull();
    }
  }

  @Test
  void logThatAnOpenTransactionKeepsIsNotTheLagOfTheWayBack() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "pinned").withSluice("FallbackLogLimit: 64");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward);
        Connection till = task.targetServer().connect(task.name());
        Statement open = till.createStatement()) {
      till.setAutoCommit(false);
      open.execute("SET application_name = 'a till'");
      open.execute("CREATE TEMPORARY TABLE basket (id int)");
      open.execute("SELECT pg_logical_emit_message(true, 'till', 'open')");
      write(task, 100);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  shown(forward, "armed")
                      .filter(now -> now.readBytes() != null && now.readBytes() > 64L << 20)
                      .isPresent());
      assertThat(back.phase()).isEqualTo("armed");
      write(task, 60);
      await().atMost(PATIENCE).until(() -> back.phase().equals("failed"));
      assertThat(back.daemon().status().reason())
          .contains("given up", "restart_lsn", "a till", "twice FallbackLogLimit");
      assertThatThrownBy(back::awaitEnd).hasMessageContaining("given up");
    }
  }

  /** Log of the new side, in megabytes. */
  private static void write(DdlTask task, int megabytes) throws Exception {
    task.onTarget(
        "SELECT count(pg_logical_emit_message(false, 'till', repeat(md5(i::text), 32768)))"
            + " FROM generate_series(1, "
            + megabytes
            + ") i",
        "CHECKPOINT");
  }

  private static FallbackStatus awaitShown(RunningDaemon forward, String state) {
    return await()
        .atMost(PATIENCE)
        .until(() -> shown(forward, state), Optional::isPresent)
        .orElseThrow();
  }

  private static Optional<FallbackStatus> shown(RunningDaemon forward, String state) {
    return Optional.ofNullable(forward.daemon().status().fallback())
        .filter(now -> now.state().equals(state));
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
