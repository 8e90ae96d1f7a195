package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The validation of tables that are truncated and altered, and whose large values change. */
class ChangingTablesTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final int ROUNDS = 6;

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
      try (Traffic traffic = Traffic.on(task, ChangingTablesTest::write)) {
        for (int round = 0; round < ROUNDS; round++) {
          long sessions = validation(running).sessions();
          awaitSessions(running, sessions + 2);
          task.onSource(
              "BEGIN; TRUNCATE word; INSERT INTO word SELECT md5(i::text), i"
                  + " FROM generate_series(%1$d, %1$d + 499) i; COMMIT".formatted(round * 100),
              "ALTER TABLE item ADD COLUMN c%d int DEFAULT %d".formatted(round, round));
          awaitSessions(running, sessions + 4);
          task.onSource("ALTER TABLE item DROP COLUMN c" + round, "TRUNCATE word");
        }
        assertThat(traffic.commits()).isPositive();
      }
      running.awaitApplied();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                assertNoDifference(running);
                return validation(running).provenTables() == 3;
              });
      assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"))
          .isEqualTo("0");
      task.assertRowsEqual(running);
    }
  }

  private static void awaitSessions(RunningDaemon running, long sessions) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertNoDifference(running);
              return validation(running).sessions() >= sessions;
            });
  }

  private static void assertNoDifference(RunningDaemon running) {
    assertThat(validation(running).failed() + validation(running).pending()).isZero();
  }

  /** Some rows of {@code doc} keep their large value, others get another one or none. */
  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(200);
    statement.execute(
        switch (random.nextInt(6)) {
          case 0 -> "UPDATE doc SET n = n + 1 WHERE id = " + id;
          case 1 -> "UPDATE doc SET body = body || md5(random()::text) WHERE id = " + id;
          case 2 ->
              "UPDATE doc SET body = CASE WHEN body IS NULL THEN repeat(md5('%1$d'), 300) END WHERE id = %1$d"
                  .formatted(id);
          case 3 ->
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
