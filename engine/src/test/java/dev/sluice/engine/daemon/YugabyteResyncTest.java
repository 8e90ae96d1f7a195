package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.FastClock;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.engine.resync.TableResyncs;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.SinkState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A suspended table on a target whose storage always fails at it. */
@ExtendWith(SharedBroker.class)
class YugabyteResyncTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final TableId LINE = new TableId("shop", "line");

  /** How a catch-up locks the position of its own lane, which nothing else does. */
  private static final String LOCK_OF_CATCH_UP =
      "select epoch, position, journal_term, journal_transaction, next_offset from name.name"
          + " where task = $1 and";

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  @Test
  void aTableAtWhichTheStorageAlwaysFailsStaysSuspendedAndTheOthersContinue() throws Exception {
    SERVERS.createDatabase("alone");
    SERVERS.onSource("alone", MovedShop.SOURCE);
    TaskConfig config =
        SERVERS
            .task(folder, "alone")
            .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
            .config();
    RunningDaemon.replicating(config).close();
    TaskContext context = TaskContext.of(config);
    Checkpoint claimed = context.claim().next();
    FastClock clock = new FastClock(Duration.ofSeconds(20));
    SuspensionChanges news = new SuspensionChanges();
    SuspensionStore suspensions =
        new SuspensionStore(
            context.target(), context.controlSchema(), claimed, table -> table, news, clock);
    suspensions.reload(List.of(LINE));
    suspensions.suspend(LINE, "as a test wants it");
    suspensions.resume(List.of(LINE));
    SERVERS.proxy().failEach(LOCK_OF_CATCH_UP);
    LaneContext lanes = new LaneContext(context, Map.of(), claimed, null, null, null, news, clock);
    try (TableResyncs resyncs =
        TableResyncs.start(lanes, suspensions, YugabyteResyncTest::nothing, table -> {})) {
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  resyncs.failure().isPresent()
                      || suspensions.read().get(0).state() == SuspensionState.SUSPENDED);
      assertThat(resyncs.failure()).isEmpty();
      SuspendedTable suspended = suspensions.read().get(0);
      assertThat(suspended.reason()).contains("unexpected state of the storage");
      assertThat(suspended.rowsWhole()).isTrue();
    } finally {
      SERVERS.proxy().failNone();
    }
  }

  private static ApplyProgress nothing() {
    return new ApplyProgress(
        SinkState.RUNNING,
        "",
        null,
        null,
        0,
        Optional.empty(),
        0,
        0,
        null,
        Map.of(),
        List.of(),
        List.of(),
        Optional.empty());
  }
}
