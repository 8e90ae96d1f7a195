package dev.sluice.connector.generic;

import static dev.sluice.connector.generic.CaptureFixture.changes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StopReading;
import dev.sluice.connector.generic.start.AttemptPosition;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What a capture by any of Debezium's connectors must do, on a real server. */
abstract class GenericCaptureContract {
  private static final int BURST = 10;
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** At which the load of a task begins. */
  private static final Position BEGIN = new Position(1, 0);

  abstract CapturedDatabase database();

  /** A captured table {@code a}. */
  final CaptureFixture fixture() {
    return new CaptureFixture(database()).table("a", "id int", "t text");
  }

  @Test
  void theRowsThatAreThereAreOneTransactionAndLaterOnesAreWholeAndInOrder() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, 'one'), (2, NULL)");
      Instant before = Instant.now().truncatedTo(ChronoUnit.MICROS);
      fixture.capture();
      Transaction rows = fixture.read(reader, 1).get(0);
      assertThat(changes(rows)).containsExactlyInAnyOrder("+1,one", "+2,null");
      assertThat(rows.committed())
          .as("when this snapshot began, not when the load did")
          .isAfterOrEqualTo(before);
      fixture.transaction("INSERT INTO a VALUES (3, 'three')", "UPDATE a SET t = 'x' WHERE id = 1");
      fixture.execute("DELETE FROM a WHERE id = 2");
      List<Transaction> read = fixture.read(reader, 2);
      assertThat(changes(read.get(0))).containsExactly("+3,three", "1:1,x");
      assertThat(changes(read.get(1))).containsExactly("-2");
    }
  }

  /** The load began long ago: what its snapshot has now may have been committed behind the stop. */
  @Test
  void aSnapshotThatBeginsAgainBehindTheTimeOfAStopIsRefused() {
    CapturedDatabase database = database();
    try (CaptureFixture fixture = fixture()) {
      SourceOfTask task = SourceOfTask.of("stops-" + database.schema(), database, BEGIN);
      Instant behindTheLoad = AttemptPosition.timeOf(BEGIN).plusSeconds(10);
      assertThatThrownBy(() -> task.source.requireStop(new CdcStop.AtCommitTime(behindTheLoad)))
          .as("by the check")
          .hasMessageContaining("the time has passed");
      assertThatThrownBy(() -> task.captureUntil(new CdcStop.AtCommitTime(behindTheLoad)))
          .as("with table " + fixture.id("a"))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("cdc-stop-position")
          .hasMessageContaining("the time has passed");
      task.source.releaseClaim();
    }
  }

  /** It rests behind a change, what is no table of the task's, and a statement. */
  @Test
  void aStopBehindWhatIsCommittedIsFoundAlsoIfNobodyWritesAnyMore() {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
    fixture.execute("CREATE TABLE other (id int PRIMARY KEY)", "INSERT INTO a VALUES (1, 'row')");
    SourceOfTask task = SourceOfTask.of("now-" + database.schema(), database, BEGIN);
    List<Transaction> read = new ArrayList<>();
    try (JournalReader reader = task.reader()) {
      for (String last :
          List.of(
              "INSERT INTO a VALUES (9, 'last')",
              "INSERT INTO other VALUES (1)",
              "CREATE TABLE other2 (id int PRIMARY KEY)")) {
        task = task.again(database);
        fixture.execute("DELETE FROM a WHERE id > 1", "INSERT INTO a VALUES (2, 'before')", last);
        Capture capture = task.captureUntil(new CdcStop.Now());
        try {
          Position stop = task.awaitStop(capture);
          fixture.execute("INSERT INTO a VALUES (3, 'behind')");
          read.clear();
          CaptureFixture.await(
              () -> {
                read.addAll(reader.poll(Duration.ofMillis(50)));
                return read.stream().anyMatch(each -> changes(each).contains("+3,behind"));
              });
          assertThat(read)
              .as(last)
              .allSatisfy(
                  each ->
                      assertThat(each.position().isAfter(stop))
                          .as("%s at %s, the stop at %s", changes(each), each.position(), stop)
                          .isEqualTo(changes(each).contains("+3,behind")));
          assertThat(task.awaitStop(capture)).as("it stays where it is").isEqualTo(stop);
        } finally {
          capture.close();
        }
      }
    }
  }

  /** A machine that is too slow for two captures before the time gets more: it proves nothing. */
  @Test
  void aStopAtATimeThatIsStillToComeIsBehindAllThatIsCommittedUntilThen() {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
    fixture.execute("INSERT INTO a VALUES (0, 'loaded')");
    SourceOfTask task = SourceOfTask.of("coming-" + database.schema(), database, BEGIN);
    int id = 0;
    List<String> before = new ArrayList<>();
    try (JournalReader reader = task.reader()) {
      for (long seconds = 8; before.isEmpty(); seconds *= 2) {
        assertThat(seconds).isLessThan(1_000);
        Instant moment = Instant.now().plusSeconds(seconds);
        CdcStop until = new CdcStop.AtServerTime(moment);
        task = task.again(database);
        Capture ended = task.captureUntil(until);
        while (Instant.now().isBefore(moment) && !waitsFor(moment, task)) {
          LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        ended.close();
        task = task.again(database);
        Capture capture = task.captureUntil(until);
        try {
          do {
            boolean waits = waitsFor(moment, task);
            fixture.execute("INSERT INTO a VALUES (" + ++id + ", 'row')");
            if (waits && Instant.now().isBefore(moment)) {
              before.add("+" + id + ",row");
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
          } while (Instant.now().isBefore(moment));
          Position stop = task.awaitStop(capture);
          String behind = "+" + ++id + ",row";
          fixture.execute("INSERT INTO a VALUES (" + id + ", 'row')");
          List<Transaction> read = new ArrayList<>();
          CaptureFixture.await(
              () -> {
                read.addAll(reader.poll(Duration.ofMillis(50)));
                return read.stream().anyMatch(each -> changes(each).contains(behind));
              });
          List<String> upToStop =
              read.stream()
                  .filter(each -> !each.position().isAfter(stop))
                  .flatMap(each -> changes(each).stream())
                  .toList();
          assertThat(upToStop).containsAll(before).doesNotContain(behind);
        } finally {
          capture.close();
        }
      }
    }
  }

  /** Whether the capture has its snapshot, and waits for the time. */
  private static boolean waitsFor(Instant moment, SourceOfTask task) {
    StopReading reading = task.source.log().stop();
    if (Instant.now().isBefore(moment)) {
      assertThat(reading).as("before %s", moment).isInstanceOf(StopReading.NotUpTo.class);
    }
    return reading instanceof StopReading.NotUpTo upTo
        && !AttemptPosition.isBeginning(upTo.position());
  }

  @Test
  void aTableWithoutRowsLosesNothingThatIsWrittenWhileNobodyReads() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.capture();
      fixture.awaitCaptured(() -> fixture.end().isAfter(Position.ZERO));
      fixture.stop();
      fixture.execute("INSERT INTO a VALUES (1, 'one')");
      fixture.capture();
      assertThat(changes(fixture.read(reader, 1).get(0))).containsExactly("+1,one");
    }
  }

  @Test
  void aChangedKeyIsOneUpdateByItsOldKey() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, 'one')");
      fixture.capture();
      fixture.read(reader, 1);
      fixture.execute("UPDATE a SET id = 9 WHERE id = 1");
      assertThat(changes(fixture.read(reader, 1).get(0))).containsExactly("1:9,one");
    }
  }

  @Test
  void truncateIsATransactionAlsoIfNothingFollows() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, 'one')");
      fixture.capture();
      fixture.read(reader, 1);
      fixture.execute("TRUNCATE TABLE a");
      assertThat(changes(fixture.read(reader, 1).get(0))).containsExactly("truncate a");
      fixture.execute("INSERT INTO a VALUES (2, 'two')");
      assertThat(changes(fixture.read(reader, 1).get(0))).containsExactly("+2,two");
    }
  }

  @Test
  void aStartAfterEachTransactionBringsExactlyTheLaterOnes() {
    try (CaptureFixture fixture = fixture().table("b", "id int", "t text")) {
      fixture.execute("CREATE TABLE other (id int)", "INSERT INTO a VALUES (1, 'one')");
      List<Transaction> all;
      fixture.capture();
      try (JournalReader reader = fixture.reader()) {
        fixture.awaitCaptured(() -> fixture.end().isAfter(Position.ZERO));
        workload(fixture);
        all = fixture.read(reader, 11);
      }
      fixture.stop();
      for (int after = 0; after < all.size() - 1; after++) {
        List<Transaction> later = all.subList(after + 1, all.size());
        try (JournalReader aside = fixture.captureAside(all.get(after))) {
          assertThat(fixture.read(aside, later.size()).stream().map(CaptureFixture::changes))
              .as("after transaction %d", after)
              .isEqualTo(later.stream().map(CaptureFixture::changes).toList());
        }
        fixture.stop();
      }
    }
  }

  /**
   * Ten transactions: neighbours in the log, several events of one statement, and others between
   * that have nothing of the task.
   */
  private static void workload(CaptureFixture fixture) {
    fixture.execute(
        "INSERT INTO a VALUES (2, 'two')",
        "INSERT INTO a VALUES (3, 'three'), (4, 'four')",
        "INSERT INTO other VALUES (1)",
        "UPDATE a SET id = 12 WHERE id = 2",
        "CREATE TABLE another (id int)",
        "TRUNCATE TABLE b",
        "INSERT INTO b VALUES (1, 'b')");
    fixture.transaction(
        "INSERT INTO other VALUES (2)", "UPDATE a SET t = 'all'", "INSERT INTO b VALUES (2, 'c')");
    fixture.execute(
        "DELETE FROM a WHERE id = 12",
        "DELETE FROM a WHERE id = 3",
        "TRUNCATE TABLE a",
        "INSERT INTO a VALUES (5, 'five'), (6, 'six'), (7, 'seven')");
  }

  @Test
  void aCaptureThatIsStoppedAgainAndAgainLosesAndRepeatsNothing() throws Exception {
    losesAndRepeatsNothing(
        fixture -> {
          Position before = fixture.end();
          fixture.capture();
          fixture.awaitCaptured(() -> fixture.end().isAfter(before));
          fixture.stop();
        });
  }

  @Test
  void aProcessThatIsKilledAgainAndAgainLosesAndRepeatsNothing() throws Exception {
    losesAndRepeatsNothing(
        fixture -> {
          Position before = fixture.end();
          Process process = fixture.captureInProcess();
          try {
            CaptureFixture.await(
                () -> {
                  assertThat(process.isAlive()).isTrue();
                  return fixture.end().isAfter(before);
                });
          } finally {
            process.destroyForcibly().waitFor();
          }
        });
  }

  /** A capture that is begun, and ends on its way. */
  private interface Interrupted {
    void run(CaptureFixture fixture) throws Exception;
  }

  /**
   * The first capture begins with the snapshot, the second one behind it, and the last one, which
   * goes on to the end, behind a change.
   */
  private void losesAndRepeatsNothing(Interrupted capture) throws Exception {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      AtomicBoolean enough = new AtomicBoolean();
      Thread writer = new Thread(() -> writeUntil(fixture, enough));
      writer.start();
      try {
        capture.run(fixture);
        capture.run(fixture);
      } finally {
        enough.set(true);
        writer.join();
      }
      fixture.capture();
      Map<String, String> source = rows(fixture);
      Map<String, String> target = new TreeMap<>();
      fixture.awaitCaptured(
          () -> {
            reader.poll(Duration.ofMillis(100)).forEach(each -> apply(each, target));
            return target.equals(source);
          });
    }
  }

  /** In bursts with pauses: what is written while a capture starts must be captured as well. */
  private static void writeUntil(CaptureFixture fixture, AtomicBoolean enough) {
    for (int i = 0; !enough.get(); i++) {
      write(fixture, i);
      if (i % BURST == 0) {
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private static void write(CaptureFixture fixture, int i) {
    fixture.transaction(
        "INSERT INTO a VALUES (%d, 'a'), (%d, 'b'), (%d, 'c')"
            .formatted(i * 100, i * 100 + 1, i * 100 + 2),
        "UPDATE a SET t = '%d' WHERE id = %d".formatted(i, i / 2 * 100),
        "DELETE FROM a WHERE id = " + (i * 100 + 2));
  }

  private static Map<String, String> rows(CaptureFixture fixture) throws SQLException {
    Map<String, String> rows = new TreeMap<>();
    try (Connection connection = fixture.database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT id, t FROM a")) {
      while (row.next()) {
        rows.put(row.getString(1), row.getString(2));
      }
    }
    return rows;
  }

  /** As strictly as a target: a row that is there already, or is not there, is an error. */
  private static void apply(Transaction transaction, Map<String, String> target) {
    for (String change : changes(transaction)) {
      int colon = change.indexOf(':');
      String[] row = change.substring(colon + 1).replaceFirst("^[+-]", "").split(",");
      if (!change.startsWith("+")) {
        String key = colon < 0 ? row[0] : change.substring(0, colon);
        assertThat(target.remove(key)).as(change).isNotNull();
      }
      if (!change.startsWith("-")) {
        assertThat(target.put(row[0], row[1])).as(change).isNull();
      }
    }
  }

  @Test
  void aSnapshotThatIsNotInTheJournalWholeBeginsAgain() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, 'one'), (2, 'two')");
      fixture.capture().close();
      fixture.execute("DELETE FROM a WHERE id = 1");
      fixture.capture();
      Map<String, String> target = new TreeMap<>();
      fixture.awaitCaptured(
          () -> {
            reader.poll(Duration.ofMillis(100)).forEach(each -> apply(each, target));
            return target.equals(Map.of("2", "two"));
          });
    }
  }

  /** Else the connector would go on after what is gone. */
  @Test
  void aLogThatHasLostWhatComesNextStopsTheCapture() throws SQLException {
    int ways = database().waysToLoseTheLog().size();
    for (int way = 0; way < ways; way++) {
      CapturedDatabase database = database();
      String loss = database.waysToLoseTheLog().get(way);
      try (CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
          JournalReader reader = fixture.reader()) {
        fixture.execute("INSERT INTO a VALUES (1, 'one')");
        fixture.capture();
        fixture.read(reader, 1);
        fixture.execute("INSERT INTO a VALUES (2, 'two')");
        fixture.read(reader, 1);
        fixture.stop();
        fixture.execute("INSERT INTO a VALUES (3, 'three')");
        database.loseTheLog(loss);
        fixture.execute("INSERT INTO a VALUES (4, 'four')");
        GenericCapture capture = fixture.capture();
        List<String> captured = new ArrayList<>();
        CaptureFixture.await(
            () -> {
              reader.poll(Duration.ofMillis(50)).forEach(each -> captured.addAll(changes(each)));
              return capture.failure().isPresent() || !captured.isEmpty();
            });
        assertThat(captured).as("after %s", loss).isEmpty();
        assertThat(capture.failure().orElseThrow())
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("the source has removed what comes after the last transaction");
      }
    }
  }

  @Test
  void anOffsetThatTheJournalDoesNotHaveIsNeverGuessed() {
    try (CaptureFixture fixture = fixture()) {
      assertThatThrownBy(() -> fixture.captureAfter(new Position(42)))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("it does not have Debezium's offset after transaction 0/2A");
    }
  }

  @Test
  void aColumnThatIsAddedStopsTheCapture() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, 'one')");
      fixture.capture();
      fixture.read(reader, 1);
      fixture.execute("ALTER TABLE a ADD COLUMN z int", "INSERT INTO a VALUES (2, 'two', 3)");
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("table " + fixture.id("a"))
          .hasMessageContaining("z");
    }
  }

  /** The connector would go on with the present definitions, and say nothing. */
  @Test
  void whatBecameOfTheTablesWhileNoCaptureRanStopsTheStart() {
    CapturedDatabase database = database();
    CaptureFixture fixture =
        new CaptureFixture(database)
            .table("scaled", "id int", "n numeric(10,2)")
            .table("stays", "id int", "t text");
    SourceOfTask task = SourceOfTask.of("tables-" + database.schema(), database, BEGIN);
    task.journal(
        () ->
            fixture.execute(
                "INSERT INTO scaled VALUES (1, 1.25)", "INSERT INTO stays VALUES (1, 'a')"));
    SourceOfTask unchanged = task.again(database);
    unchanged.journal(() -> fixture.execute("INSERT INTO stays VALUES (2, 'b')"));
    fixture.execute(database.alter("scaled", "n", "numeric(12,4)"));
    assertThatThrownBy(() -> unchanged.again(database).capture())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table " + fixture.id("scaled"))
        .hasMessageContaining("12,4")
        .hasMessageContaining("10,2")
        .hasMessageNotContaining("table " + fixture.id("stays"));
  }
}
