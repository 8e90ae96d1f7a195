package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.validate.repair.MariadbRepairPair;
import dev.sluice.engine.validate.repair.RepairOutcome;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The notes of a repair on a MariaDB server that takes statements of one MiB. */
class MariadbRepairNotesTest {
  private static final TableId TABLE = new TableId("app", "page");
  private static final String DIFFERING = "SELECT id FROM app.page WHERE v NOT LIKE '%right'";

  private MariadbRepairPair pair;

  EmbeddedServer target() {
    return EmbeddedMariadb.builder().fsync().start();
  }

  @BeforeEach
  void makeTables() throws SQLException {
    pair = new MariadbRepairPair(target());
    pair.clear();
    pair.onTarget(
        "SET GLOBAL max_allowed_packet = 1048576",
        "CREATE TABLE app.page (id int PRIMARY KEY, v longtext)");
    pair.onSource("CREATE TABLE app.page (id int PRIMARY KEY, v text)");
  }

  @AfterEach
  void stop() {
    if (pair != null) {
      pair.close();
    }
  }

  @Test
  void aRowWhoseNoteIsTooLargeIsLeftWithTheSettingAndTheOthersAreRepaired() throws Exception {
    row(1, "repeat('x', 300000)", "repeat('y', 300000)");
    row(2, "repeat('x', 600000)", "repeat('y', 600000)");
    row(3, "repeat('''', 300000)", "repeat('''', 300000)");
    row(4, "repeat('x', 900000)", "''");
    row(5, "repeat('x', 500000)", "repeat('y', 500000)");
    row(6, "''", "''");

    RepairOutcome outcome = repair();

    assertThat(outcome.count()).isEqualTo(4);
    assertThat(outcome.left()).isEqualTo(2);
    assertThat(outcome.refused())
        .allSatisfy(row -> assertThat(row.why()).contains("1,048,576", "max_allowed_packet"))
        .extracting(row -> row.row().key())
        .containsExactlyInAnyOrder(RowKey.of("2"), RowKey.of("3"));
    assertThat(pair.onTarget(DIFFERING)).containsExactly("2", "3");
    assertThat(
            pair.onTarget(
                "SELECT COUNT(*) FROM sluice_control.sluice_validation_failures_v2 WHERE resync_result = 'REPAIRED'"))
        .containsExactly("4");

    pair.onTarget("SET GLOBAL max_allowed_packet = 2097152");
    assertThat(repair().count()).isEqualTo(2);
    assertThat(pair.onTarget(DIFFERING)).isEmpty();
  }

  /** A row of both sides, which differs at its end. */
  private void row(int id, String source, String target) throws SQLException {
    pair.onSource("INSERT INTO app.page VALUES (%d, %s || 'right')".formatted(id, source));
    pair.onTarget("INSERT INTO app.page VALUES (%d, CONCAT(%s, 'wrong'))".formatted(id, target));
  }

  private RepairOutcome repair() throws InterruptedException {
    RowsToRepair listed = new RowsToRepair(TABLE, TABLE, List.of("id"), List.of());
    return pair.repair(
        "page",
        List.of("id"),
        Stream.of("1", "2", "3", "4", "5", "6").map(RowKey::of).toList(),
        new RepairNotes(pair.store(), TABLE, listed, "this"));
  }
}
