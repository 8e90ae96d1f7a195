package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.ToMariadb;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a repair writes to a MariaDB target, and what it leaves. */
@TestInstance(Lifecycle.PER_CLASS)
class MariadbTableRepairTest {
  private static final String SEATS = "SELECT id, place, v FROM app.seat ORDER BY id";

  private MariadbRepairPair pair;

  private final List<String> noted = new ArrayList<>();

  EmbeddedServer target() {
    return EmbeddedMariadb.builder().fsync().start();
  }

  @BeforeAll
  void start() {
    pair = new MariadbRepairPair(target());
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
    pair.clear();
    pair.onSource(
        "CREATE TABLE app.seat (id int PRIMARY KEY, place int UNIQUE, v text)",
        "INSERT INTO app.seat SELECT i, i * 10, 'right' FROM generate_series(1, 6) i");
    pair.onTarget(
        "CREATE TABLE app.seat (id int PRIMARY KEY, place int UNIQUE, v longtext, memo varchar(20) DEFAULT 'none')",
        "INSERT INTO app.seat (id, place, v, memo) SELECT seq, seq * 10, 'right', 'ours' FROM "
            + ToMariadb.numbers(6));
  }

  @Test
  void differingMissingAndExtraRowsBecomeTheSourcesAndTheTargetsOwnColumnsStay() throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id = 1",
        "UPDATE app.seat SET place = 77 WHERE id = 2",
        "DELETE FROM app.seat WHERE id = 3",
        "INSERT INTO app.seat VALUES (7, 70, 'extra', 'ours')");

    RepairOutcome outcome = repairSeats(1, 2, 3, 7);

    assertThat(outcome.count()).isEqualTo(4);
    assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
    assertThat(pair.onTarget("SELECT memo FROM app.seat ORDER BY id"))
        .containsExactly("ours", "ours", "none", "ours", "ours", "ours");
    assertThat(noted).containsExactlyInAnyOrder("UPSERT 1", "UPSERT 2", "UPSERT 3", "DELETE 7");
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

    assertThat(outcome.count()).isEqualTo(2);
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

  /** What an open transaction of somebody else keeps from being repaired, and how it ends. */
  static Stream<Arguments> othersChanges() {
    return Stream.of(
        Arguments.of(1, "UPDATE app.seat SET v = 'newer' WHERE id = 1", "COMMIT", "1 10 newer"),
        Arguments.of(1, "DELETE FROM app.seat WHERE id = 1", "ROLLBACK", "1 10 wrong"),
        Arguments.of(
            2, "INSERT INTO app.seat VALUES (2, 22, 'newer', 'theirs')", "COMMIT", "2 22 newer"),
        Arguments.of(
            6, "INSERT INTO app.seat VALUES (9, 60, 'new', 'theirs')", "ROLLBACK", "6 -6 right"));
  }

  @ParameterizedTest
  @MethodSource("othersChanges")
  void onlyTheRowThatSomebodyElseHoldsIsLeftAndItIsNamed(
      int held, String change, String end, String then) throws Exception {
    pair.onTarget(
        "UPDATE app.seat SET v = 'wrong' WHERE id IN (1, 3, 4, 5)",
        "DELETE FROM app.seat WHERE id = 2",
        "UPDATE app.seat SET place = -6 WHERE id = 6");
    try (Connection other = pair.connectTarget();
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
    assertThat(pair.onTarget("SELECT id, place, v FROM app.seat WHERE id = " + held))
        .containsExactly(then);

    assertThat(repairSeats(1, 2, 3, 4, 5, 6).count()).isEqualTo(1);

    assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
  }

  @Test
  void rowsThatOthersHoldAreNotWaitedFor() throws Exception {
    int rows = 3 * RoundWriter.MOST_WAITS;
    pair.onSource(
        "CREATE TABLE app.page (id int PRIMARY KEY, v int)",
        "INSERT INTO app.page SELECT i, 1 FROM generate_series(1, %d) i".formatted(rows));
    pair.onTarget(
        "CREATE TABLE app.page (id int PRIMARY KEY, v int)",
        "INSERT INTO app.page SELECT seq, 0 FROM " + ToMariadb.numbers(rows));
    try (Connection other = pair.connectTarget();
        Statement statement = other.createStatement()) {
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      other.setAutoCommit(false);
      statement.execute("UPDATE app.page SET v = 2 WHERE id % 2 = 0");

      RepairOutcome outcome =
          repair("page", List.of("id"), keys(IntStream.rangeClosed(1, rows).toArray()), () -> {});

      assertThat(outcome.count()).isEqualTo(rows / 2);
      assertThat(outcome.inOthersHands()).hasSize(rows / 2);
      other.commit();
    }
    assertThat(pair.onTarget("SELECT DISTINCT id % 2, v FROM app.page ORDER BY v"))
        .containsExactly("1 1", "0 2");
  }

  @Test
  void aHeldRowIsFoundAlsoIfItsKeyIsNotThePrimaryOne() throws Exception {
    pair.onSource(
        "CREATE TABLE app.part (code varchar(9) PRIMARY KEY, n int)",
        "INSERT INTO app.part SELECT 'c' || i, i FROM generate_series(1, 5) i");
    pair.onTarget(
        "CREATE TABLE app.part (code varchar(9) NOT NULL UNIQUE, id int AUTO_INCREMENT PRIMARY KEY, n int)",
        "INSERT INTO app.part (code, n) SELECT CONCAT('c', seq), 0 FROM " + ToMariadb.numbers(5));
    List<RowKey> keys = Stream.of("c1", "c2", "c3", "c4", "c5").map(RowKey::of).toList();
    try (Connection other = pair.connectTarget();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      // This locks the row itself, and nothing in the index of its key.
      statement.execute("UPDATE app.part SET n = -1 WHERE id = 4");

      RepairOutcome outcome = repair("part", List.of("code"), keys, () -> {});

      assertThat(outcome.count()).isEqualTo(4);
      assertThat(outcome.inOthersHands()).containsExactly(RowKey.of("c4"));
      other.commit();
    }
    assertThat(pair.onTarget("SELECT n FROM app.part ORDER BY code"))
        .containsExactly("1", "2", "3", "-1", "5");
  }

  @Test
  void nobodyCanChangeARowBetweenItsLastReadAndItsRepair() throws Exception {
    pair.onTarget("UPDATE app.seat SET v = 'wrong' WHERE id = 2");
    List<Integer> errors = new ArrayList<>();

    pair.repair(
        "seat",
        List.of("id"),
        keys(2),
        new TableRepair.Audit() {
          @Override
          public void check(TargetConnection connection, RepairedRows rows) {
            try {
              pair.onTarget(
                  "SET innodb_lock_wait_timeout = 1",
                  "UPDATE app.seat SET memo = 'theirs' WHERE id = 1",
                  "UPDATE app.seat SET memo = 'theirs' WHERE id = 2");
            } catch (SQLException e) {
              errors.add(e.getErrorCode());
            }
          }

          @Override
          public void write(TargetConnection connection, RepairedRows rows) {}
        });

    assertThat(errors).containsExactly(1205);
    assertThat(pair.onTarget("SELECT v, memo FROM app.seat WHERE id < 3 ORDER BY id"))
        .containsExactly("right theirs", "right ours");
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

      assertThat(repairSeats(listed).count()).isEqualTo(3);

      assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
      assertThat(pair.onTarget("SELECT COUNT(*) FROM app.seat WHERE memo = 'ours'"))
          .containsExactly("6");
    }
  }

  /** In which keys are told by their bytes. */
  List<String> collations() {
    return List.of("utf8mb4_nopad_bin", "latin1_nopad_bin");
  }

  @Test
  void keysAreToldByTheirBytes() throws Exception {
    List<String> keys = List.of("a", "A", "a ", "A ", " a", "ä", "ae", "", " ");
    for (String collation : collations()) {
      pair.onSource(
          "DROP TABLE IF EXISTS app.word",
          "CREATE TABLE app.word (k varchar(9), n int, PRIMARY KEY (n, k))");
      pair.onTarget(
          "DROP TABLE IF EXISTS app.word",
          "CREATE TABLE app.word (k varchar(9) CHARACTER SET %s COLLATE %s, n int, PRIMARY KEY (n, k))"
              .formatted(collation.split("_")[0], collation));
      for (String key : keys) {
        pair.onSource("INSERT INTO app.word VALUES ('%s', 1)".formatted(key));
        if (!key.equals("a ") && !key.equals(" ")) {
          pair.onTarget("INSERT INTO app.word VALUES ('%s', 1)".formatted(key));
        }
      }
      pair.onTarget("INSERT INTO app.word VALUES ('A  ', 1)");

      RepairOutcome outcome =
          repair(
              "word",
              List.of("n", "k"),
              Stream.of("a ", "A", " ", "A  ").map(key -> RowKey.of("1", key)).toList(),
              () -> {});

      assertThat(outcome.count()).isEqualTo(3);
      assertThat(pair.onTarget("SELECT CONCAT('<', k, '>') FROM app.word"))
          .containsExactlyInAnyOrderElementsOf(keys.stream().map(key -> "<" + key + ">").toList());
    }
  }

  @Test
  void aRowWhoseValueTheTargetCannotKeepIsNamedAndLeftAndTheOthersAreRepaired() throws Exception {
    pair.onSource(
        "CREATE TABLE app.seen (id int PRIMARY KEY, at timestamp, note varchar(9))",
        "INSERT INTO app.seen SELECT i, timestamp '2024-01-01' + i * interval '1 microsecond', 'note' FROM generate_series(1, 9) i",
        "UPDATE app.seen SET at = 'infinity' WHERE id = 4",
        "UPDATE app.seen SET note = 'too long' WHERE id = 5");
    pair.onTarget(
        "CREATE TABLE app.seen (id int PRIMARY KEY, at datetime(6), note varchar(5))",
        "INSERT INTO app.seen VALUES (4, '2024-01-01', 'note'), (5, '2024-01-01 00:00:00.000005', 'note')");

    RepairOutcome outcome =
        repair(
            "seen",
            List.of("id"),
            Stream.of("1", "2", "3", "4", "5", "6", "7", "8", "9").map(RowKey::of).toList(),
            () -> {});

    assertThat(outcome.count()).isEqualTo(7);
    assertThat(outcome.refused())
        .extracting(row -> row.row().key().values().get(0) + ": " + row.why())
        .satisfiesExactlyInAnyOrder(
            first -> assertThat(first).startsWith("4: ").contains("at", "infinity"),
            second -> assertThat(second).startsWith("5: ").contains("note", "too long"));
    assertThat(pair.onTarget("SELECT at, note FROM app.seen WHERE id IN (4, 5) ORDER BY id"))
        .containsExactly("2024-01-01 00:00:00.000000 note", "2024-01-01 00:00:00.000005 note");
  }

  @Test
  void aRepairThatEndsInTheMiddleHasWrittenNothing() throws Exception {
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

    RepairOutcome outcome =
        repair(
            "seat",
            List.of("id"),
            keys(1, 2, 3, 4),
            () ->
                pair.onTarget(
                    "KILL "
                        + pair.onTarget(
                                "SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX WHERE trx_rows_modified > 0")
                            .get(0)));

    assertThat(outcome.count()).isZero();
    assertThat(pair.onTarget(SEATS)).isEqualTo(before);
    assertThat(repairSeats(1, 2, 3, 4).count()).isEqualTo(4);
    assertThat(pair.onTarget(SEATS)).isEqualTo(pair.onSource(SEATS));
  }

  @Test
  void columnsThatMariadbFillsByItselfHaveTheSourcesValues() throws Exception {
    pair.onSource(
        "CREATE TABLE app.filled (id int PRIMARY KEY, at timestamptz, seen timestamp, n int, twice int GENERATED ALWAYS AS (n * 2) STORED)",
        "INSERT INTO app.filled SELECT i, timestamptz '2024-01-01 00:00:00.5+00', '2024-01-01', 0 FROM generate_series(0, 5) i");
    pair.onTarget(
        "CREATE TABLE app.filled (id int AUTO_INCREMENT PRIMARY KEY, at timestamp(6) NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),"
            + " seen datetime(6), n int, twice int AS (n * 2) STORED,"
            + " changed timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6))",
        "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
        "INSERT INTO app.filled (id, at, seen, n, changed) SELECT seq, '2024-01-01 00:00:00.5', '2024-01-01', 0, '2001-01-01' FROM "
            + ToMariadb.numbers(4),
        "UPDATE app.filled SET at = '2020-01-01', changed = changed WHERE id = 1",
        "UPDATE app.filled SET seen = '0000-00-00', at = at, changed = changed WHERE id = 2",
        "UPDATE app.filled SET n = 7, at = at, changed = changed WHERE id = 3",
        "UPDATE app.filled SET seen = NULL, at = '0000-00-00', changed = changed WHERE id = 4");

    RepairOutcome outcome = repair("filled", List.of("id"), keys(0, 1, 2, 3, 4, 5), () -> {});

    assertThat(outcome.count()).isEqualTo(6);
    String row = "2024-01-01 00:00:00.500000 2024-01-01 00:00:00.000000 0 0";
    assertThat(
            pair.onTarget(
                "SET time_zone = '+00:00'",
                "SELECT id, at, seen, n, twice, IF(changed = '2001-01-01', 'kept', 'made') FROM app.filled ORDER BY id"))
        .containsExactly(
            "0 " + row + " made",
            "1 " + row + " kept",
            "2 " + row + " kept",
            "3 " + row + " kept",
            "4 " + row + " kept",
            "5 " + row + " made");
  }

  @Test
  void rowsOfATableWhoseKeyIsNotThePrimaryOneAreSearchedWholeBeforeTheyAreInserted()
      throws Exception {
    pair.onSource(
        "CREATE TABLE app.part (code varchar(9) PRIMARY KEY, id int NOT NULL, n int)",
        "INSERT INTO app.part SELECT 'c' || i, i, i FROM generate_series(1, 300) i");
    pair.onTarget(
        "CREATE TABLE app.part (code varchar(9) NOT NULL UNIQUE, id int PRIMARY KEY, n int)",
        "INSERT INTO app.part SELECT CONCAT('c', seq), seq, seq FROM " + ToMariadb.numbers(290));

    RepairOutcome outcome =
        repair(
            "part", List.of("code"), Stream.of("c291", "c300").map(RowKey::of).toList(), () -> {});

    assertThat(outcome.count()).isEqualTo(2);
    assertThat(pair.onTarget("SELECT code, n FROM app.part WHERE id > 290"))
        .containsExactly("c291 291", "c300 300");
  }

  private RepairOutcome repairSeats(int... ids) throws InterruptedException {
    return repair("seat", List.of("id"), keys(ids), () -> {});
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
