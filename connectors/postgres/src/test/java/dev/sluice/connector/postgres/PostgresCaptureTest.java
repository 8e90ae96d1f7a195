package dev.sluice.connector.postgres;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class PostgresCaptureTest {
  private static final String SESSION_SETTINGS =
      """
      SELECT concat_ws(' ', current_setting('tcp_keepalives_idle'),
               current_setting('tcp_keepalives_interval'),
               current_setting('tcp_keepalives_count'),
               current_setting('client_connection_check_interval')), inet_client_port()
      """;

  private static final String READER =
      """
      SELECT client_port FROM pg_stat_activity JOIN pg_replication_slots ON active_pid = pid
      WHERE slot_name = 'sluice_%s'
      """;

  @Test
  @EnabledOnOs(OS.LINUX)
  void bothEndsOfEachSessionDetectALostHost() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE t (id int PRIMARY KEY)");
        Connection session = fixture.source.server().open();
        Statement statement = session.createStatement();
        ResultSet set = statement.executeQuery(SESSION_SETTINGS)) {
      set.next();
      assertThat(set.getString(1)).isEqualTo("30 10 3 10s");
      assertThat(secondsToKeepAlive(set.getInt(2))).isBetween(1L, 31L);
      fixture.capturing();
      // The reader comes in a while, and another timer may run for a moment.
      await()
          .atMost(Duration.ofMinutes(5))
          .untilAsserted(
              () ->
                  assertThat(ports(fixture, READER.formatted(fixture.task)))
                      .singleElement()
                      .satisfies(port -> assertThat(secondsToKeepAlive(port)).isBetween(1L, 31L)));
    }
  }

  private static List<Integer> ports(SourceFixture fixture, String sql) throws SQLException {
    try (Statement statement = fixture.connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<Integer> ports = new ArrayList<>();
      while (rows.next()) {
        ports.add(rows.getInt(1));
      }
      return ports;
    }
  }

  /** Until this side of a connection asks whether the other is there; -1 where it does not. */
  private static long secondsToKeepAlive(int port) throws IOException {
    List<String> connections = new ArrayList<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      if (Files.exists(Path.of(table))) {
        connections.addAll(Files.readAllLines(Path.of(table)));
      }
    }
    // Address, remote address, state, queues, timer (2 is keep-alive) and when it is due.
    return connections.stream()
        .map(line -> line.trim().split("\\s+"))
        .filter(fields -> fields[1].endsWith(":%04X".formatted(port)))
        .map(fields -> fields[5].split(":"))
        .filter(timer -> timer[0].equals("02"))
        .map(timer -> Long.parseLong(timer[1], 16) / 100 + 1)
        .findFirst()
        .orElse(-1L);
  }

  @Test
  void valuesOfEachTypeAreCapturedAsTheSourcePrintsThem() throws Exception {
    String[] values = {
      "smallint", "-32768",
      "bigint", "9223372036854775807",
      "numeric", "NaN",
      "numeric(30,10)", "12345678901234567890.0123456789",
      "numeric", "Infinity",
      "real", "1.1",
      "double precision", "0.1",
      "double precision", "-Infinity",
      "boolean", "t",
      "text", "Zürich 🌊 \\ ' \" \n\t tab",
      "text", "",
      "text", "NULL",
      "text", "unchanged",
      "varchar(10)", "abc",
      "character(5)", "ab",
      "bytea", "\\x00ff10",
      "date", "infinity",
      "date", "0044-03-15 BC",
      "time", "24:00:00",
      "timetz", "12:00:00.123456+05:30",
      "timestamp", "2026-11-21 10:00:00.000001",
      "timestamptz", "-infinity",
      "timestamptz", "2026-11-21 10:00:00.5+03",
      "interval", "1 year 2 mons -3 days 04:05:06.789",
      "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
      "json", "{\"b\": 1,  \"a\":[1, 2]}",
      "jsonb", "{\"b\": 1, \"a\": [1, 2]}",
      "xml", "<a>b</a>",
      "int[]", "{1,NULL,3}",
      "text[]", "{a,\"b c\",NULL,\"\"}",
      "int[]", "[0:1]={1,2}",
      "int4range", "[1,5)",
      "tstzrange", "[\"2026-01-01 00:00:00+01\",)",
      "nummultirange", "{[1,2),[3,4)}",
      "point", "(1.5,2)",
      "polygon", "((0,0),(1,1),(1,0))",
      "inet", "10.1.2.3/8",
      "macaddr8", "08:00:2b:01:02:03:04:05",
      "bit(5)", "10101",
      "varbit", "101",
      "money", "$1,234.50",
      "tsvector", "'a':1 'b':2",
      "tsquery", "'a' & 'b'",
      "regclass", "pg_catalog.pg_class",
      "oid", "4294967295",
      "pg_lsn", "16/B374D848",
      "public.mood", "so so",
      "public.mood[]", "{happy,\"so so\"}",
      "public.positive", "7",
      "public.pair", "(1,\"a,b\")",
      "public.pair[]", "{\"(1,x)\",\"(2,)\"}",
      "\"Odd Type\"", "x y"
    };
    StringBuilder columns = new StringBuilder();
    StringBuilder inserted = new StringBuilder();
    StringBuilder printed = new StringBuilder();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < values.length; i += 2) {
      columns.append(", c").append(i).append(' ').append(values[i]);
      inserted.append(", $v$").append(values[i + 1]).append("$v$::").append(values[i]);
      printed.append(", concat(c").append(i).append(")");
    }
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TYPE mood AS ENUM ('happy', 'so so')",
                    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
                    "CREATE TYPE pair AS (a int, b text)",
                    "CREATE TYPE \"Odd Type\" AS ENUM ('x y')",
                    "CREATE TABLE wide (id int PRIMARY KEY"
                        + columns
                        + ", none text DEFAULT 'some')",
                    databaseDefault("DateStyle", "German, DMY"),
                    databaseDefault("IntervalStyle", "sql_standard"),
                    databaseDefault("TimeZone", "Asia/Tokyo"),
                    databaseDefault("extra_float_digits", "-10"),
                    databaseDefault("bytea_output", "escape"))
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO wide VALUES (1" + inserted + ", NULL)");
      try (var connection = fixture.source.server().open();
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery("SELECT id::text" + printed + ", none FROM public.wide")) {
        rows.next();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          texts.add(rows.getString(i));
        }
      }
      RowChange change = (RowChange) reader.read(1).get(0).changes().get(0);
      List<String> journaled = new ArrayList<>();
      for (int i = 0; i < change.row().columns(); i++) {
        journaled.add(change.row().text(i));
      }
      assertThat(journaled).isEqualTo(texts);
    }
  }

  @Test
  void keyChangesAndChainsOfThemAreUpdatesFromTheOldKey() {
    try (SourceFixture fixture =
            new SourceFixture("CREATE TABLE k (a int, b int, t text, PRIMARY KEY (a, b))")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "BEGIN; INSERT INTO k VALUES (1, 1, 'x'); UPDATE k SET a = 2; UPDATE k SET b = 3, t = 'y';"
              + "UPDATE k SET t = 'z'; DELETE FROM k; COMMIT");
      List<ChangeEvent> changes = reader.read(1).get(0).changes();
      assertThat(changes)
          .extracting(change -> ((RowChange) change).match())
          .containsExactly(
              null, rowOf("1", "1"), rowOf("2", "1"), rowOf("2", "3"), rowOf("2", "3"));
      assertThat(changes)
          .extracting(change -> ((RowChange) change).row())
          .containsExactly(
              rowOf("1", "1", "x"),
              rowOf("2", "1", "x"),
              rowOf("2", "3", "y"),
              rowOf("2", "3", "z"),
              null);
    }
  }

  @Test
  void transactionsAreCapturedCompletelyInCommitOrderWithoutRolledBackOnes() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE a (id int PRIMARY KEY)", "CREATE TABLE b (id int PRIMARY KEY)")
                .capturing();
        JournalReader reader = fixture.reader();
        var other = fixture.connect();
        Statement late = other.createStatement()) {
      late.execute("BEGIN; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)");
      fixture.execute(
          "INSERT INTO a VALUES (2)",
          "BEGIN; INSERT INTO a VALUES (3); ROLLBACK",
          "BEGIN; INSERT INTO a VALUES (4); SAVEPOINT s; INSERT INTO b VALUES (4);"
              + "ROLLBACK TO s; INSERT INTO b VALUES (5); COMMIT");
      late.execute("COMMIT");
      List<Transaction> read = reader.read(3);
      assertThat(read)
          .extracting(transaction -> rows(transaction.changes()))
          .containsExactly(
              List.of("public.a(2)"),
              List.of("public.a(4)", "public.b(5)"),
              List.of("public.a(1)", "public.b(1)"));
      assertThat(read).extracting(Transaction::position).isSorted();
    }
  }

  @Test
  void byItsIdASnapshotOfTheSourceShowsATransactionOfTheJournalOrDoesNot() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader();
        var other = fixture.connect();
        Statement open = other.createStatement()) {
      fixture.execute("BEGIN; SAVEPOINT s; INSERT INTO a VALUES (1); RELEASE s; COMMIT");
      open.execute("BEGIN; SAVEPOINT s; INSERT INTO a VALUES (2); RELEASE s");
      fixture.execute("INSERT INTO a VALUES (3)");
      VisibleTransactions snapshot;
      try (ResultSet row =
          fixture.connection.createStatement().executeQuery("SELECT pg_current_snapshot()")) {
        row.next();
        snapshot = VisibleTransactions.parse(row.getString(1));
      }
      open.execute("COMMIT");
      fixture.execute("INSERT INTO a VALUES (4)");

      assertThat(reader.read(4))
          .extracting(
              transaction -> rows(transaction.changes()),
              transaction -> snapshot.shows(transaction.id()))
          .containsExactly(
              tuple(List.of("public.a(1)"), true),
              tuple(List.of("public.a(3)"), true),
              tuple(List.of("public.a(2)"), false),
              tuple(List.of("public.a(4)"), false));
    }
  }

  @Test
  void unchangedToastedValuesAreMarkedAndNotMistakenForText() {
    String big = "repeat(md5('x'), 4000)";
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE big (id int PRIMARY KEY, t text, n int)",
                    "ALTER TABLE big ALTER t SET STORAGE EXTERNAL",
                    "CREATE TABLE whole (id int PRIMARY KEY, t text, n int)",
                    "ALTER TABLE whole ALTER t SET STORAGE EXTERNAL",
                    "ALTER TABLE whole REPLICA IDENTITY FULL",
                    "INSERT INTO big VALUES (1, " + big + ", 1)",
                    "INSERT INTO whole VALUES (1, " + big + ", 1)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "UPDATE big SET n = 2", "UPDATE big SET t = 'unchanged'", "UPDATE whole SET n = 2");
      List<Transaction> read = reader.read(3);
      assertThat(row(read, 0).isUnchanged(1)).isTrue();
      assertThat(row(read, 1).isUnchanged(1)).isFalse();
      assertThat(row(read, 1).text(1)).isEqualTo("unchanged");
      assertThat(row(read, 2).text(1)).hasSize(128_000);
    }
  }

  @Test
  void rowsOfTablesWithoutKeyAreMatchedByTheCompleteOldRowAndNotByAUniqueIndex() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE bag (a int UNIQUE, b text)",
                    "CREATE UNIQUE INDEX ON bag (b) WHERE a > 5",
                    "ALTER TABLE bag REPLICA IDENTITY FULL")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO bag VALUES (1, NULL), (NULL, 'x')",
          "UPDATE bag SET a = 3 WHERE a = 1",
          "UPDATE bag SET b = 'y' WHERE b = 'x'",
          "DELETE FROM bag WHERE a IS NULL");
      List<Transaction> read = reader.read(4);
      assertThat(change(read, 1)).isEqualTo(List.of(rowOf("1", null), rowOf("3", null)));
      assertThat(change(read, 2)).isEqualTo(List.of(rowOf(null, "x"), rowOf(null, "y")));
      assertThat(((RowChange) read.get(3).changes().get(0)).match()).isEqualTo(rowOf(null, "y"));
    }
  }

  @Test
  void theKeyIsTheReplicaIdentitysIndexAndNotWhatDebeziumGuesses() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE i (id int PRIMARY KEY, \"odd : name\" int NOT NULL, extra int)",
                    "CREATE UNIQUE INDEX identity ON i (\"odd : name\") INCLUDE (extra)",
                    "ALTER TABLE i REPLICA IDENTITY USING INDEX identity")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO i VALUES (1, 10, 0)",
          "UPDATE i SET \"odd : name\" = 11",
          "UPDATE i SET id = 2",
          "DELETE FROM i");
      List<Transaction> read = reader.read(4);
      assertThat(change(read, 1)).isEqualTo(List.of(rowOf("10"), rowOf("1", "11", "0")));
      assertThat(change(read, 2)).isEqualTo(List.of(rowOf("11"), rowOf("2", "11", "0")));
      assertThat(((RowChange) read.get(3).changes().get(0)).match()).isEqualTo(rowOf("11"));
    }
  }

  @Test
  void aDeferrablePrimaryKeyIsNoKeySinceTwoRowsMayShareIt() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE d (id int PRIMARY KEY DEFERRABLE, t text)",
                    "ALTER TABLE d REPLICA IDENTITY FULL",
                    "INSERT INTO d VALUES (1, 'a'), (2, 'b')")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("UPDATE d SET id = id + 1");
      assertThat(reader.read(1).get(0).changes())
          .extracting(change -> ((RowChange) change).match())
          .containsExactly(rowOf("1", "a"), rowOf("2", "b"));
    }
  }

  @Test
  void oneTruncateOfSeveralTablesIsOneChange() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE parent (id int PRIMARY KEY)",
                    "CREATE TABLE child (id int PRIMARY KEY REFERENCES parent)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "BEGIN; INSERT INTO parent VALUES (1); TRUNCATE parent, child; TRUNCATE child; COMMIT");
      List<ChangeEvent> changes = reader.read(1).get(0).changes();
      assertThat(changes).hasSize(3);
      assertThat(((Truncate) changes.get(1)).tables())
          .containsExactlyInAnyOrder(
              new Emptied(SourceFixture.table("parent"), null),
              new Emptied(SourceFixture.table("child"), null));
      assertThat(((Truncate) changes.get(2)).tables())
          .containsExactly(new Emptied(SourceFixture.table("child"), null));
    }
  }

  @Test
  void leavesAreJournaledUnderTheirRootAndATruncatedLeafByItsCondition() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE p (id int, d int, PRIMARY KEY (id, d)) PARTITION BY RANGE (d)",
                    "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
                    "CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)"
                        + " PARTITION BY LIST (id)",
                    "CREATE TABLE p2a PARTITION OF p2 DEFAULT")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO p VALUES (1, 5), (2, 15)",
          "UPDATE p SET d = 16 WHERE id = 1",
          "TRUNCATE p1",
          "TRUNCATE p");
      List<Transaction> read = reader.read(4);
      assertThat(rows(read.get(0).changes())).containsExactly("public.p(1, 5)", "public.p(2, 15)");
      assertThat(read.get(1).changes()).hasSize(2);
      assertThat(((Truncate) read.get(2).changes().get(0)).tables())
          .containsExactly(
              new Emptied(SourceFixture.table("p"), "((d IS NOT NULL) AND (d >= 0) AND (d < 10))"));
      assertThat(((Truncate) read.get(3).changes().get(0)).tables())
          .containsExactly(new Emptied(SourceFixture.table("p"), null));
    }
  }

  @Test
  void publishedTablesThatAreNotSelectedAreSkipped() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE p (id int PRIMARY KEY) PARTITION BY LIST (id)",
                    "CREATE TABLE p1 PARTITION OF p DEFAULT",
                    "CREATE TABLE other (id int PRIMARY KEY)")
                .capturing(SourceFixture.table("p")::equals);
        JournalReader reader = fixture.reader()) {
      fixture.execute("BEGIN; INSERT INTO other VALUES (1); INSERT INTO p VALUES (2); COMMIT");
      assertThat(rows(reader.read(1).get(0).changes())).containsExactly("public.p(2)");
    }
  }

  @Test
  void aPartitionCreatedDuringReplicationIsReplicated() {
    try (SourceFixture fixture =
            new SourceFixture(
                    "CREATE TABLE p (id int, d int, PRIMARY KEY (id, d)) PARTITION BY RANGE (d)",
                    "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO p VALUES (1, 5)",
          "CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)",
          "INSERT INTO p VALUES (2, 15)",
          "UPDATE p SET id = 3 WHERE id = 2");
      List<Transaction> read = reader.read(3);
      assertThat(rows(read.get(1).changes())).containsExactly("public.p(2, 15)");
      assertThat(rows(read.get(2).changes())).containsExactly("public.p(3, 15)");
    }
  }

  @Test
  void eachRowHasTheDefinitionThatItsTableHadAtThatTime() {
    try (SourceFixture fixture =
            new SourceFixture("CREATE TABLE s (id int PRIMARY KEY, \"T\" text, t text)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO s VALUES (1, 'A', 'a')",
          "ALTER TABLE s ADD n numeric(5,1) DEFAULT 2.5",
          "BEGIN; UPDATE s SET t = 'b'; ALTER TABLE s DROP t; UPDATE s SET n = 3; COMMIT",
          "ALTER TABLE s ALTER n TYPE int USING n * 2",
          "UPDATE s SET \"T\" = 'C'");
      List<Transaction> read = reader.read(3);
      assertThat(rows(read.get(0).changes())).containsExactly("public.s(1, A, a)");
      assertThat(rows(read.get(1).changes()))
          .containsExactly("public.s(1, A, b, 2.5)", "public.s(1, A, 3.0)");
      assertThat(rows(read.get(2).changes())).containsExactly("public.s(1, C, 6)");
    }
  }

  @Test
  void anOlderServerIsCapturedTheSameWay() {
    try (EmbeddedPostgres older =
            EmbeddedPostgres.builder().version(PostgresVersion.OLDER).start();
        SourceFixture fixture =
            new SourceFixture(
                    older, "postgres", List.of("CREATE TABLE a (id int PRIMARY KEY, t text)"))
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO a VALUES (1, NULL)", "UPDATE a SET id = 2, t = 'x'");
      List<Transaction> read = reader.read(2);
      assertThat(change(read, 1)).isEqualTo(List.of(rowOf("1"), rowOf("2", "x")));
    }
  }

  @Test
  void aFenceKeepsItsOrderAndForeignMessagesAreDropped() {
    try (SourceFixture fixture =
            new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "BEGIN; SELECT pg_logical_emit_message(true, 'other', 'x'); INSERT INTO a VALUES (1);"
              + "SELECT pg_logical_emit_message(false, 'other', 'y'); COMMIT",
          "SELECT pg_logical_emit_message(true, 'other', 'z')");
      Position fence = fixture.source.log().emitFence();
      List<Transaction> read = reader.read(2);
      assertThat(rows(read.get(0).changes())).containsExactly("public.a(1)");
      assertThat(read.get(1).changes())
          .containsExactly(
              new Message(
                  fixture.source.prefixes().fence(),
                  fence.toString().getBytes(StandardCharsets.US_ASCII)));
    }
  }

  private static String databaseDefault(String setting, String value) {
    return "DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET %s TO %%L', current_database(), '%s'); END $$"
        .formatted(setting, value);
  }

  private static List<String> rows(List<ChangeEvent> changes) {
    List<String> rows = new ArrayList<>();
    for (ChangeEvent change : changes) {
      RowChange row = (RowChange) change;
      List<String> values = new ArrayList<>();
      for (int i = 0; i < row.row().columns(); i++) {
        values.add(row.row().text(i));
      }
      rows.add(row.schema().table() + "(" + String.join(", ", values) + ")");
    }
    return rows;
  }

  private static dev.sluice.connector.api.Row row(List<Transaction> read, int transaction) {
    return ((RowChange) read.get(transaction).changes().get(0)).row();
  }

  private static List<Object> change(List<Transaction> read, int transaction) {
    RowChange change = (RowChange) read.get(transaction).changes().get(0);
    return List.of(change.match(), change.row());
  }
}
