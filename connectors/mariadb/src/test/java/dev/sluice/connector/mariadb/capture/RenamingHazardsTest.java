package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.mariadb.capture.LogFixture.fixture;
import static dev.sluice.connector.mariadb.capture.RenamedTablesTest.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements by which a renaming could carry the rows of one table into another. */
class RenamingHazardsTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)";

  @Test
  void aNameIsReadWithEveryCharacterThatItHas() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "RENAME TABLE t TO `a``b.\"c\" é -- /* x`",
          "INSERT INTO `a``b.\"c\" é -- /* x` VALUES (1, 1)",
          "SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')",
          "RENAME TABLE \"a`b.\"\"c\"\" é -- /* x\" TO \"größe\u3000\"\"\"",
          "INSERT INTO `größe\u3000\"` VALUES (2, 2)",
          "RENAME TABLE `größe\u3000\"` TO 1e$",
          "INSERT INTO 1e$ VALUES (3, 3)");
      assertThat(events(reader.read(6)))
          .containsExactly(
              "t>a`b.\"c\" é -- /* x",
              "a`b.\"c\" é -- /* x+(1, 1)",
              "a`b.\"c\" é -- /* x>größe\u3000\"",
              "größe\u3000\"+(2, 2)",
              "größe\u3000\">1e$",
              "1e$+(3, 3)");
    }
  }

  /** A server takes such a character for a part of the name, though it looks like a blank. */
  @Test
  void aWideBlankIsAPartOfAName() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE \u3000t (id INT PRIMARY KEY) ENGINE = MyISAM",
          "INSERT INTO t VALUES (1, 1)",
          "TRUNCATE \u3000t",
          "ALTER TABLE \u3000t ADD COLUMN w INT",
          "RENAME TABLE \u3000t TO y",
          "INSERT INTO t VALUES (2, 2)");
      assertThat(events(reader.read(2))).containsExactly("t+(1, 1)", "t+(2, 2)");
    }
  }

  /** A session logs them if its format is another one than ROW, and the rows of no other table. */
  @Test
  void aStatementAboutATemporaryTableOfTheSameNameChangesNothing() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "SET SESSION binlog_format = 'STATEMENT'",
          "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, w INT)",
          "TRUNCATE TABLE t",
          "ALTER TABLE t RENAME TO u",
          "ALTER TABLE u RENAME TO t",
          "DROP TABLE t",
          "SET SESSION binlog_format = 'ROW'",
          "INSERT INTO t VALUES (2, 2)");
      List<Transaction> read = reader.read(5);
      assertThat(events(read)).containsExactly("t+(1, 1)", "!t", "!t", "!t", "t+(2, 2)");
      assertThat(HazardsTest.onlyChange(read.get(1)).obstacle()).contains("temporary table");
    }
  }

  /**
   * The catalog has another table of the old name where the capture begins: what the log does not
   * tell of the renamed one cannot be taken from there.
   */
  @Test
  void aTableIsNotReadByWhatTheCatalogSaysOfAnotherThatHasItsNameNow() {
    assumeFalse(Servers.areMysql(), "MySQL has no type for a UUID");
    try (LogFixture fixture = fixture("CREATE TABLE t (id INT PRIMARY KEY, c BINARY(16))");
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, '0123456789abcdef')",
          "RENAME TABLE t TO u",
          "CREATE TABLE t (id INT PRIMARY KEY, c UUID)",
          "INSERT INTO u VALUES (2, '0123456789abcdef')");
      fixture.capturing();
      assertThat(events(reader.read(2))).contains("!t").doesNotContain("t>u");
    }
  }

  @Test
  void theKeyOfAnotherTableThatHasTheNameNowDoesNotFindRows() {
    try (LogFixture fixture = fixture("CREATE TABLE t (a INT NOT NULL UNIQUE, b INT NOT NULL)");
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 5), (2, 5)",
          "DELETE FROM t WHERE a = 1",
          "RENAME TABLE t TO u",
          "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL UNIQUE)");
      fixture.capturing();
      assertThat(events(reader.read(3))).contains("!t").doesNotContain("t>u");
    }
  }

  @Test
  void aTableOfThatKeyIsRenamedWhereTheCatalogHasNoOtherOne() {
    try (LogFixture fixture =
            fixture("CREATE TABLE t (a INT NOT NULL UNIQUE, b INT NOT NULL, c BINARY(16))")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 5, 'x')", "RENAME TABLE t TO u", "DELETE FROM u WHERE a = 1");
      assertThat(events(reader.read(3)).get(1)).isEqualTo("t>u");
    }
  }
}
