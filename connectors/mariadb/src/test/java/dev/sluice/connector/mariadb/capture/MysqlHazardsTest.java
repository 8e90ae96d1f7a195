package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.OnMysql;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same with MySQL, and what only MySQL has. */
@OnMysql
class MysqlHazardsTest extends HazardsTest {

  /** MySQL takes the undone rows out of what it logs. */
  @Test
  @Override
  void aRollbackToASavepointBehindAWriteWithoutTransactionsStopsTheCapture() throws SQLException {
    try (LogFixture fixture = mixedWrites().capturing();
        JournalReader reader = fixture.reader()) {
      fixture.connection.setAutoCommit(false);
      fixture.execute(MIXED_WRITES);
      fixture.connection.commit();
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1, 1)");
    }
  }

  @Test
  void aCompressedTransactionStopsTheCapture() {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)").capturing()) {
      fixture.execute(
          "SET SESSION binlog_transaction_compression = ON", "INSERT INTO t VALUES (1)");
      assertThat(fixture.failure())
          .hasMessageContaining("a compressed transaction (binlog_transaction_compression=ON)");
    }
  }

  @Test
  void anUpdateOfPartsOfJsonStopsTheCapture() {
    try (LogFixture fixture =
        new LogFixture(
                "CREATE TABLE t (id INT PRIMARY KEY, j JSON)",
                """
                INSERT INTO t VALUES (1, '{"a": "long enough", "b": 2}')
                """)
            .capturing()) {
      fixture.execute(
          "SET SESSION binlog_row_value_options = 'PARTIAL_JSON'",
          "UPDATE t SET j = JSON_SET(j, '$.b', 3)");
      assertThat(fixture.failure()).hasMessageContaining("binlog_row_value_options=PARTIAL_JSON");
    }
  }

  @Test
  void aTableThatIsMadeWithItsRowsIsReadOver() {
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE other AS SELECT 1 AS id",
          "CREATE TABLE other2 (id INT PRIMARY KEY) SELECT 2 AS id",
          "INSERT INTO t VALUES (1)");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1)");
    }
  }

  @Test
  void transactionsWithTagsAndWithoutNumbersAreRead() {
    try (EmbeddedServer server = Servers.start();
        LogFixture fixture =
            new LogFixture(server, "CREATE TABLE t (id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "SET SESSION gtid_next = 'AUTOMATIC:tagged'",
          "INSERT INTO t VALUES (1)",
          "SET SESSION gtid_next = 'AUTOMATIC'",
          "SET GLOBAL gtid_mode = ON_PERMISSIVE",
          "SET GLOBAL gtid_mode = OFF_PERMISSIVE",
          "INSERT INTO t VALUES (2)",
          "TRUNCATE t");
      List<JournalReader.Transaction> read = reader.read(3);
      assertThat(MariadbCaptureTest.texts(read.get(0))).containsExactly("+(1)");
      assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(2)");
      assertThat(read.get(2).changes()).hasOnlyElementsOfType(Truncate.class);
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }

  /** The check refuses such a foreign key where InnoDB follows it, which logs nothing. */
  @Test
  void rowsThatAForeignKeyChangesAreInTheLog() {
    try (LogFixture fixture =
            new LogFixture(
                    "CREATE TABLE p (id INT PRIMARY KEY)",
                    "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id)"
                        + " ON DELETE CASCADE ON UPDATE CASCADE)",
                    "INSERT INTO p VALUES (1), (2)",
                    "INSERT INTO c VALUES (10, 1), (20, 2)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("DELETE FROM p WHERE id = 1", "UPDATE p SET id = 3 WHERE id = 2");
      List<JournalReader.Transaction> read = reader.read(2);
      assertThat(MariadbCaptureTest.texts(read.get(0))).hasSize(2);
      assertThat(MariadbCaptureTest.texts(read.get(1))).hasSize(2);
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }

  @Test
  void columnsThatTheServerHidesForAnIndexOfAnExpressionAreNotTakenForTheTables() {
    try (LogFixture fixture =
            new LogFixture(
                    "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20), seen INT INVISIBLE,"
                        + " KEY ((upper(s))), UNIQUE ((id + 1)))")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t (id, s, seen) VALUES (1, 'a', 5)");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1, 'a', 5)");
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }
}
