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
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Faults of all kinds on the target, in rows that are not written, beside rows that are. */
@ExtendWith(SharedBroker.class)
class PlantedFaultsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String ENABLED =
      "ValidationSettings: { EnableValidation: true, PartitionSize: 100 }\n"
          + "  Sluice: { ValidationDutyCycle: 100 }";

  /** Rows up to here are written all the time. */
  private static final int WRITTEN = 1000;

  private static final int ROWS = 3000;
  private static final int EACH = 10;

  /** Changes one row, whose id stands for the placeholder. */
  private static final Map<String, String> CHANGES = new LinkedHashMap<>();

  static {
    CHANGES.put("cell", "UPDATE ledger SET balance = balance + 0.01 WHERE id = %d");
    CHANGES.put("missing", "DELETE FROM ledger WHERE id = %d");
    CHANGES.put("NaN", "UPDATE ledger SET amount = 'NaN' WHERE id = %d");
    CHANGES.put("-0", "UPDATE ledger SET amount = '-0' WHERE id = %d");
    CHANGES.put("time zone", "UPDATE ledger SET at = at + interval '1 hour' WHERE id = %d");
    CHANGES.put("trailing space", "UPDATE ledger SET note = note || ' ' WHERE id = %d");
    CHANGES.put("NULL against empty", "UPDATE ledger SET empty = NULL WHERE id = %d");
  }

  private static final String SWAPPED =
      "UPDATE ledger a SET balance = b.balance FROM ledger b"
          + " WHERE a.id IN (%1$d, %2$d) AND b.id IN (%1$d, %2$d) AND a.id <> b.id";

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
  void eachIsFoundAndRepairedAndNoneIsInventedWhileOtherRowsAreWritten() throws Exception {
    DdlTask task = DdlTask.make(folder, "planted", source, target, ENABLED);
    task.onSource(
        "CREATE TABLE ledger (id int PRIMARY KEY, balance numeric(12,2), amount float8,"
            + " at timestamptz, note text, empty text)",
        "INSERT INTO ledger SELECT i, i, 0, '2024-05-06 07:08:09+00', 'note ' || i, ''"
            + " FROM generate_series(1, %d) i".formatted(ROWS));
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    // The next start reads all tables again.
    task.onTarget("DELETE FROM sluice_control.validation_journal");
    Map<Integer, String> planted = plant(task);
    assertThat(planted).hasSize(9 * EACH);

    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      try (Traffic traffic = Traffic.on(task, running, PlantedFaultsTest::write)) {
        await().atMost(PATIENCE).until(() -> validation(running).failed() >= planted.size());
        assertThat(listed(task)).isEqualTo(planted);
        long commits = traffic.commits();
        assertThat(commits).isPositive();

        assertThat(running.daemon().repair(List.of(), true).success()).isTrue();
        await().atMost(PATIENCE).until(() -> validation(running).failed() == 0);
        assertThat(traffic.commits()).isGreaterThan(commits);
      }
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 2);
      assertThat(
              task.target(
                  "SELECT count(DISTINCT key) FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result = 'REPAIRED'"))
          .isEqualTo(String.valueOf(planted.size()));
      task.assertRowsEqual(running);
    }
  }

  /** Returns the listed type of each fault, by the id of its row. */
  private static Map<Integer, String> plant(DdlTask task) throws SQLException {
    List<Integer> ids =
        IntStream.rangeClosed(WRITTEN + 1, ROWS - 1).boxed().collect(Collectors.toList());
    Random random = new Random(3);
    Collections.shuffle(ids, random);
    Map<Integer, String> planted = new TreeMap<>();
    List<String> statements = new ArrayList<>();
    int next = 0;
    for (Map.Entry<String, String> change : CHANGES.entrySet()) {
      for (int i = 0; i < EACH; i++) {
        // The last row of the table, too.
        int id = planted.isEmpty() ? ROWS : ids.get(next++);
        planted.put(id, change.getKey().equals("missing") ? "MISSING_TARGET" : "RECORD_DIFF");
        statements.add(change.getValue().formatted(id));
      }
    }
    for (int i = 0; i < EACH; i += 2) {
      int one = ids.get(next++);
      int other = ids.get(next++);
      planted.put(one, "RECORD_DIFF");
      planted.put(other, "RECORD_DIFF");
      statements.add(SWAPPED.formatted(one, other));
    }
    for (int i = 0; i < EACH; i++) {
      // Before the first, and beyond the last row of the source.
      int id = i % 2 == 0 ? -i : ROWS * 1000 + i;
      planted.put(id, "MISSING_SOURCE");
      statements.add("INSERT INTO ledger VALUES (" + id + ", 1, 1, now(), 'extra')");
    }
    Collections.shuffle(statements, random);
    task.onTarget(statements.toArray(String[]::new));
    return planted;
  }

  private static Map<Integer, String> listed(DdlTask task) throws SQLException {
    Map<Integer, String> listed = new TreeMap<>();
    String all =
        task.target(
            "SELECT string_agg(table_name || ' ' || (key::json ->> 'id') || ' ' || failure_type,"
                + " ',') FROM sluice_control.sluice_validation_failures_v2"
                + " WHERE resync_result IS NULL AND sessions > 1");
    for (String row : all.split(",")) {
      String[] parts = row.split(" ");
      assertThat(parts[0]).as(row).isEqualTo("ledger");
      listed.put(Integer.valueOf(parts[1]), parts[2]);
    }
    return listed;
  }

  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(WRITTEN);
    statement.execute(
        switch (random.nextInt(4)) {
          case 0 -> "DELETE FROM ledger WHERE id = " + id;
          case 1 ->
              "INSERT INTO ledger VALUES (%d, 0, '-0', now(), NULL, '') ON CONFLICT DO NOTHING"
                  .formatted(id);
          case 2 ->
              "BEGIN; UPDATE ledger SET amount = amount + 1 WHERE id = %d; SAVEPOINT s; UPDATE ledger SET note = note || 'x' WHERE id = %d; ROLLBACK TO s; COMMIT"
                  .formatted(id, 1 + id / 2);
          default -> "UPDATE ledger SET balance = -balance, at = now() WHERE id = " + id;
        });
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }
}
