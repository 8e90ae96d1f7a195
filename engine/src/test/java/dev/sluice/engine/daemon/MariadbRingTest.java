package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToMariadb;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Two tasks one behind the other: MariaDB to PostgreSQL, and from there to another MariaDB. */
@ExtendWith(SharedBroker.class)
@Timeout(600)
class MariadbRingTest {
  /** The columns of a table of all types, each with the text that both ends must have. */
  private static final String[][] COLUMNS = {
    {"tiny tinyint(1)", "tiny"},
    {"born year", "born"},
    {"small smallint unsigned", "small"},
    {"whole int unsigned", "whole"},
    {"big bigint unsigned", "big"},
    {"amount decimal(12,2)", "amount"},
    {"ratio float", "ratio"},
    {"score double", "score"},
    {"flags bit(5)", "flags + 0"},
    {"since date", "since"},
    {"opens time(6)", "TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CONCAT(opens, '')))"},
    {"rough datetime", "DATE_FORMAT(rough, '%Y-%m-%d %H:%i:%s.%f')"},
    {"seen datetime(6)", "DATE_FORMAT(seen, '%Y-%m-%d %H:%i:%s.%f')"},
    {"changed timestamp(6) NULL", "DATE_FORMAT(changed, '%Y-%m-%d %H:%i:%s.%f')"},
    {"code char(5)", "code"},
    {"name varchar(40)", "name"},
    {"note longtext", "note"},
    {"color enum('red', 'blue')", "color"},
    {"marks set('a', 'b', 'c')", "marks"},
    {"doc json", "doc"},
    {"hash binary(4)", "HEX(hash)"},
    {"photo longblob", "HEX(photo)"},
    {"token uuid", "token"},
    {"host inet6", "host"}
  };

  private static final String[] EDGES = {
    "1, 2024, 1, 1, 1, 1.10, 0.5, 0.1, b'00101', '2024-02-29', '12:34:56.5', '2024-01-02 03:04:05',"
        + " '2024-01-02 03:04:05.000006', '2024-03-31 01:59:59.999999', 'ab', 'blanks  ', 'note', 'red', 'a,c',"
        + " '{\"a\" : 1.0}', X'00ff5c27', X'5c220a00', '123e4567-e89b-12d3-a456-426655440000', '::1'",
    "0, 1901, 65535, 4294967295, 18446744073709551615, -9999999999.99, -1e30, 1e300, b'11111', '9999-12-31',"
        + " '-838:59:59', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07.999999', '',"
        + " 'tab\\tü€😀', REPEAT('long ü ', 3000), 'blue', '', 'null', X'00000000', REPEAT(X'5c22', 9000),"
        + " '00000000-0000-0000-0000-000000000000', '::ffff:1.2.3.4'",
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
        + " NULL, NULL, NULL, NULL, NULL, NULL"
  };

  private static final List<String> ROWS =
      List.of(
          "SELECT CONCAT_WS('|', id, %s) FROM shop.kind ORDER BY id".formatted(texts()),
          "SELECT CONCAT_WS('|', id, place, balance) FROM shop.account ORDER BY id",
          "SELECT CONCAT_WS('|', account, no, amount) FROM shop.entry ORDER BY account, no");

  @TempDir Path folder;

  @Test
  void whatGoesFromMariadbThroughPostgresToMariadbIsTheSameAtBothEnds() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (EmbeddedMariadb first = EmbeddedMariadb.start();
        ToMariadb last = ToMariadb.start()) {
      create(first);
      last.source().createDatabase("ring");
      last.onTarget("CREATE DATABASE shop COLLATE utf8mb4_nopad_bin");
      TaskConfig in = in(first, last).config();
      TaskConfig out = last.task(folder, "ring", settings()).config();
      Random random = new Random(5);
      for (int start = 0; start < 2; start++) {
        try (RunningDaemon toPostgres = RunningDaemon.replicating(in);
            RunningDaemon toMariadb = RunningDaemon.replicating(out)) {
          write(first, random);
          toPostgres.awaitApplied();
          toMariadb.awaitApplied();
          requireEqual(toPostgres);
          requireEqual(toMariadb);
          for (String rows : ROWS) {
            List<String> found = on(last.target(), rows);
            assertThat(found).isEqualTo(on(first, rows)).hasSizeGreaterThan(2);
          }
        }
        // What nobody follows at present.
        write(first, random);
      }
    }
  }

  private static void requireEqual(RunningDaemon running) throws InterruptedException {
    Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
    assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
  }

  private TaskFolder in(EmbeddedMariadb first, ToMariadb last) throws Exception {
    return TaskFolder.of(
            folder.resolve("in"), "ring_in", first.port(), last.source().port(), "ring", "shop")
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/ring\n  password: ${env:HOME}"
                .formatted(first.port()),
            "type: mariadb\n  url: mariadb://root@127.0.0.1:%d/shop".formatted(first.port()))
        .settings(settings());
  }

  private static String settings() {
    return "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}";
  }

  private static void create(EmbeddedMariadb first) throws SQLException {
    List<String> definitions = new ArrayList<>();
    for (String[] column : COLUMNS) {
      definitions.add(column[0]);
    }
    on(
        first,
        "CREATE DATABASE shop",
        "CREATE TABLE shop.kind (id int AUTO_INCREMENT PRIMARY KEY, %s)"
            .formatted(String.join(", ", definitions)),
        "CREATE TABLE shop.account (id int PRIMARY KEY, place int UNIQUE, balance decimal(12,2) NOT NULL)",
        "CREATE TABLE shop.entry (account int, no int, amount decimal(12,2), PRIMARY KEY (account, no),"
            + " FOREIGN KEY (account) REFERENCES shop.account (id))",
        "INSERT INTO shop.account SELECT seq, seq, 0 FROM seq_1_to_200");
    for (String edge : EDGES) {
      on(first, "INSERT INTO shop.kind VALUES (NULL, %s)".formatted(edge));
    }
  }

  /** Transactions of an application, with exchanged unique values and changed keys. */
  private static void write(EmbeddedMariadb first, Random random) throws SQLException {
    for (int i = 0; i < 60; i++) {
      int one = 1 + random.nextInt(200);
      int other = 1 + (one + random.nextInt(198)) % 200;
      on(
          first,
          "SET autocommit = 0",
          "INSERT INTO shop.kind VALUES (NULL, %s)".formatted(EDGES[random.nextInt(EDGES.length)]),
          "UPDATE shop.kind SET note = CONCAT(IFNULL(note, ''), 'x'), color = 'red' WHERE id %% 7 = %d"
              .formatted(i % 7),
          "DELETE FROM shop.kind WHERE id > 10 AND id %% 23 = %d".formatted(i % 23),
          "INSERT IGNORE INTO shop.entry VALUES (%d, %d, %d)"
              .formatted(one, random.nextInt(9), random.nextInt(1000)),
          "UPDATE shop.entry SET no = no + 100 WHERE account = %d AND no < 3".formatted(other),
          "UPDATE shop.account SET balance = balance + 1.25 WHERE id IN (%d, %d)"
              .formatted(one, other),
          "SELECT place FROM shop.account WHERE id = %d INTO @place".formatted(one),
          "UPDATE shop.account SET place = NULL WHERE id = " + one,
          "SELECT place FROM shop.account WHERE id = %d INTO @other".formatted(other),
          "UPDATE shop.account SET place = @place WHERE id = " + other,
          "UPDATE shop.account SET place = @other WHERE id = " + one,
          "COMMIT");
    }
  }

  private static String texts() {
    List<String> texts = new ArrayList<>();
    for (String[] column : COLUMNS) {
      texts.add("IFNULL(CONCAT(%s, ''), '~')".formatted(column[1]));
    }
    return String.join(", ", texts);
  }

  /** What the last statement returns. */
  private static List<String> on(EmbeddedServer server, String... statements) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Connection session = server.connect();
        Statement statement = session.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      for (String sql : statements) {
        found.clear();
        if (statement.execute(sql)) {
          try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
              found.add(row.getString(1));
            }
          }
        }
      }
    }
    return found;
  }
}
