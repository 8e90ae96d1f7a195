package dev.sluice.connector.generic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.journal.JournalReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MariaDB by Debezium's connector. */
class MariadbByDebeziumTest extends GenericCaptureContract {
  /** Column, value in SQL, text in the journal. */
  private static final String[][] VALUES = {
    {"id int", "1", "1"},
    {"bool_ tinyint(1)", "1", "1"},
    {"tiny_ tinyint", "-128", "-128"},
    {"tinyu tinyint unsigned", "255", "255"},
    {"intu int unsigned", "4294967295", "4294967295"},
    {"big_ bigint", "-9223372036854775808", "-9223372036854775808"},
    {"bigu bigint unsigned", "18446744073709551615", "18446744073709551615"},
    {"dec_ decimal(10,2)", "-1.50", "-1.50"},
    {
      "dec65 decimal(65,30)",
      "12345678901234567890.000000000000000000000000000001",
      "12345678901234567890.000000000000000000000000000001"
    },
    {"double_ double", "0.1", "0.1"},
    {"varchar_ varchar(20) character set utf8mb4", "'ä€😀'", "ä€😀"},
    {"latin_ varchar(20) character set latin1", "'ä€'", "ä€"},
    {"text_ text", "''", ""},
    {"blob_ blob", "x'00ff'", "\\x00ff"},
    {"varbinary_ varbinary(5)", "x'6100'", "\\x6100"},
    {"date_ date", "'2024-02-29'", "2024-02-29"},
    {"datetime6 datetime(6)", "'2024-02-29 12:34:56.123456'", "2024-02-29 12:34:56.123456"},
    {"datetime0 datetime", "'1000-01-01 00:00:01'", "1000-01-01 00:00:01"},
    {"time_ time(6)", "'-838:59:58.999999'", "-838:59:58.999999"},
    {"timeday time", "'12:34:56'", "12:34:56"},
    {"year_ year", "1901", "1901"},
    {"enum_ enum('a','b c')", "'b c'", "b c"},
    {"set_ set('a','b')", "'a,b'", "a,b"},
    {"bit1 bit(1)", "b'1'", "1"},
  };

  @Override
  CapturedDatabase database() {
    return new MariadbDatabase();
  }

  @Test
  void eachValueOfSnapshotAndLogHasItsText() {
    String[] columns = Stream.of(VALUES).map(value -> value[0]).toArray(String[]::new);
    String row = String.join(", ", Stream.of(VALUES).map(value -> value[1]).toList());
    List<String> expected = Stream.of(VALUES).map(value -> value[0] + " " + value[2]).toList();
    try (CaptureFixture fixture = new CaptureFixture(database()).table("a", columns);
        JournalReader reader = fixture.reader()) {
      fixture.execute("SET NAMES utf8mb4", "INSERT INTO a VALUES (" + row + ")");
      fixture.capture();
      assertThat(texts(CaptureFixture.rows(fixture.read(reader, 1).get(0)).get(0)))
          .as("snapshot")
          .isEqualTo(expected);
      fixture.execute("DELETE FROM a", "INSERT INTO a VALUES (" + row + ")");
      assertThat(texts(CaptureFixture.rows(fixture.read(reader, 2).get(1)).get(0)))
          .as("log")
          .isEqualTo(expected);
    }
  }

  private static List<String> texts(Row row) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < VALUES.length; i++) {
      texts.add(VALUES[i][0] + " " + row.text(i));
    }
    return texts;
  }

  @ParameterizedTest
  @ValueSource(strings = {"enum('a', 'b,c')", "enum('a', 'b\\\\c')", "bit(3)"})
  void aValueThatDebeziumAltersOrLeavesAmbiguousStopsTheCapture(String type) {
    try (CaptureFixture fixture =
        new CaptureFixture(database()).table("a", "id int", "v " + type)) {
      fixture.execute("INSERT INTO a VALUES (1, 1)");
      fixture.capture();
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("column")
          .hasMessageContaining(fixture.id("a").toString());
    }
  }

  @Test
  void aTableThatIsRenamedStopsTheCapture() {
    try (CaptureFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, 'one')");
      fixture.capture();
      fixture.read(reader, 1);
      fixture.execute("RENAME TABLE a TO z");
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining(
              "table " + fixture.id("a") + ": a statement changes its definition");
    }
  }

  /** As after a restore of an earlier backup: the transactions that follow have other changes. */
  @Test
  void aLogWithAnotherHistoryStopsTheStart() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
    SourceOfTask task =
        SourceOfTask.of("history-" + database.schema(), database, new Position(1, 0));
    task.journal(() -> fixture.execute("INSERT INTO a VALUES (1, 'one')"));
    long before = lastNumber(database);
    database.loseTheLog("RESET MASTER");
    // Numbers that are as high again prove nothing.
    for (int i = 2; lastNumber(database) <= before; i++) {
      fixture.execute("INSERT INTO a VALUES (%d, repeat('x', 10000))".formatted(i));
    }
    assertThatThrownBy(() -> task.again(database).capture())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("source: its binary log")
        .hasMessageContaining("without a RESET MASTER")
        .hasMessageContaining("If the server was restored or replaced");
  }

  private static long lastNumber(CapturedDatabase database) throws SQLException {
    try (Connection session = database.connect()) {
      String ids = JdbcServer.rows(session, "SELECT @@global.gtid_binlog_pos").get(0)[0];
      return Long.parseLong("0" + ids.substring(ids.lastIndexOf('-') + 1));
    }
  }

  /** Debezium's ids move with each of them, its place does not. */
  @Test
  void statementsOfOtherTablesAndARotatedLogAreNoOtherHistory() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
    SourceOfTask task = SourceOfTask.of("same-" + database.schema(), database, new Position(1, 0));
    Capture first = task.capture();
    try {
      fixture.execute("INSERT INTO a VALUES (1, 'one')");
      task.awaitBookmark(first);
      fixture.execute("CREATE DATABASE %s_other".formatted(database.schema()));
      for (int i = 0; i < 8; i++) {
        fixture.execute(
            "CREATE TABLE %s_other.t%d (id int PRIMARY KEY)".formatted(database.schema(), i));
      }
    } finally {
      first.close();
    }
    fixture.execute("FLUSH BINARY LOGS", "DROP TABLE %s_other.t1".formatted(database.schema()));
    SourceOfTask again = task;
    for (int start = 2; start < 4; start++) {
      again = again.again(database);
      String insert = "INSERT INTO a VALUES (%d, 'more')".formatted(start);
      again.journal(() -> fixture.execute(insert));
    }
  }
}
