package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What other readers of the log lose, or make of it what never was. */
class HazardsTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)";
  private static final String WITHOUT_TRANSACTIONS = "CREATE TABLE other (id INT) ENGINE=MyISAM";

  /** MySQL logs a DROP TABLE in its own words. */
  private static final Pattern OF_MARIADB =
      Pattern.compile(
          "^SET STATEMENT|ONLINE|CONVERT PARTITION|OR REPLACE|^DROP TABLE|^RENAME TABLE IF");

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  static final String[] MIXED_WRITES = {
    "INSERT INTO t VALUES (1, 1)",
    "SAVEPOINT `Before`",
    "INSERT INTO t VALUES (2, 2)",
    "INSERT INTO other VALUES (1)",
    "ROLLBACK TO SAVEPOINT `before`"
  };

  private static EmbeddedServer mixing;

  static LogFixture mixedWrites() {
    return new LogFixture(mixing(), TABLE, WITHOUT_TRANSACTIONS);
  }

  /** A server that allows a transaction to write into tables of both kinds. */
  private static EmbeddedServer mixing() {
    if (!Servers.areMysql()) {
      return Servers.shared();
    }
    if (mixing == null) {
      mixing =
          Servers.builder()
              .setting("gtid-mode", "OFF")
              .setting("enforce-gtid-consistency", "OFF")
              .start();
    }
    return mixing;
  }

  @AfterAll
  static void stop() {
    if (mixing != null) {
      mixing.close();
    }
  }

  @Test
  void aRollbackToASavepointBehindAWriteWithoutTransactionsStopsTheCapture() throws SQLException {
    try (LogFixture fixture = mixedWrites().capturing()) {
      fixture.connection.setAutoCommit(false);
      fixture.execute(MIXED_WRITES);
      fixture.connection.commit();
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("ROLLBACK TO SAVEPOINT after changes of captured tables")
          .hasMessageContaining("MyISAM");
    }
  }

  @Test
  void aRollbackToASavepointThatUndoesNothingCapturedOrIsNotInTheLogIsHarmless()
      throws SQLException {
    try (LogFixture fixture =
            new LogFixture(mixing(), TABLE, WITHOUT_TRANSACTIONS, "CREATE TABLE other2 (id INT)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.connection.setAutoCommit(false);
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "SAVEPOINT a",
          "INSERT INTO other2 VALUES (1)",
          "INSERT INTO other VALUES (1)",
          "ROLLBACK TO SAVEPOINT a",
          "INSERT INTO t VALUES (2, 2)");
      fixture.connection.commit();
      fixture.execute(
          "INSERT INTO t VALUES (3, 3)",
          "SAVEPOINT b",
          "INSERT INTO t VALUES (4, 4)",
          "ROLLBACK TO SAVEPOINT b",
          "INSERT INTO t VALUES (5, 5)");
      fixture.connection.commit();
      List<Transaction> read = reader.read(2);
      assertThat(MariadbCaptureTest.texts(read.get(0))).containsExactly("+(1, 1)", "+(2, 2)");
      assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(3, 3)", "+(5, 5)");
    }
  }

  /** Servers of before wrote both, and then ROLLBACK: see BinlogDecoderTest. */
  @Test
  void aRollbackBehindAWriteWithoutTransactionsLeavesNothing() throws SQLException {
    try (LogFixture fixture = new LogFixture(mixing(), TABLE, WITHOUT_TRANSACTIONS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.connection.setAutoCommit(false);
      fixture.execute("INSERT INTO t VALUES (1, 1)", "INSERT INTO other VALUES (1)");
      fixture.connection.rollback();
      fixture.execute("INSERT INTO t VALUES (2, 2)");
      fixture.connection.commit();
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(2, 2)");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO t VALUES (2, 2)",
        "UPDATE t SET v = 2",
        "DELETE FROM t",
        "INSERT INTO other VALUES (2)"
      })
  void aChangeThatIsLoggedAsAStatementStopsTheCapture(String statement) {
    try (LogFixture fixture =
        new LogFixture(TABLE, "INSERT INTO t VALUES (1, 1)", "CREATE TABLE other (id INT)")
            .capturing()) {
      fixture.execute("SET SESSION binlog_format = STATEMENT", statement);
      assertThat(fixture.failure())
          .hasMessageContaining(statement.split(" ")[0] + " in database " + fixture.database)
          .hasMessageContaining("as a statement")
          .hasMessageContaining("binlog_format=ROW");
    }
  }

  @Test
  void aTransactionOfXaWithCapturedChangesStopsTheCaptureAndOneWithoutDoesNot() {
    try (LogFixture fixture = new LogFixture(TABLE, "CREATE TABLE other (id INT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "XA START 'a'",
          "INSERT INTO other VALUES (1)",
          "XA END 'a'",
          "XA PREPARE 'a'",
          "XA COMMIT 'a'",
          "XA START 'b'",
          "INSERT INTO t VALUES (1, 1)",
          "XA END 'b'",
          "XA COMMIT 'b' ONE PHASE");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1, 1)");
      fixture.execute(
          "XA START 'c'", "INSERT INTO t VALUES (2, 2)", "XA END 'c'", "XA PREPARE 'c'");
      assertThat(fixture.failure()).hasMessageContaining("a transaction of XA");
      fixture.execute("XA ROLLBACK 'c'");
    }
  }

  @Test
  void aTruncateBehindASettingOfItsOwnIsJournaled() {
    assumeFalse(Servers.areMysql(), "MySQL has no SET STATEMENT");
    try (LogFixture fixture = new LogFixture(TABLE, "INSERT INTO t VALUES (1, 1)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("SET STATEMENT lock_wait_timeout = 5 FOR TRUNCATE TABLE t");
      assertThat(reader.read(1).get(0).changes().get(0)).isInstanceOf(Truncate.class);
    }
  }

  @Test
  void theCommitOfATransactionOfXaThatWasPreparedBeforeStopsTheCapture() {
    try (LogFixture fixture = new LogFixture(TABLE)) {
      fixture.execute(
          "XA START 'early'",
          "INSERT INTO t VALUES (1, 1)",
          "XA END 'early'",
          "XA PREPARE 'early'");
      fixture.from(fixture.end().position()).capturing();
      fixture.execute("XA COMMIT 'early'");
      assertThat(fixture.failure()).hasMessageContaining("prepared before this capture began");
    }
  }

  @Test
  void theCommitOfATransactionOfXaOfOthersIsReadAgainBehindALostConnection() throws Exception {
    try (LogFixture fixture = new LogFixture(TABLE, "CREATE TABLE other (id INT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "XA START 'a'", "INSERT INTO other VALUES (1)", "XA END 'a'", "XA PREPARE 'a'");
      Position between = fixture.endPosition();
      fixture.execute("XA COMMIT 'a'", "INSERT INTO t VALUES (1, 1)");
      reader.read(1);
      fixture.capture().close();
      fixture.from(between).capturing();
      fixture.execute("INSERT INTO t VALUES (2, 2)");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(2, 2)");
    }
  }

  @Test
  void aCompressedLogIsRead() {
    assumeFalse(Servers.areMysql(), "MySQL compresses in another way");
    try (EmbeddedServer server =
            Servers.builder()
                .setting("log-bin-compress", "ON")
                .setting("log-bin-compress-min-len", "10")
                .start();
        LogFixture fixture =
            new LogFixture(server, "CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, REPEAT('x', 300)), (2, 'y')",
          "UPDATE t SET v = REPEAT('z', 70000) WHERE id = 2",
          "ALTER TABLE mysql.time_zone COMMENT = 'a comment that is long enough to be compressed'",
          "DELETE FROM t");
      List<Transaction> read = reader.read(3);
      assertThat(((RowChange) read.get(0).changes().get(0)).row().text(1)).hasSize(300);
      assertThat(((RowChange) read.get(1).changes().get(0)).row().text(1)).hasSize(70_000);
      assertThat(MariadbCaptureTest.texts(read.get(2))).containsExactly("-(1)", "-(2)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"MINIMAL", "NOBLOB", "FULL_NODUP"})
  void aRowWithoutAllColumnsStopsTheCapture(String image) {
    assumeFalse(Servers.areMysql() && image.equals("FULL_NODUP"), "MySQL has no such image");
    try (LogFixture fixture =
        new LogFixture(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT, w TEXT)",
                "INSERT INTO t VALUES (1, 1, 'long')")
            .capturing()) {
      fixture.execute("SET SESSION binlog_row_image = " + image, "UPDATE t SET v = 2");
      assertThat(fixture.failure())
          .hasMessageContaining("table " + fixture.table("t"))
          .hasMessageContaining("binlog_row_image=FULL");
    }
  }

  /** That is why a check refuses such a key, and a statement that adds one is not followed. */
  @Test
  void rowsThatAForeignKeyOfMariadbChangesAreNotInTheLog() {
    assumeFalse(Servers.areMysql(), "MySQL logs them");
    try (LogFixture fixture =
            new LogFixture(
                    "CREATE TABLE p (id INT PRIMARY KEY)",
                    "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p)"
                        + " REFERENCES p (id) ON DELETE CASCADE)",
                    "INSERT INTO p VALUES (1)",
                    "INSERT INTO c VALUES (10, 1)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("DELETE FROM p");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("-(1)");
      assertThat(fixture.values("SELECT id FROM c")).isEmpty();
      fixture.execute(
          "INSERT INTO c VALUES (11, NULL)",
          "ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES p (id) ON DELETE SET NULL");
      assertThat(onlyChange(reader.read(2).get(1)).obstacle()).contains("ON DELETE SET NULL");
    }
  }

  @Test
  void rowsWithoutFullMetadataStopTheCapture() {
    try (EmbeddedServer server =
            Servers.builder().setting("binlog-row-metadata", "MINIMAL").start();
        LogFixture fixture = new LogFixture(server, TABLE).capturing()) {
      fixture.execute("INSERT INTO t VALUES (1, 1)");
      assertThat(fixture.failure()).hasMessageContaining("binlog_row_metadata=FULL");
    }
  }

  @Test
  void aSystemVersionedTableStopsTheCapture() {
    assumeFalse(Servers.areMysql(), "MySQL has no such tables");
    try (LogFixture fixture =
        new LogFixture("CREATE TABLE t (id INT PRIMARY KEY) WITH SYSTEM VERSIONING").capturing()) {
      fixture.execute("INSERT INTO t VALUES (1)");
      assertThat(fixture.failure())
          .hasMessageContaining("[id, row_start, row_end]")
          .hasMessageContaining("system-versioned");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET STATEMENT lock_wait_timeout = 5 FOR ALTER TABLE t ADD COLUMN w INT",
        "ALTER TABLE t ADD COLUMN w INT /*!50000 DEFAULT 3 */",
        "ALTER TABLE t ADD COLUMN w INT CHECK (w > 0)",
        "ALTER TABLE t ADD COLUMN w INT DEFAULT (id + 1)",
        "ALTER TABLE t ADD COLUMN w INT AS (v * 2) STORED",
        "ALTER TABLE t ADD COLUMN w DATETIME DEFAULT CURRENT_TIMESTAMP",
        "ALTER TABLE t ADD COLUMN w TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)",
        "ALTER TABLE t ADD COLUMN w ENUM('A') DEFAULT 'a'",
        "ALTER TABLE t ADD COLUMN w VARCHAR(5) CHARACTER SET binary",
        "ALTER TABLE t ADD COLUMN (w INT, x INT)",
        "ALTER TABLE t MODIFY v SMALLINT",
        "ALTER TABLE t MODIFY v VARCHAR(20)",
        "ALTER TABLE t CONVERT TO CHARACTER SET latin1",
        "ALTER TABLE t ADD COLUMN w INT, RENAME TO t2",
        "ALTER TABLE t ADD COLUMN w ENUM('a ','b') NOT NULL",
        "ALTER TABLE t ADD COLUMN w SET('a','b ') NOT NULL DEFAULT 'a'",
        "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (id, v)",
        "ALTER TABLE t DROP INDEX `PRIMARY`",
        "ALTER TABLE t DROP KEY `Primary`",
        "ALTER TABLE t DROP CONSTRAINT `primary`",
        "DROP INDEX `PRIMARY` ON t",
        "ALTER TABLE t REMOVE PARTITIONING",
        "RENAME TABLE t TO t_old, other TO t",
        "ALTER TABLE t TRUNCATE PARTITION p0",
        "ALTER TABLE t DROP PARTITION p0",
        "ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE other",
        "ALTER TABLE t CONVERT PARTITION p0 TO TABLE other2",
        "CREATE OR REPLACE TABLE T (id INT)",
        "RENAME TABLE IF EXISTS t TO other2",
        "DROP TABLE /*!50000 `t` */ /* a comment */"
      })
  void aStatementThatIsNotFollowedIsAnObstacleOfItsTable(String statement) {
    assumeFalse(
        Servers.areMysql() && OF_MARIADB.matcher(statement).find(), "MySQL has no such statement");
    try (LogFixture fixture =
            new LogFixture(
                    TABLE
                        + " PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10),"
                        + " PARTITION p1 VALUES LESS THAN (20))",
                    "CREATE TABLE other (id INT PRIMARY KEY, v INT)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(statement.replace(" T ", " t "));
      DefinitionChange change = onlyChange(reader.read(1).get(0));
      assertThat(change.table()).isEqualTo(fixture.table("t"));
      assertThat(change.obstacle())
          .contains("a statement of the source is not followed, since ")
          .contains(statement.replace(" T ", " t ").replaceFirst(" /\\*.*", ""));
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }

  static DefinitionChange onlyChange(Transaction transaction) {
    assertThat(transaction.changes()).hasSize(1);
    List<DefinitionChange> changes =
        ((Definition) transaction.changes().get(0)).changes().changes();
    assertThat(changes).hasSize(1);
    return changes.get(0);
  }

  @Test
  void aTableThatIsExchangedForAPartitionHasAnObstacle() {
    try (LogFixture fixture =
            new LogFixture(
                    TABLE,
                    "CREATE TABLE other (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id)"
                        + " (PARTITION p0 VALUES LESS THAN (10))")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("ALTER TABLE other EXCHANGE PARTITION p0 WITH TABLE t");
      DefinitionChange change = onlyChange(reader.read(1).get(0));
      assertThat(change.table()).isEqualTo(fixture.table("t"));
      assertThat(change.obstacle()).contains("EXCHANGE PARTITION");
    }
  }

  @Test
  void aDroppedDatabaseStopsTheCaptureAndNamesATableOfIt() {
    try (LogFixture fixture = new LogFixture(TABLE).capturing()) {
      fixture.execute("DROP DATABASE IF EXISTS " + fixture.database);
      assertThat(fixture.failure()).hasMessageContaining("table " + fixture.table("t"));
    }
  }

  @Test
  void statementsThatChangeNoCapturedTableAreReadOver() {
    try (LogFixture fixture = new LogFixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE other SELECT 1 AS t",
          "ALTER TABLE other ADD COLUMN v INT, RENAME TO other2",
          "CREATE TEMPORARY TABLE tmp (id INT)",
          "DROP TEMPORARY TABLE tmp",
          "CREATE OR REPLACE VIEW view1 AS SELECT * FROM t",
          "CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW INSERT INTO other2 VALUES (1, 1)",
          "CREATE PROCEDURE p() DELETE FROM t",
          Servers.sql("CREATE SEQUENCE s", "DO 0"),
          "CREATE TABLE IF NOT EXISTS t (id INT)",
          "CREATE TEMPORARY TABLE t (id INT)",
          "INSERT INTO t VALUES (7)",
          "TRUNCATE TABLE t",
          "ALTER TABLE t ADD COLUMN gone INT",
          "DROP TABLE t",
          "ALTER TABLE t ADD INDEX (v), COMMENT = 'x', ALGORITHM = INPLACE",
          "CREATE INDEX i ON t (v)",
          "DROP INDEX i ON t",
          "ALTER TABLE t ALTER v SET DEFAULT 4, FORCE",
          "CREATE USER IF NOT EXISTS somebody",
          "GRANT SELECT ON t TO somebody",
          "ANALYZE TABLE t",
          "DROP TABLE other2",
          "DROP TRIGGER tr",
          "CREATE DATABASE IF NOT EXISTS another",
          "DROP DATABASE another",
          "TRUNCATE TABLE mysql.help_topic",
          Servers.sql("INSERT INTO t VALUES (NEXTVAL(s), 1)", "INSERT INTO t VALUES (1, 1)"));
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1, 1)");
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0000-00-00", "2026-11-00", "2026-02-31"})
  void anImpossibleDateStopsTheCaptureOrBecomesNull(String date) {
    try (LogFixture fixture =
        new LogFixture(
                "SET sql_mode = 'ALLOW_INVALID_DATES'",
                "CREATE TABLE t (id INT PRIMARY KEY, d DATE, dt DATETIME(3), ts TIMESTAMP NULL)")
            .capturing()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, '%1$s', '%1$s 10:00:00.5', '0000-00-00')".formatted(date));
      assertThat(fixture.failure())
          .hasMessageContaining("table " + fixture.table("t") + ", column d")
          .hasMessageContaining("the date " + date)
          .hasMessageContaining("correct the rows on the source. Then make the tables equal again")
          .hasMessageContaining("sluice resync");
      fixture.capture().close();
      fixture
          .with(new ValuePolicy(ValuePolicy.ImpossibleDate.NULL, ValuePolicy.ZeroCharacter.REFUSE))
          .capturing();
      try (JournalReader reader = fixture.reader()) {
        assertThat(MariadbCaptureTest.texts(reader.read(1).get(0)))
            .containsExactly("+(1, NULL, NULL, NULL)");
      }
    }
  }

  @Test
  void aZeroCharacterStopsTheCaptureOrIsRemoved() {
    try (LogFixture fixture =
        new LogFixture("CREATE TABLE t (id INT PRIMARY KEY, v TEXT)").capturing()) {
      fixture.execute("INSERT INTO t VALUES (1, 'a\\0b')");
      assertThat(fixture.failure())
          .hasMessageContaining("column v")
          .hasMessageContaining("the character of code 0")
          .hasMessageContaining("correct the row there. Then make the tables equal again")
          .hasMessageContaining("sluice resync");
      fixture.capture().close();
      fixture
          .with(
              new ValuePolicy(ValuePolicy.ImpossibleDate.REFUSE, ValuePolicy.ZeroCharacter.REMOVE))
          .capturing();
      try (JournalReader reader = fixture.reader()) {
        assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1, 'ab')");
      }
    }
  }
}
