package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A task whose source lets its user in no further. */
@ExtendWith(SharedBroker.class)
class FewSessionsTaskTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String ENABLED =
      "ValidationSettings: { EnableValidation: true, PartitionSize: 100, ThreadCount: 8 }\n"
          + "  Sluice: { ValidationDutyCycle: 100 }";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void validationWaitsAndSaysSoWhileChangesAreAppliedAndGoesOnWhenThereIsRoom() throws Exception {
    DdlTask task = DdlTask.make(folder, "few", SERVERS.source(), SERVERS.target(), ENABLED);
    task.onSource(
        "CREATE ROLE few LOGIN REPLICATION; GRANT ALL ON SCHEMA public TO few;"
            + "GRANT CREATE ON DATABASE few TO few; ALTER TABLE item OWNER TO few",
        "INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 2000) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.configAs("few"))) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 1);

      // The sessions that are open stay, and none is let in.
      task.onSource("ALTER ROLE few CONNECTION LIMIT 1");
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                task.onSource("UPDATE item SET name = 'changed' WHERE id = 7");
                String waiting = validation(running).waiting();
                return waiting != null && waiting.contains("too many connections for role");
              });
      task.onSource("INSERT INTO item VALUES (5000, 'new', 1)");
      await().atMost(PATIENCE).until(() -> task.target("SELECT count(*) FROM item").equals("2001"));
      assertThat(running.phase()).isEqualTo("replicating");
      assertThat(validation(running).failed() + validation(running).pending()).isZero();

      task.onSource("ALTER ROLE few CONNECTION LIMIT -1");
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 1);
      task.assertRowsEqual(running);
    }
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }
}
