package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MariadbCaptureTest {

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void filesWithAndWithoutChecksumsAreRead() throws Exception {
    try (EmbeddedServer server = Servers.start();
        LogFixture fixture =
            new LogFixture(server, "CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      int row = 0;
      for (String setting : List.of("NONE", "CRC32", "NONE")) {
        fixture.execute("SET GLOBAL binlog_checksum = " + setting);
        fixture.execute("INSERT INTO t VALUES (" + ++row + ")");
        assertThat(texts(reader.read(1).get(0))).containsExactly("+(" + row + ")");
        // The next capture begins in a file of another setting than the server has then.
        fixture.from(fixture.endPosition());
        String other = setting.equals("NONE") ? "CRC32" : "NONE";
        fixture.execute("INSERT INTO t VALUES (" + ++row + ")");
        assertThat(texts(reader.read(1).get(0))).containsExactly("+(" + row + ")");
        fixture.execute("SET GLOBAL binlog_checksum = " + other);
        fixture.capture().close();
        fixture.capturing();
        fixture.execute("INSERT INTO t VALUES (" + ++row + ")");
        assertThat(texts(reader.read(1).get(0))).containsExactly("+(" + row + ")");
      }
    }
  }

  @Test
  void aTransactionIsJournaledWholeWithItsPositionAndTimeOfCommit() throws SQLException {
    try (LogFixture fixture =
            new LogFixture("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))").capturing();
        JournalReader reader = fixture.reader()) {
      Instant before = Instant.now();
      fixture.connection.setAutoCommit(false);
      fixture.execute(
          "INSERT INTO t VALUES (1, 'a'), (2, NULL)",
          "UPDATE t SET v = 'b' WHERE id = 1",
          "DELETE FROM t WHERE id = 2");
      fixture.connection.commit();
      Transaction read = reader.read(1).get(0);
      assertThat(texts(read)).containsExactly("+(1, 'a')", "+(2, NULL)", "(1)→(1, 'b')", "-(2)");
      assertThat(read.position()).isEqualTo(fixture.endPosition());
      assertThat(read.committed()).isBetween(before.minusSeconds(2), Instant.now().plusSeconds(2));
    }
  }

  @Test
  void transactionsComeInTheOrderOfTheirCommitsAndNothingOfOneThatIsRolledBack()
      throws SQLException {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        LogFixture other = new LogFixture();
        JournalReader reader = fixture.reader()) {
      fixture.connection.setAutoCommit(false);
      fixture.execute("INSERT INTO t VALUES (1)");
      other.execute("INSERT INTO " + fixture.database + ".t VALUES (2)");
      fixture.connection.commit();
      fixture.execute("INSERT INTO t VALUES (3)");
      fixture.connection.rollback();
      fixture.execute("INSERT INTO t VALUES (4)");
      fixture.connection.commit();
      assertThat(reader.read(3))
          .flatExtracting(MariadbCaptureTest::texts)
          .containsExactly("+(2)", "+(1)", "+(4)");
    }
  }

  @Test
  void aChangedKeyIsAnUpdateOfTheOldOneAlsoIfItsCollationMakesBothEqual() {
    try (LogFixture fixture =
            new LogFixture("CREATE TABLE t (id VARCHAR(10) PRIMARY KEY, v INT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES ('a', 1)",
          "UPDATE t SET id = 'A'",
          "REPLACE INTO t VALUES ('a', 2)",
          "INSERT INTO t VALUES ('A', 3) ON DUPLICATE KEY UPDATE v = 4",
          "UPDATE t SET v = 4");
      assertThat(reader.read(4))
          .flatExtracting(MariadbCaptureTest::texts)
          .containsExactly("+('a', 1)", "('a')→('A', 1)", "('A')→('a', 2)", "('a')→('a', 4)");
    }
  }

  @Test
  void aTableWithoutAKeyIsMatchedByAllColumnsAndOldRowsComeIfTheyAreWanted() {
    try (LogFixture fixture =
            new LogFixture(
                    "CREATE TABLE bare (a INT, b TEXT)",
                    "CREATE TABLE keyed (id INT PRIMARY KEY, a INT, b TEXT)")
                .withOldRows()
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO bare VALUES (1, 'x')",
          "UPDATE bare SET b = NULL",
          "DELETE FROM bare",
          "INSERT INTO keyed VALUES (7, 1, 'x')",
          "UPDATE keyed SET a = 2");
      List<Transaction> read = reader.read(5);
      assertThat(read)
          .flatExtracting(MariadbCaptureTest::texts)
          .containsExactly(
              "+(1, 'x')", "(1, 'x')→(1, NULL)", "-(1, NULL)", "+(7, 1, 'x')", "(7)→(7, 2, 'x')");
      RowChange update = (RowChange) read.get(4).changes().get(0);
      assertThat(update.before()).isEqualTo(rowOf("7", "1", "x").asBefore(update.row()));
    }
  }

  @Test
  void generatedColumnsAreLeftOutAndThoseOfALongUniqueKeyToo() {
    try (LogFixture fixture =
            new LogFixture(
                    "CREATE TABLE t (v INT AS (id * 2) VIRTUAL, id INT PRIMARY KEY,"
                        + " s INT AS (id * 3) STORED, b TEXT, UNIQUE (b%s))"
                            .formatted(Servers.areMysql() ? "(9)" : ""))
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t (id, b) VALUES (1, 'x')", "UPDATE t SET id = 2", "DELETE FROM t");
      assertThat(reader.read(3))
          .flatExtracting(MariadbCaptureTest::texts)
          .containsExactly("+(1, 'x')", "(1)→(2, 'x')", "-(2)");
    }
  }

  @Test
  void otherTablesAreReadOverAndMoveThePosition() throws SQLException {
    try (LogFixture fixture =
        new LogFixture(
            "CREATE TABLE other (id INT PRIMARY KEY)", "CREATE TABLE t (id INT PRIMARY KEY)")) {
      MariadbCapture capture = fixture.capture(Duration.ofMillis(50));
      fixture.execute("INSERT INTO other VALUES (1)", "CREATE TABLE other2 (id INT)");
      fixture.awaitRead(capture);
      fixture.awaitAcknowledged(capture);
      fixture.execute("FLUSH BINARY LOGS");
      fixture.awaitAcknowledged(capture);
      assertThat(capture.progress().changes()).isZero();
    }
  }

  @Test
  void aFenceComesBehindAllThatWasCommittedBeforeItAndBeforeWhatFollowsWhenNothingElseHappens() {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1)");
      Position first = fixture.memory.fences().set(fixture.end(), Instant.now());
      Position second = fixture.memory.fences().set(fixture.end(), Instant.now());
      List<Transaction> read = reader.read(3);
      assertThat(texts(read.get(0))).containsExactly("+(1)");
      assertThat(read.subList(1, 3))
          .flatExtracting(Transaction::changes)
          .extracting(change -> new String(((Message) change).content(), StandardCharsets.US_ASCII))
          .containsExactly(first.toString(), second.toString());
      fixture.execute("INSERT INTO t VALUES (2)");
      Transaction last = reader.read(1).get(0);
      assertThat(last.position()).isGreaterThan(read.get(2).position());
      assertThat(reader.repeated()).isZero();
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> fixture.memory.fences().waiting().isEmpty());
    }
  }

  /** What was committed behind the fence, and before the capture has read so far, is later. */
  @Test
  void aFenceHasTheTimeAtWhichTheLogEndedThere() {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)");
        JournalReader reader = fixture.reader()) {
      Instant asked = Instant.now().minus(Duration.ofHours(1));
      fixture.memory.fences().set(fixture.end(), asked);
      fixture.capturing();
      assertThat(reader.read(1).get(0).committed())
          .isBetween(asked.minus(Duration.ofMinutes(10)), asked.plus(Duration.ofMinutes(10)));
    }
  }

  @Test
  void aCaptureStartsAgainBehindAFenceAndRepeatsNothing() {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1)");
      fixture.memory.fences().set(fixture.end(), Instant.now());
      List<Transaction> read = reader.read(2);
      fixture.capture().close();
      fixture.execute("FLUSH BINARY LOGS", "INSERT INTO t VALUES (2)");
      fixture.memory.fences().set(fixture.end(), Instant.now());
      fixture.from(read.get(1).position()).capturing();
      List<Transaction> again = reader.read(2);
      assertThat(texts(again.get(0))).containsExactly("+(2)");
      assertThat(again.get(1).changes()).hasOnlyElementsOfType(Message.class);
      assertThat(reader.repeated()).isZero();
    }
  }

  @Test
  void aTruncateIsJournaledAsOne() {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1)", "TRUNCATE TABLE t", "INSERT INTO t VALUES (2)");
      List<Transaction> read = reader.read(3);
      assertThat(read.get(1).changes())
          .containsExactly(
              new Truncate(List.of(new ChangeEvent.Emptied(fixture.table("t"), null))));
    }
  }

  @Test
  void aLargeTransactionAndALargeRowComeWhole() throws SQLException {
    try (LogFixture fixture =
            new LogFixture("CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.connection.setAutoCommit(false);
      fixture.execute(
          "INSERT INTO t SELECT seq, REPEAT('x', 100) FROM " + Servers.numbers(50_000),
          "INSERT INTO t VALUES (0, REPEAT('ä', 12000000))");
      fixture.connection.commit();
      Transaction read = reader.read(1).get(0);
      assertThat(read.changes()).hasSize(50_001);
      assertThat(((RowChange) read.changes().get(50_000)).row().text(1)).hasSize(12_000_000);
    }
  }

  static List<String> texts(Transaction transaction) {
    return transaction.changes().stream().map(MariadbCaptureTest::text).toList();
  }

  static String text(ChangeEvent change) {
    if (!(change instanceof RowChange row)) {
      return change.toString();
    }
    String match = row.match() == null ? "+" : row.match().toString();
    String text =
        row.row() == null ? "-" + match : match + (row.match() == null ? "" : "→") + row.row();
    return text.replaceAll("'(-?[0-9]+)'", "$1");
  }
}
