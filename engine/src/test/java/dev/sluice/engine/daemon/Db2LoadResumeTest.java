package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToDb2;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A load into tables of Db2 goes on where killed daemons have left it; a Derby server answers. */
@ExtendWith(SharedBroker.class)
class Db2LoadResumeTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final List<String> TABLES = List.of("early", "late");

  private static final String ATTEMPT_OF_EARLY =
      "SELECT DISTINCT \"attempt\" FROM \"sluice_control\".\"load_segment\" WHERE \"source_table\""
          + " = 'early' AND \"done\" WITH UR";

  /** Which rows, and the attempt that has loaded them. */
  private static final String PARTS_OF_LATE =
      "SELECT \"rows_of\" || ' by ' || CAST(\"attempt\" AS CHAR(20)) FROM"
          + " \"sluice_control\".\"load_segment\" WHERE \"source_table\" = 'late' AND \"done\" WITH UR";

  /** The first table is loaded alone, then the other one, in three parts. */
  private static final String RULES =
      """
          - rule-type: selection
            rule-id: "1"
            rule-name: "1"
            rule-action: include
            load-order: 2
            object-locator: { schema-name: shop, table-name: early }
          - rule-type: selection
            rule-id: "2"
            rule-name: "2"
            rule-action: include
            load-order: 1
            object-locator: { schema-name: shop, table-name: late }
          - rule-type: table-settings
            rule-id: "3"
            rule-name: "3"
            object-locator: { schema-name: shop, table-name: late }
            parallel-load: { type: ranges, columns: [id], boundaries: [["1000"], ["2000"]] }
      """;

  @RegisterExtension static final ToDb2 SIDES = new ToDb2();

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"DO_NOTHING", "TRUNCATE_BEFORE_LOAD"})
  void aLoadThatIsKilledTwiceHalfwayGoesOnWithRowsThatAreThere(String mode) throws Exception {
    String database = mode.toLowerCase();
    create(database);
    TaskFolder task =
        SIDES
            .task(
                folder,
                database,
                "{FullLoadSettings: {TargetTablePrepMode: %s, MaxFullLoadSubTasks: 1, CommitRate: 1000}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
                    .formatted(mode))
            .rules(RULES);
    if (mode.equals("TRUNCATE_BEFORE_LOAD")) {
      SIDES.onTarget(
          "INSERT INTO \"shop\".\"early\" VALUES (1, 'old')",
          "INSERT INTO \"shop\".\"early\" VALUES (900000, 'old')",
          "INSERT INTO \"shop\".\"late\" VALUES (900000, 'old')");
      task.replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:");
    }
    Path file = task.write();
    kill(file, "SELECT 1 FROM \"shop\".\"early\" WHERE \"note\" LIKE 'row%' WITH UR");
    List<String> attempt = SIDES.onTarget(ATTEMPT_OF_EARLY);
    assertThat(attempt).as("the first table is complete").hasSize(1);
    List<String> parts = SIDES.onTarget(PARTS_OF_LATE);
    assertThat(parts).as("parts of the second table are complete").hasSize(2);
    change(database, "down");
    kill(file, "SELECT 1 FROM \"shop\".\"early\" WITH UR");
    assertThat(SIDES.onTarget(PARTS_OF_LATE))
        .as("not loaded again")
        .containsExactlyInAnyOrderElementsOf(parts);
    change(database, "down again");

    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      change(database, "up");
      running.awaitApplied();
      SIDES.requireEqual(database, "shop", TABLES);
      assertThat(SIDES.onTarget(ATTEMPT_OF_EARLY)).as("not loaded again").isEqualTo(attempt);
      assertThat(SIDES.onTarget(PARTS_OF_LATE)).as("not loaded again").containsAll(parts);
    }
  }

  /**
   * Runs a daemon until it waits for a row of the second table that the test is inserting, and
   * kills it.
   *
   * @param begun finds something once the second table may be kept from the daemon
   */
  private static void kill(Path file, String begun) throws Exception {
    Process killed = ToDb2.daemon(file);
    try (Connection other = SIDES.connectToTarget();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      try {
        await(begun)
            .atMost(LONG)
            .pollInterval(Duration.ofMillis(10))
            .until(() -> killed.isAlive() && !SIDES.onTarget(begun).isEmpty());
        statement.execute("INSERT INTO \"shop\".\"late\" VALUES (2500, 'of another')");
        await("the load waits for it")
            .atMost(LONG)
            .until(
                () ->
                    killed.isAlive()
                        && !SIDES
                            .onTarget(
                                "SELECT XID FROM SYSCS_DIAG.LOCK_TABLE WHERE STATE = 'WAIT' AND"
                                    + " TABLENAME = 'late'")
                            .isEmpty());
      } finally {
        killed.destroyForcibly().waitFor();
        other.rollback();
      }
    }
  }

  private static void create(String database) throws SQLException {
    SIDES.source().createDatabase(database);
    SIDES.createShop();
    SIDES.onSource(database, "CREATE SCHEMA shop");
    for (String table : TABLES) {
      SIDES.onSource(
          database,
          "CREATE TABLE shop.%s (id int PRIMARY KEY, note varchar(40))".formatted(table),
          "INSERT INTO shop.%s SELECT i, 'row ' || i FROM generate_series(1, %d) i"
              .formatted(table, table.equals("early") ? 20_000 : 3_000));
      SIDES.onTarget(
          "CREATE TABLE \"shop\".\"%s\" (\"id\" INTEGER NOT NULL PRIMARY KEY, \"note\" VARCHAR(160))"
              .formatted(table));
    }
  }

  private static void change(String database, String note) throws SQLException {
    for (String table : TABLES) {
      SIDES.onSource(
          database,
          "UPDATE shop.%s SET note = '%s' WHERE id %% 50 = 0".formatted(table, note),
          "DELETE FROM shop.%1$s WHERE id IN (SELECT id FROM shop.%1$s ORDER BY id LIMIT 5)"
              .formatted(table),
          "INSERT INTO shop.%1$s SELECT max(id) + 1, '%2$s' FROM shop.%1$s".formatted(table, note));
    }
  }
}
