package dev.sluice.engine.monitor;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.TaskStatus;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The status of the disks that a task fills, on real servers and a real broker. */
class DiskGuardsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long MB = 1024 * 1024;

  @TempDir Path folder;

  @Test
  void aLogHeldBackBeyondItsLimitIsAProblemUntilItIsNoLongerAndTheSlotStays() throws Exception {
    try (EmbeddedPostgres source =
            EmbeddedPostgres.builder().setting("max_slot_wal_keep_size", "1GB").start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        Connection holder = source.connect("postgres")) {
      execute(source, "postgres", "CREATE TABLE noted (id int PRIMARY KEY)");
      try (RunningDaemon running = RunningDaemon.start(task(source, target))) {
        TaskStatus.Guard fine = guard(running, "source log");
        assertThat(fine.level()).isEqualTo("fine");
        assertThat(fine.limitedBy()).isEqualTo("SourceLogLimit");
        assertThat(fine.roomBytes() + fine.bytes()).isEqualTo(32 * MB);
        TaskStatus.Guard kafka = guard(running, "kafka disk");
        assertThat(kafka.bytes()).isPositive();
        assertThat(kafka.roomBytes()).isPositive();
        running.awaitPhase("replicating");

        holder.setAutoCommit(false);
        execute(holder, "INSERT INTO noted VALUES (1)");
        execute(
            source,
            "postgres",
            "SELECT pg_logical_emit_message(false, 'other', repeat('x', 1048576))"
                + " FROM generate_series(1, 40)");
        await("the problem")
            .atMost(PATIENCE)
            .until(
                () ->
                    String.valueOf(running.daemon().status().problem())
                        .contains("room for 0 B more (SourceLogLimit)"));
        assertThat(running.daemon().status().problem()).contains("source log", "sluice_guarded");
        assertThat(guard(running, "source log").level()).isEqualTo("problem");
        assertThat(text(source, "postgres", "SELECT wal_status FROM pg_replication_slots"))
            .isEqualTo("reserved");

        holder.commit();
        await("no problem")
            .atMost(PATIENCE)
            .until(
                () -> {
                  // Only the record of running transactions lets the slot's log go on.
                  execute(source, "postgres", "CHECKPOINT");
                  return running.daemon().status().problem() == null;
                });
      }
    }
  }

  private static TaskStatus.Guard guard(RunningDaemon running, String name) {
    return await(name)
        .atMost(PATIENCE)
        .until(
            () ->
                running.daemon().status().guards().stream()
                    .filter(guard -> guard.name().equals(name) && guard.bytes() > 0)
                    .findFirst(),
            Optional::isPresent)
        .get();
  }

  private TaskConfig task(EmbeddedPostgres source, EmbeddedPostgres target) throws Exception {
    return TaskFolder.of(folder, "guarded", source, target, "postgres", "public")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                // The hours that are left hang on how fast the machine is.
                + " Sluice: {SourceLogLimit: 32, GuardWarningHours: 0, GuardProblemHours: 0}}")
        .config();
  }
}
