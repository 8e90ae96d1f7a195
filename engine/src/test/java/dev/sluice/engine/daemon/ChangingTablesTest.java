package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The validation of tables that are truncated and altered, and whose large values change. */
@ExtendWith(SharedBroker.class)
class ChangingTablesTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final int SESSIONS = 60;

  /** Rows that were ever listed as different, be it for one session. */
  private static final String EVER_LISTED =
      "SELECT coalesce(sum(last_value), 0) FROM pg_sequences"
          + " WHERE sequencename LIKE 'sluice_validation_failures%'";

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
  void truncateDdlAndLargeValuesBesideAWriterGiveNoFalseDifferenceAndAreProvenAfterwards()
      throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "changing",
            source,
            target,
            "ValidationSettings: { EnableValidation: true, PartitionSize: 100 }\n"
                + "  Sluice: { ValidationDutyCycle: 100 }");
    task.onSource(
        "INSERT INTO item SELECT i, 'name ' || i, i / 7.0 FROM generate_series(1, 1000) i",
        "CREATE TABLE word (word text PRIMARY KEY, n int)",
        "INSERT INTO word SELECT md5(i::text), i FROM generate_series(1, 500) i",
        "CREATE TABLE doc (id int PRIMARY KEY, n int, body text)",
        "ALTER TABLE doc ALTER body SET STORAGE EXTERNAL",
        "INSERT INTO doc SELECT i, 0, repeat(md5(i::text), 200) FROM generate_series(1, 200) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      try (Traffic traffic = Traffic.on(task, running, ChangingTablesTest::write)) {
        long begun = validation(running).sessions();
        await().atMost(PATIENCE).until(() -> validation(running).sessions() >= begun + SESSIONS);
        assertThat(traffic.commits()).isPositive();
      }
      running.awaitApplied();
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(task.target(EVER_LISTED)).isEqualTo("0");
      task.assertRowsEqual(running);
    }
  }

  /**
   * Some rows of {@code doc} keep their large value, others get another one or none. A TRUNCATE or
   * an alteration is in most sessions.
   */
  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(200);
    statement.execute(
        switch (random.nextInt(40)) {
          case 20 -> "TRUNCATE word";
          case 21, 22 ->
              "BEGIN; TRUNCATE word; INSERT INTO word SELECT md5(i::text), i FROM generate_series(%1$d, %1$d + 499) i; COMMIT"
                  .formatted(id);
          case 23 -> "ALTER TABLE item ADD COLUMN IF NOT EXISTS more int DEFAULT " + id;
          case 24 -> "ALTER TABLE item DROP COLUMN IF EXISTS more";
          case 25 -> "ALTER TABLE item ALTER price TYPE numeric(10,%d)".formatted(2 + id % 2);
          case 0, 1, 2, 3 -> "UPDATE doc SET n = n + 1 WHERE id = " + id;
          case 4, 5, 6, 7 -> "UPDATE doc SET body = body || md5(random()::text) WHERE id = " + id;
          case 8, 9, 10, 11 ->
              "UPDATE doc SET body = CASE WHEN body IS NULL THEN repeat(md5('%1$d'), 300) END WHERE id = %1$d"
                  .formatted(id);
          case 12, 13, 14, 15 ->
              "INSERT INTO word VALUES (md5(random()::text), %d) ON CONFLICT DO NOTHING"
                  .formatted(id);
          default -> "UPDATE item SET price = price + 1 WHERE id % 200 = " + (id - 1);
        });
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }
}
