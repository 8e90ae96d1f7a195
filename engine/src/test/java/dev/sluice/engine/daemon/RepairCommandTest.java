package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.command.CommandLines;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the commands that make rows equal return to a script. */
@ExtendWith(SharedBroker.class)
class RepairCommandTest {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int NOT_PROVEN = 6;

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void repairReturnsOneAsLongAsAListedRowIsLeft() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder, "repair", source, target, "ValidationSettings: { EnableValidation: true }");
    task.onSource("INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 9) i");
    String file = task.file().toString();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(CommandLines.run("repair", file)).isEqualTo(DONE);
    }
    task.onTarget(
        "DELETE FROM sluice_control.validation_journal",
        "UPDATE item SET name = 'wrong' WHERE id = 5",
        "INSERT INTO item VALUES (100, 'extra', 1)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> running.daemon().status().validation().failed() == 2);
      assertThat(CommandLines.run("repair", file, "public.nothing")).isEqualTo(FAILED);
      assertThat(CommandLines.run("repair", file)).isEqualTo(FAILED);
      assertThat(task.target("SELECT name FROM item WHERE id = 5")).isEqualTo("name 5");
      assertThat(CommandLines.run("repair", file, "public.item", "--delete-extra")).isEqualTo(DONE);
      task.assertRowsEqual(running);
    }
  }

  @Test
  void resyncOfATableSaysWhetherItIsProvenEqualDifferentOrNeither() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder, "resync", source, target, "Sluice: { ValidationUnkeyedTableLimit: 0 }");
    task.onSource(
        "INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 9) i",
        "CREATE TABLE bare (n int)",
        "ALTER TABLE bare REPLICA IDENTITY FULL",
        "INSERT INTO bare VALUES (1)",
        // The catalog knows its size.
        "VACUUM ANALYZE bare");
    String file = task.file().toString();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onTarget(
          "UPDATE item SET name = 'wrong' WHERE id = 5",
          "INSERT INTO item VALUES (100, 'extra', 1)");

      assertThat(CommandLines.run("resync", file, "public.item")).isEqualTo(FAILED);
      assertThat(task.target("SELECT name FROM item WHERE id = 5")).isEqualTo("name 5");
      assertThat(CommandLines.run("resync", file, "public.item", "--delete-extra")).isEqualTo(DONE);
      task.assertRowsEqual(running);
      assertThat(CommandLines.run("resync", file, "public.bare")).isEqualTo(NOT_PROVEN);
    }
  }
}
