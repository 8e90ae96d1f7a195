package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.engine.validate.session.MovingPair;
import dev.sluice.engine.validate.session.YugabytePair;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same on a target that is as strict as YugabyteDB, and what is of its row locks. */
class YugabyteTableRepairTest extends TableRepairTest {
  private static final TableId SEAT = MovingPair.table("seat");
  private static final String SEATS =
      "SELECT string_agg(concat_ws(' ', id, place, v), ',' ORDER BY id) FROM app.seat";

  private static final String COMMIT = "commit";

  /** How a read of rows by their keys begins. */
  private static final String LOOKUP = "select name, array";

  private YugabytePair pair;
  private RepairPair both;

  @Override
  RepairPair open() throws Exception {
    pair = new YugabytePair(1);
    both = new RepairPair(pair);
    return both;
  }

  @BeforeEach
  void makeSeats() throws SQLException {
    pair.onBoth(
        "CREATE TABLE app.seat (id int PRIMARY KEY, place int UNIQUE, v text)",
        "INSERT INTO app.seat SELECT i, i * 10, 'right' FROM generate_series(1, 6) i");
  }

  @AfterEach
  void nothingWasSentThatYugabyteRefuses() {
    assertThat(pair.proxy().refused()).isEmpty();
  }

  /** What an open transaction of somebody else keeps from being repaired, and how it ends. */
  static Stream<Arguments> othersChanges() {
    return Stream.of(
        Arguments.of(1, "UPDATE app.seat SET v = 'newer' WHERE id = 1", "COMMIT", "1 10 newer"),
        Arguments.of(1, "DELETE FROM app.seat WHERE id = 1", "ROLLBACK", "1 10 wrong"),
        Arguments.of(2, "INSERT INTO app.seat VALUES (2, 22, 'newer')", "COMMIT", "2 22 newer"),
        Arguments.of(6, "INSERT INTO app.seat VALUES (9, 60, 'theirs')", "ROLLBACK", "6 -6 right"));
  }

  @ParameterizedTest
  @MethodSource("othersChanges")
  void onlyTheRowThatSomebodyElseHoldsIsLeftAndItIsNamed(
      int held, String change, String end, String then) throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id IN (1, 3, 4, 5)",
        "DELETE FROM app.seat WHERE id = 2",
        "UPDATE app.seat SET place = -6 WHERE id = 6");
    try (Connection other = connectTarget();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(change);

      RepairOutcome outcome = repairSeats(1, 2, 3, 4, 5, 6);

      assertThat(outcome.count()).isEqualTo(5);
      assertThat(outcome.left()).isEqualTo(1);
      assertThat(outcome.inOthersHands()).containsExactly(RowKey.of("" + held));
      assertThat(outcome.why().orElseThrow()).contains("others are changing them");
      statement.execute(end);
    }
    assertThat(
            pair.onTargetGet(
                "SELECT concat_ws(' ', id, place, v) FROM app.seat WHERE id = " + held))
        .isEqualTo(then);

    assertThat(repairSeats(1, 2, 3, 4, 5, 6).count()).isEqualTo(1);

    assertThat(pair.onTargetGet(SEATS)).isEqualTo(pair.onSourceGet(SEATS));
  }

  @Test
  void rowsThatOthersHoldAreNotWaitedFor() throws Exception {
    int rows = 3 * RoundWriter.MOST_WAITS;
    pair.onBoth(
        "CREATE TABLE app.page (id int PRIMARY KEY, v int)",
        "INSERT INTO app.page SELECT i, 1 FROM generate_series(1, %d) i".formatted(rows));
    pair.onTarget("UPDATE app.page SET v = 0");
    try (Connection other = connectTarget();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE app.page SET v = 2 WHERE id % 2 = 0");

      RepairOutcome outcome =
          repair(MovingPair.table("page"), "id", IntStream.rangeClosed(1, rows).toArray());

      assertThat(outcome.count()).isEqualTo(rows / 2);
      assertThat(outcome.inOthersHands()).hasSize(rows / 2);
      other.commit();
    }
    assertThat(
            pair.onTargetGet(
                "SELECT string_agg(DISTINCT concat_ws(' ', id % 2, v), ',') FROM app.page"))
        .isEqualTo("0 2,1 1");
  }

  @Test
  void nobodyCanChangeARowBetweenItsLastReadAndItsRepair() throws Exception {
    pair.onTarget("UPDATE app.seat SET v = 'wrong' WHERE id = 2");
    List<String> errors = new ArrayList<>();

    both.repair(
        SEAT,
        List.of("id"),
        List.of("2"),
        (columns, found) -> found,
        new TableRepair.Audit() {
          @Override
          public void check(TargetConnection connection, RepairedRows rows) {
            try {
              pair.onTarget(
                  "SET lock_timeout = '1s'",
                  "UPDATE app.seat SET v = 'theirs' WHERE id = 1",
                  "UPDATE app.seat SET v = 'theirs' WHERE id = 2");
            } catch (SQLException e) {
              errors.add(e.getSQLState());
            }
          }

          @Override
          public void write(TargetConnection connection, RepairedRows rows) {}
        });

    assertThat(errors).contains("55P03").containsOnly("55P03");
    assertThat(pair.onTargetGet(SEATS)).startsWith("1 10 theirs,2 20 right,");
  }

  @Test
  void noUpdateOfAWriterBesideIsOverwrittenUnseen() throws Exception {
    UpdatesBeside.requireNoneOverwrittenUnseen(this::connectTarget, () -> repairSeats(1, 2, 3));
    assertThat(pair.onTargetGet(SEATS)).isEqualTo(pair.onSourceGet(SEATS));
  }

  @Test
  void uniqueValuesThatRowsHaveExchangedAreRepairedAlsoIfOnlyOneOfThemIsListed() throws Exception {
    for (int[] listed : new int[][] {{1, 2, 3}, {1}}) {
      pair.onTarget(
          "UPDATE app.seat SET place = -id WHERE id <= 3",
          "UPDATE app.seat SET place = 30 WHERE id = 1",
          "UPDATE app.seat SET place = 10 WHERE id = 2",
          "UPDATE app.seat SET place = 20 WHERE id = 3");

      assertThat(repairSeats(listed).count()).isEqualTo(3);

      assertThat(pair.onTargetGet(SEATS)).isEqualTo(pair.onSourceGet(SEATS));
    }
  }

  /** The statements of the transaction that holds the lane. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select epoch",
        "select s.n",
        "delete from only name",
        "update only name",
        "insert",
        "create temporary",
        COMMIT
      })
  void aConflictRollsAllBackAndAllIsDoneAgain(String begin) throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id <= 2",
        "DELETE FROM app.seat WHERE id = 3",
        "INSERT INTO app.seat VALUES (7, 70, 'extra')");
    List<String> noted = new ArrayList<>();

    FaultOnce fault = new FaultOnce(begin, Fault.CONFLICT);
    RepairOutcome outcome =
        both.repair(
            SEAT,
            List.of("id"),
            List.of("1", "2", "3", "7"),
            (columns, found) -> found,
            (connection, rows) -> {
              noted.add(rows.rows().size() + " rows");
              fault.noted();
            });

    assertThat(pair.proxy().faults()).containsEntry(Fault.CONFLICT, 1);
    assertThat(outcome.count()).isEqualTo(4);
    assertThat(noted).hasSize(begin.equals(COMMIT) ? 2 : 1).containsOnly("4 rows");
    assertThat(pair.onTargetGet(SEATS)).isEqualTo(pair.onSourceGet(SEATS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"select s.n", "insert", COMMIT})
  void aLostConnectionLeavesAllRowsOrNone(String begin) throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id <= 2", "DELETE FROM app.seat WHERE id = 3");
    String before = pair.onTargetGet(SEATS);

    FaultOnce fault = new FaultOnce(begin, Fault.LOST_BEFORE);
    RepairOutcome outcome =
        both.repair(
            SEAT,
            List.of("id"),
            List.of("1", "2", "3"),
            (columns, found) -> found,
            (connection, rows) -> fault.noted());

    assertThat(fault.isNoted()).isEqualTo(begin.equals(COMMIT));
    assertThat(pair.proxy().faults()).containsEntry(Fault.LOST_BEFORE, 1);
    assertThat(outcome.count()).isZero();
    assertThat(pair.onTargetGet(SEATS)).isEqualTo(before);
    assertThat(repairSeats(1, 2, 3).count()).isEqualTo(3);
    assertThat(pair.onTargetGet(SEATS)).isEqualTo(pair.onSourceGet(SEATS));
  }

  /** A statement of a correction that fails once; its commit only when it has noted its rows. */
  private final class FaultOnce {
    private final String begin;
    private final Fault fault;
    private boolean noted;

    FaultOnce(String begin, Fault fault) {
      this.begin = begin;
      this.fault = fault;
      if (!begin.equals(COMMIT)) {
        pair.proxy().failOnce(begin, fault);
      }
    }

    void noted() {
      if (!noted && begin.equals(COMMIT)) {
        pair.proxy().failOnce(begin, fault);
      }
      noted = true;
    }

    boolean isNoted() {
      return noted;
    }
  }

  @Test
  void aSearchThatIsNotPossibleLeavesOnlyTheMissingRows() throws Exception {
    TableId part = MovingPair.table("part");
    pair.onSource(
        "CREATE TABLE app.part (code int PRIMARY KEY, id int NOT NULL)",
        "INSERT INTO app.part SELECT i, i FROM generate_series(1, 9) i");
    pair.onTarget(
        "CREATE TABLE app.part (code int NOT NULL UNIQUE, id int PRIMARY KEY)",
        "INSERT INTO app.part SELECT i, CASE i WHEN 2 THEN -2 ELSE i END FROM generate_series(1, 7) i",
        "INSERT INTO app.part VALUES (70, 70)");

    RepairOutcome outcome =
        both.repair(
            part,
            List.of("code"),
            List.of("2", "8", "9", "70"),
            (columns, found) -> {
              pair.proxy().failOnce(LOOKUP, Fault.STORAGE_TIMEOUT);
              return found;
            },
            (connection, rows) -> {});

    assertThat(pair.proxy().faults()).containsEntry(Fault.STORAGE_TIMEOUT, 1);
    assertThat(outcome.count()).isEqualTo(2);
    assertThat(outcome.left()).isEqualTo(2);
    assertThat(outcome.why().orElseThrow()).startsWith("not possible now: ");
    assertThat(
            pair.onTargetGet(
                "SELECT string_agg(code || ' ' || id, ',' ORDER BY code) FROM app.part"))
        .isEqualTo("1 1,2 2,3 3,4 4,5 5,6 6,7 7");
  }

  @Test
  void aRowThatComesAndGoesMeanwhileIsNoneThatAnIndexHides() throws Exception {
    pair.onTarget("DELETE FROM app.seat WHERE id = 2");
    AtomicInteger snapshots = new AtomicInteger();
    // A second time it finds nothing, and waits for no lock.
    both.whileHeld(() -> pair.onTarget("DELETE FROM app.seat WHERE id = 2"));

    RepairOutcome outcome =
        both.repair(
            SEAT,
            List.of("id"),
            List.of("2"),
            (columns, found) -> {
              RepairJournal.run(() -> pair.onTarget("INSERT INTO app.seat VALUES (2, 20, 'came')"));
              pair.proxy()
                  .beforeEach(
                      "begin isolation level serializable",
                      () -> {
                        // Those of the search: for the size of the table, and for its rows.
                        if (snapshots.incrementAndGet() == 3) {
                          RepairJournal.run(
                              () -> pair.onTarget("DELETE FROM app.seat WHERE id = 2"));
                        }
                      });
              return found;
            },
            (connection, rows) -> {});

    assertThat(outcome.refused()).isEmpty();
    assertThat(outcome.count()).isEqualTo(1);
  }

  @Test
  void rowsOfATableWhoseKeyIsNotThePrimaryOneAreSearchedWholeAndLockedByIt() throws Exception {
    TableId part = MovingPair.table("part");
    pair.onSource(
        "CREATE TABLE app.part (code int PRIMARY KEY, id int NOT NULL, n int)",
        "INSERT INTO app.part SELECT i, i + 1000, i FROM generate_series(1, 300) i");
    pair.onTarget(
        "CREATE TABLE app.part (code int NOT NULL UNIQUE, id int PRIMARY KEY, n int)",
        "INSERT INTO app.part SELECT i, i + 1000, i FROM generate_series(1, 290) i",
        "UPDATE app.part SET n = -1 WHERE code IN (4, 5)");
    try (Connection other = connectTarget();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE app.part SET n = -2 WHERE id = 1004");

      RepairOutcome outcome = repair(part, "code", 4, 5, 291, 300);

      assertThat(outcome.count()).isEqualTo(3);
      assertThat(outcome.inOthersHands()).containsExactly(RowKey.of("4"));
      other.commit();
    }
    assertThat(
            pair.onTargetGet(
                "SELECT string_agg(n::text, ',' ORDER BY id) FROM app.part WHERE code IN (4, 5, 291, 300)"))
        .isEqualTo("-2,5,291,300");
  }

  /** PostgreSQL keeps an index that is not ready as it is. */
  @Test
  void aRowThatAnIndexOtherThanThePrimaryOneHidesIsNotInsertedASecondTime() throws Exception {
    TableId part = MovingPair.table("part");
    String ready =
        "UPDATE pg_index SET indisready = %s WHERE indexrelid = 'app.part_code_key'::regclass";
    pair.onSource(
        "CREATE TABLE app.part (code int PRIMARY KEY, id int NOT NULL)",
        "INSERT INTO app.part SELECT i, i FROM generate_series(1, 300) i");
    pair.onTarget(
        "CREATE TABLE app.part (code int NOT NULL UNIQUE, id int PRIMARY KEY)",
        "INSERT INTO app.part SELECT i, i FROM generate_series(1, 290) i",
        "DELETE FROM app.part WHERE code = 7",
        ready.formatted(false),
        "INSERT INTO app.part VALUES (7, 7)",
        ready.formatted(true));

    RepairOutcome outcome = repair(part, "code", 7, 299);

    assertThat(outcome.count()).isEqualTo(1);
    assertThat(outcome.refused())
        .singleElement()
        .satisfies(
            row ->
                assertThat(row.why()).contains("which is damaged", "create another unique index"));
  }

  private Connection connectTarget() throws SQLException {
    return DriverManager.getConnection(pair.targetUrl());
  }

  private RepairOutcome repairSeats(int... ids) throws InterruptedException {
    return repair(SEAT, "id", ids);
  }

  private RepairOutcome repair(TableId table, String key, int... ids) throws InterruptedException {
    return both.repair(
        table,
        List.of(key),
        IntStream.of(ids).mapToObj(String::valueOf).toList(),
        (columns, found) -> found,
        (connection, rows) -> {});
  }
}
