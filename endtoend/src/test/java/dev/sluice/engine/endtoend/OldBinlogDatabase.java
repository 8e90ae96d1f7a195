package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An old database of MariaDB or MySQL, with dates and texts that PostgreSQL does not have. */
abstract class OldBinlogDatabase {
  private static final String ROWS =
      "SELECT concat_ws('|', id, born, seen, changed, coalesce(note, 'NULL'), since) FROM shop.old"
          + " ORDER BY id";

  private final ShopServer kind;

  OldBinlogDatabase(ShopServer kind) {
    this.kind = kind;
  }

  @Test
  @Timeout(1800)
  void theyAreRefusedByNameAndReplicatedAsTheTaskFileSays(@TempDir Path folder) throws Exception {
    kind.assumeAvailable();
    try (EmbeddedServer source = kind.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        Connection application = application(source);
        Statement onSource = application.createStatement()) {
      target.createDatabase("old");
      onSource.execute(
          "INSERT INTO old VALUES (1, '2024-02-29', '2024-02-29 10:00:00', '2024-02-29 10:00:00', 'x'),"
              + " (2, '0000-00-00', '2020-00-15', '0000-00-00', 'a\\0b'),"
              + " (3, '2026-02-31', '2026-02-31 10:00:00', '2024-01-01', NULL)");
      Path task = new BinlogTask(kind, target, folder, "old").write(source, "full-load-and-cdc");
      refused(
          task,
          "table shop.old, column born",
          "the date 0000-00-00 in the row with id = 2",
          "zero-dates: to-null");
      set(task, "zero-dates: to-null", "zero-characters: remove");
      try (Connection connection = target.connect("old")) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          onSource.execute(
              "INSERT INTO old VALUES (4, '0000-00-00', '0000-00-00', '0000-00-00', '\\0')");
          onSource.execute("UPDATE old SET born = '2020-00-00', note = 'y\\0' WHERE id = 1");
          onSource.execute("ALTER TABLE old ADD COLUMN since DATE NOT NULL DEFAULT '2020-01-01'");
          onSource.execute("UPDATE old SET since = '0000-00-00' WHERE id = 3");
          daemon.awaitAllApplied();
          assertThat(strings(connection, ROWS))
              .containsExactly(
                  "1|2024-02-29 10:00:00|2024-02-29 10:00:00+00|y|2020-01-01",
                  "2|ab|2020-01-01",
                  "3|2024-01-01 00:00:00+00|NULL",
                  "4||2020-01-01");
          BinlogMigration.assertSaid(
              DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 2 tables");
          List<String> rows = strings(connection, ROWS);
          try (Statement onTarget = connection.createStatement()) {
            onTarget.execute("DELETE FROM shop.old WHERE id = 2");
            onTarget.execute("UPDATE shop.old SET born = '2020-01-01' WHERE id = 3");
            onTarget.execute("UPDATE shop.old SET note = 'z' WHERE id = 4");
          }
          BinlogMigration.assertSaid(
              DaemonProcess.commandHere("validate", task.toString()), 1, "shop.old");
          BinlogMigration.assertSaid(
              DaemonProcess.commandHere("resync", task.toString(), "--delete-extra", "shop.old"),
              0,
              "rows repaired");
          assertThat(strings(connection, ROWS)).isEqualTo(rows);
          assertThat(daemon.terminate()).isZero();
        }
        set(task);
        onSource.execute(
            "INSERT INTO old VALUES (5, '0000-00-00', '2020-01-01', '2020-01-01', '', '2020-01-01')");
        refused(task, "table shop.old, column born", "the date 0000-00-00", "zero-dates: to-null");
        set(task, "zero-dates: to-null", "zero-characters: remove");
        try (Statement onTarget = connection.createStatement()) {
          onTarget.execute("ALTER TABLE shop.young ALTER COLUMN born SET NOT NULL");
          refused(
              task,
              "target table shop.young",
              "column born is NOT NULL",
              "ALTER COLUMN \"born\" DROP NOT NULL");
          onTarget.execute("ALTER TABLE shop.young ALTER COLUMN born DROP NOT NULL");
        }
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          daemon.awaitAllApplied();
          assertThat(strings(connection, ROWS).get(4))
              .isEqualTo("5|2020-01-01 00:00:00|2020-01-01 00:00:00+00||2020-01-01");
          BinlogMigration.assertSaid(
              DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 2 tables");
        }
      }
    }
  }

  /** In the log the value stays: only a start behind it helps. */
  @Test
  @Timeout(900)
  void aCorrectedRowLetsTheLoadGoOnAndTheCaptureAfterAResync(@TempDir Path folder)
      throws Exception {
    kind.assumeAvailable();
    try (EmbeddedServer source = kind.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        Connection application = application(source);
        Statement onSource = application.createStatement()) {
      target.createDatabase("old");
      onSource.execute("INSERT INTO young VALUES (1, '2020-01-01'), (2, '0000-00-00')");
      Path task = new BinlogTask(kind, target, folder, "old").write(source, "full-load-and-cdc");
      refused(task, "the date 0000-00-00 in the row with id = 2", "Then start the task again");
      onSource.execute("UPDATE young SET born = '2020-01-02' WHERE id = 2");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        onSource.execute("INSERT INTO young VALUES (3, '2020-02-31')");
        assertThat(daemon.awaitEnd()).as(daemon.output()).isNotZero();
        assertThat(daemon.output()).contains("the date 2020-02-31", "sluice resync");
      }
      onSource.execute("UPDATE young SET born = '2020-03-01' WHERE id = 3");
      refused(task, "the date 2020-02-31", "sluice resync");
      BinlogMigration.assertSaid(
          DaemonProcess.commandHere("resync", task.toString()), 0, "is requested");
      try (DaemonProcess daemon = DaemonProcess.run(task);
          Connection connection = target.connect("old")) {
        BinlogMigration.awaitNothingMissing(daemon, task);
        assertThat(strings(connection, "SELECT id || '|' || born FROM shop.young ORDER BY id"))
            .containsExactly("1|2020-01-01", "2|2020-01-02", "3|2020-03-01");
      }
    }
  }

  private Connection application(EmbeddedServer source) throws SQLException {
    source.createDatabase(BinlogShop.DATABASE);
    Connection application = source.connect(BinlogShop.DATABASE);
    try (Statement statement = application.createStatement()) {
      kind.createUser(statement);
      statement.execute("SET sql_mode = 'ALLOW_INVALID_DATES'");
      statement.execute("SET time_zone = '+00:00'");
      statement.execute(
          "CREATE TABLE old (id INT PRIMARY KEY, born DATE NOT NULL DEFAULT '0000-00-00',"
              + " seen DATETIME NOT NULL, changed TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00',"
              + " note TEXT)");
      statement.execute("CREATE TABLE young (id INT PRIMARY KEY, born DATE NOT NULL)");
    }
    return application;
  }

  /** Makes these the last lines of section source. */
  private static void set(Path task, String... lines) throws IOException {
    String kept = Files.readString(task).replaceAll("  zero-[a-z]+: [a-z-]+\n", "");
    StringBuilder own = new StringBuilder();
    for (String line : lines) {
      own.append("  ").append(line).append('\n');
    }
    Files.writeString(task, kept.replace("target:\n", own + "target:\n"));
  }

  private static void refused(Path task, String... words) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      assertThat(daemon.awaitEnd()).as(daemon.output()).isNotZero();
      assertThat(daemon.output()).contains(words);
    }
  }

  private static List<String> strings(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TimeZone TO 'UTC'");
    }
    return BinlogShop.strings(connection, query);
  }
}
