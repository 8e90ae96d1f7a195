package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What a repair writes to a target of Db2, and what it leaves. */
@TestInstance(Lifecycle.PER_CLASS)
class Db2TableRepairTest {
  private static final String SEATS = "SELECT id, place, v FROM app.seat ORDER BY id";

  private final List<String> noted = new ArrayList<>();
  private Db2RepairPair pair;

  @BeforeAll
  void start() {
    pair = new Db2RepairPair(EmbeddedDerby.start());
  }

  @AfterAll
  void stop() {
    if (pair != null) {
      pair.close();
    }
  }

  @BeforeEach
  void makeTables() throws SQLException {
    noted.clear();
    makeTables(pair);
  }

  private static void makeTables(Db2RepairPair pair) throws SQLException {
    pair.clear();
    pair.onSource(
        "CREATE TABLE app.seat (id int PRIMARY KEY, place int UNIQUE, v text)",
        "INSERT INTO app.seat SELECT i, i * 10, 'right' FROM generate_series(1, 6) i");
    pair.onTarget(
        "CREATE TABLE app.seat (id INTEGER NOT NULL PRIMARY KEY, place INTEGER NOT NULL UNIQUE,"
            + " v VARCHAR(4000), memo VARCHAR(20) DEFAULT 'none')");
    for (int id = 1; id <= 6; id++) {
      pair.onTarget("INSERT INTO app.seat VALUES (%d, %d, 'right', 'ours')".formatted(id, id * 10));
    }
  }

  @Test
  void differingMissingAndExtraRowsBecomeTheSourcesAndTheTargetsOwnColumnsStay() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id = 1",
        "DELETE FROM app.seat WHERE id = 3",
        "INSERT INTO app.seat VALUES (7, 70, 'extra', 'ours')");

    RepairOutcome outcome = repairSeats(1, 2, 3, 7);

    assertThat(outcome.count()).as(outcome.toString()).isEqualTo(3);
    assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
    assertThat(pair.onTarget("SELECT memo FROM app.seat ORDER BY id"))
        .containsExactly("ours", "ours", "none", "ours", "ours", "ours");
    assertThat(noted).containsExactlyInAnyOrder("UPSERT 1", "UPSERT 3", "DELETE 7");
  }

  @Test
  void rowsThatSomebodyChangesInsertsOrDeletesAfterTheyWereReadAreLeft() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id IN (1, 2, 4)",
        "DELETE FROM app.seat WHERE id IN (3, 5)");
    pair.journal().afterSession =
        () ->
            pair.onTarget(
                "UPDATE app.seat SET v = 'newer' WHERE id = 1",
                "DELETE FROM app.seat WHERE id = 4",
                "INSERT INTO app.seat VALUES (3, 31, 'newer', 'theirs')");

    RepairOutcome outcome = repairSeats(1, 2, 3, 4, 5);

    assertThat(outcome.count()).as(outcome.toString()).isEqualTo(2);
    assertThat(outcome.left()).isEqualTo(3);
    assertThat(pair.onTarget(SEATS))
        .containsExactly("1 10 newer", "2 20 right", "3 31 newer", "5 50 right", "6 60 right");
  }

  @Test
  void aRowThatTheSourceHasChangedSinceIsNotOverwrittenByTheOlderOne() throws Exception {
    pair.onTarget("UPDATE app.seat SET v = 'wrong' WHERE id IN (1, 2)");
    pair.journal().changedSince = List.of(RowKey.of("1"));
    pair.journal().afterSession =
        () -> pair.onSource("UPDATE app.seat SET v = 'wrong' WHERE id = 1");

    assertThat(repairSeats(1, 2).left()).isEqualTo(1);

    assertThat(pair.onTarget(SEATS)).startsWith("1 10 wrong", "2 20 right");
  }

  @Test
  void aTableToWhichSomebodyWritesIsLeftAsAWholeUntilTheirTransactionEnds() throws Exception {
    try (Db2RepairPair impatient = impatient()) {
      impatient.onTarget(
          "UPDATE app.seat SET v = 'wrong' WHERE id IN (1, 3)",
          "DELETE FROM app.seat WHERE id = 2");
      try (Connection other = impatient.connectTarget();
          Statement statement = other.createStatement()) {
        other.setAutoCommit(false);
        statement.execute("UPDATE app.seat SET memo = 'theirs' WHERE id = 6");

        RepairOutcome outcome = repairSeats(impatient, 1, 2, 3);

        assertThat(outcome.count()).isZero();
        assertThat(outcome.left()).isEqualTo(3);
        assertThat(outcome.why().orElseThrow())
            .startsWith("not possible now: ")
            .contains("others hold a lock on table \"app\".\"seat\"");
        other.commit();
      }
      assertThat(repairSeats(impatient, 1, 2, 3).count()).isEqualTo(3);
      assertThat(impatient.onTarget(SEATS)).isEqualTo(impatient.onSource(SEATS));
      assertThat(impatient.onTarget("SELECT memo FROM app.seat WHERE id = 6"))
          .containsExactly("theirs");
    }
  }

  @Test
  void othersReadAndNobodyWritesBetweenTheLastReadOfARowAndItsRepair() throws Exception {
    try (Db2RepairPair impatient = impatient()) {
      impatient.onTarget("UPDATE app.seat SET v = 'wrong' WHERE id = 2");
      List<String> read = new ArrayList<>();
      List<String> written = new ArrayList<>();

      RepairOutcome outcome =
          impatient.repair(
              "seat",
              List.of("id"),
              keys(2),
              new TableRepair.Audit() {
                @Override
                public void check(TargetConnection connection, RepairedRows rows)
                    throws SQLException {
                  read.addAll(impatient.onTarget("SELECT v FROM app.seat WHERE id = 1"));
                  for (String write :
                      List.of(
                          "UPDATE app.seat SET memo = 'theirs' WHERE id = 2",
                          "INSERT INTO app.seat VALUES (7, 70, 'new', 'theirs')")) {
                    try {
                      impatient.onTarget(write);
                      written.add(write);
                    } catch (SQLException e) {
                      // It has waited for the repair.
                    }
                  }
                }

                @Override
                public void write(TargetConnection connection, RepairedRows rows) {}
              });

      assertThat(outcome.count()).isEqualTo(1);
      assertThat(read).isNotEmpty().containsOnly("right");
      assertThat(written).isEmpty();
      assertThat(impatient.onTarget(SEATS)).isEqualTo(impatient.onSource(SEATS));
    }
  }

  /** On a server that ends waits for locks after a second, as Db2 does where a session asks. */
  private static Db2RepairPair impatient() throws SQLException {
    Db2RepairPair pair = new Db2RepairPair(EmbeddedDerby.start(Duration.ofSeconds(1)));
    makeTables(pair);
    return pair;
  }

  @Test
  void noUpdateOfAWriterBesideIsOverwrittenUnseen() throws Exception {
    UpdatesBeside.requireNoneOverwrittenUnseen(
        pair::connectTarget,
        () -> pair.repair("seat", List.of("id"), keys(1, 2, 3), (connection, rows) -> {}));
    assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
  }

  @Test
  void uniqueValuesThatRowsHaveExchangedAreRepairedAlsoIfOnlyOneOfThemIsListed() throws Exception {
    for (int[] listed : new int[][] {{1, 2, 3}, {1}}) {
      pair.onTarget(
          "UPDATE app.seat SET place = -id WHERE id <= 3",
          "UPDATE app.seat SET place = 30 WHERE id = 1",
          "UPDATE app.seat SET place = 10 WHERE id = 2",
          "UPDATE app.seat SET place = 20 WHERE id = 3");

      RepairOutcome outcome = repairSeats(listed);

      assertThat(outcome.count()).as(outcome.toString()).isEqualTo(3);
      assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
    }
  }

  /** To the server they are equal. */
  @Test
  void aKeyThatDiffersInBlanksAtItsEndOnlyIsAnotherRow() throws Exception {
    pair.onSource(
        "CREATE TABLE app.word (k varchar(9) PRIMARY KEY, n int)",
        "INSERT INTO app.word VALUES ('a ', 1), ('b', 2)");
    pair.onTarget(
        "CREATE TABLE app.word (k VARCHAR(36) NOT NULL PRIMARY KEY, n INTEGER)",
        "INSERT INTO app.word VALUES ('a', 1), ('b', 0)");

    RepairOutcome outcome =
        repair("word", List.of("k"), Stream.of("a ", "a", "b").map(RowKey::of).toList(), () -> {});

    assertThat(outcome.count()).as(outcome.toString()).isEqualTo(3);
    assertThat(pair.onTarget("SELECT '<' || k || '>', n FROM app.word ORDER BY n"))
        .containsExactly("<a > 1", "<b> 2");
  }

  @Test
  void aRowWhoseValueTheTargetCannotKeepIsNamedAndLeftAndTheOthersAreRepaired() throws Exception {
    pair.onSource(
        "CREATE TABLE app.seen (id int PRIMARY KEY, at timestamp, note varchar(9))",
        "INSERT INTO app.seen SELECT i, timestamp '2024-01-01' + i * interval '1 microsecond', 'note' FROM generate_series(1, 6) i",
        "UPDATE app.seen SET at = 'infinity' WHERE id = 4",
        "UPDATE app.seen SET note = 'too long' WHERE id = 5");
    pair.onTarget(
        "CREATE TABLE app.seen (id INTEGER NOT NULL PRIMARY KEY, at TIMESTAMP, note VARCHAR(5))");

    RepairOutcome outcome = repair("seen", List.of("id"), keys(1, 2, 3, 4, 5, 6), () -> {});

    assertThat(outcome.count()).as(outcome.toString()).isEqualTo(4);
    assertThat(outcome.refused())
        .extracting(row -> row.row().key().values().get(0) + ": " + row.why())
        .satisfiesExactlyInAnyOrder(
            first -> assertThat(first).startsWith("4: ").contains("at", "infinity"),
            second -> assertThat(second).startsWith("5: ").contains("note"));
  }

  @Test
  void aRepairThatEndsInTheMiddleHasWrittenNothingAndTheNextOneRepairsAll() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id <= 3", "DELETE FROM app.seat WHERE id = 4");
    List<String> before = pair.onTarget(SEATS);
    assertThatThrownBy(
            () ->
                repair(
                    "seat",
                    List.of("id"),
                    keys(1, 2, 3, 4),
                    () -> {
                      throw new IllegalStateException("ended");
                    }))
        .hasMessage("ended");
    assertThat(pair.onTarget(SEATS)).isEqualTo(before);
    assertThat(repairSeats(1, 2, 3, 4).count()).isEqualTo(4);
    assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
  }

  private RepairOutcome repairSeats(int... ids) throws InterruptedException {
    return repair("seat", List.of("id"), keys(ids), () -> {});
  }

  private static RepairOutcome repairSeats(Db2RepairPair pair, int... ids)
      throws InterruptedException {
    return pair.repair("seat", List.of("id"), keys(ids), (connection, rows) -> {});
  }

  private static List<RowKey> keys(int... ids) {
    return Arrays.stream(ids).mapToObj(id -> RowKey.of(String.valueOf(id))).toList();
  }

  private RepairOutcome repair(
      String table, List<String> key, List<RowKey> rows, RepairJournal.Action beforeCommit)
      throws InterruptedException {
    return pair.repair(
        table,
        key,
        rows,
        (connection, repaired) -> {
          repaired.rows().forEach(row -> noted.add(row.action() + " " + row.key().values().get(0)));
          try {
            beforeCommit.run();
          } catch (SQLException | RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new SluiceException.Fatal("test", e);
          }
        });
  }
}
