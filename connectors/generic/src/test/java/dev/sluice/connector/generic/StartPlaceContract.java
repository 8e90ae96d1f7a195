package dev.sluice.connector.generic;

import static dev.sluice.connector.generic.CaptureFixture.changes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.journal.JournalReader;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a task does that begins at a place of the log, by a connector and a real server. */
abstract class StartPlaceContract {
  /** Transactions, with what the journal has of each; nothing of a table of somebody else. */
  static final List<List<String>> WRITES =
      List.of(
          List.of("INSERT INTO a VALUES (1, 'one')", "+1,one"),
          List.of("INSERT INTO a VALUES (2, 'two'), (3, 'three')", "+2,two +3,three"),
          List.of("INSERT INTO other VALUES (1)", ""),
          List.of("UPDATE a SET t = 'x' WHERE id = 1", "1:1,x"),
          List.of("DELETE FROM a WHERE id = 2", "-2"));

  abstract CapturedDatabase database();

  /** Those that this database lets a start follow. */
  List<List<String>> writes() {
    return WRITES;
  }

  /** Texts that name no place between two transactions behind a place, with what is said. */
  abstract List<List<String>> wrongPlaces(CapturedDatabase database, String place)
      throws SQLException;

  private static CaptureFixture tables(CapturedDatabase database) {
    CaptureFixture fixture =
        new CaptureFixture(database)
            .table("a", "id int", "t text")
            .table("b", "id int")
            // The last one of which a connector reads the definition.
            .table("z", "id int");
    return fixture.execute(
        "CREATE TABLE other (id int PRIMARY KEY)", "INSERT INTO a VALUES (0, 'before')");
  }

  @Test
  void aStartAtEachPlaceOfTheLogBringsExactlyWhatIsBehindIt() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = tables(database);
    database.keepLog();
    List<String> places = new ArrayList<>();
    for (List<String> write : writes()) {
      places.add(database.place());
      fixture.execute(write.get(0));
    }
    for (int from = 0; from < places.size(); from++) {
      keepAgain(database);
      SourceOfTask task =
          SourceOfTask.takingSlot("place" + from + "-" + database.schema(), database)
              .beginningAt(places.get(from));
      List<String> expected = new ArrayList<>();
      writes().subList(from, writes().size()).forEach(write -> expected.add(write.get(1)));
      expected.removeIf(String::isEmpty);
      assertThat(journaled(task, expected.size())).as("from %s on", from).isEqualTo(expected);
    }
  }

  /** Nothing of the first capture is in the journal, as after a kill. */
  @Test
  void aStartThatJournaledNothingBeginsAtTheSamePlace() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = tables(database);
    database.keepLog();
    String place = database.place();
    SourceOfTask task =
        SourceOfTask.takingSlot("again-" + database.schema(), database).beginningAt(place);
    task.capture().close();
    fixture.execute("INSERT INTO a VALUES (1, 'one')");
    task.again(database).capture().close();
    assertThat(journaled(task.again(database), 1)).containsExactly("+1,one");
    fixture.execute("INSERT INTO a VALUES (2, 'while nobody reads')");
    assertThat(journaled(task.again(database), 2))
        .as("behind what the journal has")
        .containsExactly("+1,one", "+2,while nobody reads");
  }

  /** The definitions are as they were, and a row between has another one. */
  @Test
  void aTableThatChangedAndChangedBackBeforeARepeatedStartIsRefusedByName() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = tables(database);
    database.keepLog();
    SourceOfTask task =
        SourceOfTask.takingSlot("back-" + database.schema(), database)
            .beginningAt(database.place());
    task.capture().close();
    fixture.execute(
        "ALTER TABLE a ADD COLUMN more int",
        "INSERT INTO a VALUES (1, 'one', 2)",
        "ALTER TABLE a DROP COLUMN more");
    SourceOfTask again = task.again(database);
    assertThatThrownBy(again::capture)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table " + fixture.id("a"))
        .hasMessageContaining("Let the task load the tables");
    again.source.releaseClaim();
  }

  /** A connector that is given no offset would begin at the present. */
  @Test
  void aPlaceThatIsNoLongerKnownIsNeverGuessed() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = tables(database);
    database.keepLog();
    SourceOfTask task =
        SourceOfTask.takingSlot("lost-" + database.schema(), database)
            .beginningAt(database.place());
    fixture.execute("INSERT INTO a VALUES (1, 'one')");
    task.forgetDefinitions();
    SourceOfTask again = task.again(database);
    assertThatThrownBy(again::capture)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("it does not have Debezium's offset");
    again.source.releaseClaim();
  }

  @Test
  void aTableWhoseDefinitionChangedBehindThePlaceIsRefusedByName() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = tables(database);
    database.keepLog();
    String place = database.place();
    fixture.execute(
        "INSERT INTO a VALUES (1, 'one')",
        "ALTER TABLE a ADD COLUMN more int",
        "INSERT INTO b VALUES (1)");
    SourceOfTask task = SourceOfTask.takingSlot("altered-" + database.schema(), database);
    assertThatThrownBy(() -> task.beginningAt(place))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table " + fixture.id("a"))
        .hasMessageNotContaining("table " + fixture.id("b"));
  }

  @Test
  void whatIsNoPlaceBetweenTwoTransactionsIsRefused() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = tables(database);
    database.keepLog();
    String place = database.place();
    fixture.execute("INSERT INTO a VALUES (1, 'one')");
    SourceOfTask task = SourceOfTask.takingSlot("wrong-" + database.schema(), database);
    for (List<String> wrong : wrongPlaces(database, place)) {
      assertThatThrownBy(() -> task.source.retention().named(wrong.get(0)))
          .as(wrong.get(0))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("cdc-start-position")
          .hasMessageContaining(wrong.get(1));
    }
  }

  private static List<String> journaled(SourceOfTask task, int count) {
    Capture capture = task.capture();
    try (JournalReader reader = task.reader()) {
      List<String> found = new ArrayList<>();
      CaptureFixture.await(
          () -> {
            if (capture.failure().isPresent()) {
              throw new AssertionError(capture.failure().get());
            }
            reader
                .poll(Duration.ofMillis(50))
                .forEach(
                    each -> {
                      if (!each.changes().isEmpty()) {
                        found.add(String.join(" ", changes(each)));
                      }
                    });
            return found.size() >= count;
          });
      return found;
    } finally {
      capture.close();
    }
  }

  /** The server may notice late that the last reader is gone. */
  private static void keepAgain(CapturedDatabase database) {
    Awaitility.await()
        .atMost(CaptureFixture.TIMEOUT)
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(
            () -> {
              database.keepAgain();
              return true;
            });
  }
}
