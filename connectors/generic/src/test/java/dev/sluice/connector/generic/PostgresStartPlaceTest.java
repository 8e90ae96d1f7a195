package dev.sluice.connector.generic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.generic.database.PostgresSlot;
import dev.sluice.connector.generic.record.Bookmark;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** PostgreSQL's connector begins at an LSN that a slot keeps. */
class PostgresStartPlaceTest extends StartPlaceContract {
  @Override
  CapturedDatabase database() {
    return new PostgresDatabase();
  }

  @Override
  List<List<String>> wrongPlaces(CapturedDatabase database, String place) {
    return List.of(
        List.of("0/1", "begins at"),
        List.of("FFFFFF/0", "the log ends at"),
        List.of("mariadb-bin.000042:4711", "MariaDB's binary log"),
        List.of("{\"lsn\": 1}", "does not tell whether its transaction is complete"));
  }

  @Test
  void withoutASlotThatKeepsTheLogNothingIsMadeAndTheStartIsRefused() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
    String place = database.place();
    SourceOfTask task = SourceOfTask.takingSlot("bare-" + database.schema(), database);
    assertThatThrownBy(() -> task.beginningAt(place))
        .as("with table " + fixture.id("a"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the source has no replication slot")
        .hasMessageContaining("pg_create_logical_replication_slot");
  }

  /** Else it would begin at the present, and lose what the slot was made for. */
  @Test
  void aTaskWhoseSlotIsNotThereIsRefused() throws SQLException {
    CapturedDatabase database = database();
    SourceOfTask task = SourceOfTask.takingSlot("none-" + database.schema(), database);
    LogRetention log = task.source.retention();
    assertThatThrownBy(log::take)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the source has no replication slot");
    assertThat(new PostgresSlot(SourceOfTask.server(database)).notKeeping())
        .hasValueSatisfying(
            problem -> assertThat(problem.thing()).contains("replication slot " + log.name()));
    database.keepLog();
    assertThat(log.take()).isTrue();
    assertThat(new PostgresSlot(SourceOfTask.server(database)).notKeeping()).isEmpty();
  }

  /**
   * The reader may be the task's own of before, which the server has not yet noticed to be gone.
   */
  @Test
  void aSlotThatIsStillReadIsTriedAgain() throws SQLException {
    CapturedDatabase database = database();
    new CaptureFixture(database).table("a", "id int", "t text");
    database.keepLog();
    SourceOfTask reader =
        SourceOfTask.takingSlot("reads-" + database.schema(), database)
            .beginningAt(database.place());
    PostgresSlot slot = new PostgresSlot(SourceOfTask.server(database));
    Capture capture = reader.capture();
    try {
      CaptureFixture.await(() -> slot.find().orElseThrow().active());
      LogRetention log = reader.again(database).source.retention();
      assertThatThrownBy(log::take)
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("replication slot " + log.name() + " is being read");
    } finally {
      capture.close();
    }
  }

  @Test
  void aSlotThatTheServerHasInvalidatedIsRefusedByName() throws SQLException {
    CapturedDatabase database = database();
    new CaptureFixture(database).table("a", "id int");
    database.keepLog();
    String place = database.place();
    PostgresSlot slot = new PostgresSlot(SourceOfTask.server(database));
    assertThat(slot.find().orElseThrow().lost()).isFalse();
    SourceOfTask task = SourceOfTask.takingSlot("invalid-" + database.schema(), database);
    assertThat(problems(task)).isEmpty();
    database.loseTheLog("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'");
    database.loseTheLog("SELECT pg_reload_conf()");
    try {
      CaptureFixture.await(
          () -> {
            database.loseTheLog("SELECT pg_logical_emit_message(false, 'sluice', 'fills')");
            database.loseTheLog("SELECT pg_switch_wal()");
            database.loseTheLog("CHECKPOINT");
            return slot.find().orElseThrow().lost();
          });
    } finally {
      database.loseTheLog("ALTER SYSTEM RESET max_slot_wal_keep_size");
      database.loseTheLog("SELECT pg_reload_conf()");
    }
    assertThatThrownBy(() -> task.beginningAt(place))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the server has invalidated replication slot " + slot.name());
    assertThat(problems(task))
        .as("by the check, whether the task begins at a position or at a time")
        .singleElement()
        .satisfies(problem -> assertThat(problem.found()).contains("invalidated"));
    assertThat(slot.lost(new Bookmark("", Map.of(), Map.of("lsn", Long.MAX_VALUE))))
        .hasValueSatisfying(problem -> assertThat(problem.found()).contains("invalidated"));
  }

  private static List<Problem> problems(SourceOfTask task) {
    return task.source.checks().problems(TableMappings.EVERYTHING, table -> true, true);
  }

  /** It is the operator's, whatever the journal lacks. */
  @Test
  void aSlotThatWasMadeForTheTaskIsNeverDroppedForAnotherOne() throws SQLException {
    CapturedDatabase database = database();
    new CaptureFixture(database).table("a", "id int", "t text");
    database.keepLog();
    SourceOfTask task =
        SourceOfTask.of("dropped-" + database.schema(), database, new Position(1, 0))
            .thatTakesTheSlot(database);
    assertThatThrownBy(task::capture)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("it would be dropped");
    task.source.releaseClaim();
    assertThat(new PostgresSlot(SourceOfTask.server(database)).find()).isPresent();
  }

  /** Changes of before are not in the log of such a slot, or not under this name. */
  @Test
  void aTableThatWasRenamedOrPublishedBehindTheSlotIsRefusedByName() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture =
        new CaptureFixture(database).table("a", "id int").table("b", "id int").table("c", "id int");
    fixture.execute("DROP PUBLICATION p", "CREATE PUBLICATION p FOR TABLE b, c");
    fixture.execute("ALTER TABLE a RENAME TO before", "ALTER PUBLICATION p ADD TABLE before");
    database.keepLog();
    String place = database.place();
    fixture.execute("ALTER TABLE before RENAME TO a", "ALTER PUBLICATION p DROP TABLE b");
    fixture.execute("ALTER PUBLICATION p ADD TABLE b");
    SourceOfTask task = SourceOfTask.takingSlot("younger-" + database.schema(), database);
    assertThatThrownBy(() -> task.beginningAt(place))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table " + fixture.id("a"))
        .hasMessageContaining("table " + fixture.id("b"))
        .hasMessageNotContaining("table " + fixture.id("c"));
  }
}
