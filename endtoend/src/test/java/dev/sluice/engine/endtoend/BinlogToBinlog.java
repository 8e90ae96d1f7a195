package dev.sluice.engine.endtoend;

import static dev.sluice.engine.endtoend.BinlogMigration.assertSaid;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A database of MariaDB or MySQL is moved to another server of its kind, without PostgreSQL. */
abstract class BinlogToBinlog {
  private static final long SEED = Long.getLong("sluice.seed", 20261129L);

  /** Columns that both servers have, each with values at the ends of its type. */
  private static final List<List<String>> VALUES =
      List.of(
          List.of("tinyint", "-128", "127"),
          List.of("tinyint unsigned", "0", "255"),
          List.of("smallint unsigned", "0", "65535"),
          List.of("mediumint", "-8388608", "8388607"),
          List.of("int", "-2147483648", "2147483647"),
          List.of("int unsigned", "0", "4294967295"),
          List.of("bigint", "-9223372036854775808", "9223372036854775807"),
          List.of("bigint unsigned", "0", "18446744073709551615"),
          List.of("decimal(30,10)", "-99999999999999999999.9999999999", "0.0000000001"),
          List.of("float", "-1.5", "3.25e30"),
          List.of("double", "-1.7976931348623157e308", "2.2250738585072014e-308"),
          List.of("bit(9)", "b'000000000'", "b'111111111'"),
          List.of("date", "'0001-01-01'", "'9999-12-31'"),
          List.of("datetime", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59'"),
          List.of("datetime(6)", "'0001-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'"),
          List.of("timestamp(6) NULL", "'1970-01-02 00:00:00.000001'", "'2038-01-18 03:14:07'"),
          List.of("time", "'-838:59:59'", "'838:59:59'"),
          List.of("time(6)", "'-00:00:00.000001'", "'23:59:59.999999'"),
          List.of("year", "1901", "2155"),
          List.of("char(5)", "''", "'é😀'"),
          List.of("varchar(20)", "' a '", "'\\t,\\n, \\' \\\\'"),
          List.of("varchar(20) CHARACTER SET latin1", "''", "'éÿ'"),
          List.of("text", "''", "repeat('ä', 30000)"),
          List.of("enum('a','b c','')", "'b c'", "''"),
          List.of("set('a','b','c')", "''", "'a,c'"),
          List.of("binary(4)", "x'00000000'", "x'ff0a0900'"),
          List.of("varbinary(10)", "x''", "x'5c0027'"),
          List.of("longblob", "x''", "repeat(x'00ff', 20000)"),
          List.of("json", "'{\"a\": 1.50}'", "'[null, true]'"));

  private static final List<List<String>> DEFINITIONS =
      List.of(
          List.of(
              "ALTER TABLE customer ADD COLUMN stage int NOT NULL DEFAULT 3",
              "UPDATE customer SET stage = 4 WHERE id < 9",
              "RENAME TABLE counter TO counted",
              "INSERT INTO counted (n) VALUES (99)"),
          List.of(
              "ALTER TABLE customer CHANGE stage grade bigint NULL, ADD seen datetime(3) NULL",
              "UPDATE customer SET grade = NULL, seen = '2026-01-31 10:00:00.125' WHERE id < 5",
              "CREATE TABLE later (id int PRIMARY KEY, note varchar(10)) ENGINE=InnoDB",
              "INSERT INTO later VALUES (1, 'a')",
              "ALTER TABLE later MODIFY note varchar(30) NOT NULL",
              "UPDATE later SET note = 'longer than before'"),
          List.of(
              "DROP TABLE later",
              "ALTER TABLE counted DROP COLUMN n, ADD m int NULL",
              "INSERT INTO counted (m) VALUES (7)"));

  private static final List<String> DEFINED =
      List.of(
          "SELECT concat_ws('|', id, name, coalesce(grade, '-'), coalesce(seen, '-')) FROM customer"
              + " ORDER BY id",
          "SELECT concat_ws('|', id, coalesce(m, '-')) FROM counted ORDER BY id",
          "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"
              + " AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME",
          "SELECT concat_ws('|', TABLE_NAME, COLUMN_NAME, IS_NULLABLE)"
              + " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
              + " AND TABLE_NAME IN ('customer', 'counted') ORDER BY 1");

  final ShopServer kind;

  BinlogToBinlog(ShopServer kind) {
    this.kind = kind;
  }

  @BeforeEach
  void requireServer() {
    kind.assumeAvailable();
  }

  @Test
  @Timeout(1800)
  void nothingIsLostAndNothingAppliedTwiceWhateverIsKilled(@TempDir Path folder) throws Exception {
    try (EmbeddedServer target = target();
        EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, source, target, "full-load-and-cdc");
      assertSaid(
          DaemonProcess.commandHere("check", task.toString(), "-v"),
          0,
          "not made with table shop.line",
          "twice");
      Random random = new Random(SEED);
      try (BinlogWriters writers = BinlogWriters.start(kind, source, 3, SEED)) {
        RandomKills.of(task, () -> 500 + random.nextInt(5_000));
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          target.restart();
          Thread.sleep(2_000);
          assertThat(writers.committed()).isPositive();
          writers.stop();
          source.restart();
          daemon.awaitAllApplied();
          BinlogShop.assertEqual(source, target);
          assertSaid(DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 5 tables");
          try (Connection to = target.connect(BinlogShop.DATABASE)) {
            Sql.texts(
                to,
                "UPDATE customer SET name = 'another' WHERE id = 7",
                "DELETE FROM counter WHERE id = 5",
                "UPDATE line SET t = '00:00:01', y = 2000 WHERE orders = 3");
          }
          assertSaid(
              DaemonProcess.commandHere("validate", task.toString()),
              1,
              "shop.customer",
              "shop.counter",
              "shop.line");
          DaemonProcess.Finished repaired = DaemonProcess.commandHere("repair", task.toString());
          assertThat(repaired.exitCode()).as(repaired.output() + daemon.output()).isZero();
          BinlogShop.assertEqual(source, target);
          assertThat(daemon.terminate()).isZero();
        }
      }
    }
  }

  @Test
  @Timeout(1800)
  void definitionsAreFollowedOverKills(@TempDir Path folder) throws Exception {
    try (EmbeddedServer target = target();
        EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, source, target, "full-load-and-cdc");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.terminate();
      }
      for (List<String> statements : DEFINITIONS) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          onShop(source, statements);
          // A capture that begins before a change of a type takes the table for one with columns
          // that are computed, which it does not follow.
          daemon.awaitAllApplied();
          daemon.kill();
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        for (String query : DEFINED) {
          List<String> expected = onShop(source, List.of(query));
          assertThat(expected).isNotEmpty();
          assertThat(onShop(target, List.of(query))).as(query).isEqualTo(expected);
        }
        assertSaid(DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 5 tables");
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  private static List<String> onShop(EmbeddedServer server, List<String> statements)
      throws SQLException {
    try (Connection session = server.connect(BinlogShop.DATABASE)) {
      return Sql.texts(session, statements.toArray(String[]::new));
    }
  }

  @Test
  @Timeout(900)
  void eachValueOfEachTypeComesAsItIs(@TempDir Path folder) throws Exception {
    try (EmbeddedServer target = target();
        EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      try (Connection from = source.connect(BinlogShop.DATABASE)) {
        StringBuilder table = new StringBuilder("CREATE TABLE kinds (id int PRIMARY KEY");
        for (int i = 0; i < VALUES.size(); i++) {
          table.append(", c").append(i).append(' ').append(VALUES.get(i).get(0));
        }
        Sql.texts(
            from,
            table + ") CHARACTER SET utf8mb4",
            insert(1, 1),
            insert(2, 2),
            "INSERT INTO kinds (id) VALUES (3)");
        Path task = task(folder, source, target, "full-load-and-cdc");
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          Sql.texts(
              from,
              insert(11, 1),
              insert(12, 2),
              "INSERT INTO kinds (id) VALUES (13)",
              // Each value becomes the other one.
              "UPDATE kinds a JOIN kinds b ON a.id = 1 AND b.id = 12 SET "
                  + each("a.c%1$d = b.c%1$d"),
              "UPDATE kinds a JOIN kinds b ON a.id = 2 AND b.id = 11 SET "
                  + each("a.c%1$d = b.c%1$d"));
          daemon.awaitAllApplied();
          String read =
              "SELECT CONCAT_WS('|', id, "
                  // The bytes of the text, which is the same in both columns' types.
                  + each("COALESCE(HEX(CAST(CONVERT(c%1$d USING %2$s) AS BINARY)), 'NULL')")
                  + ") FROM kinds ORDER BY id";
          List<String> expected = texts(source, read);
          assertThat(expected).hasSize(6);
          assertThat(texts(target, read)).isEqualTo(expected);
          assertSaid(DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 6 tables");
          // An unsigned bigint that counts is a decimal here, and has no counter.
          assertSaid(
              DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period"),
              1,
              "target sequence shop.counter_id_seq");
          try (Connection to = target.connect(BinlogShop.DATABASE)) {
            Sql.texts(
                to,
                kind == ShopServer.MARIADB
                    ? "CREATE SEQUENCE counter_id_seq CACHE 1"
                    : "CREATE TABLE counter_id_seq (n bigint AUTO_INCREMENT PRIMARY KEY)");
          }
          assertSaid(
              DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period"),
              0,
              "the target has everything");
        }
      }
      // Numbers go on above those of the source.
      try (Connection to = target.connect(BinlogShop.DATABASE)) {
        assertThat(
                Sql.texts(
                    to,
                    "INSERT INTO orders (customer, placed, total) VALUES (1, '2026-01-01', 1)",
                    "SELECT MAX(id) > 20000 FROM orders"))
            .containsExactly("1");
      }
    }
  }

  @Test
  @Timeout(600)
  void theSourceItselfIsNoTarget(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = startTarget()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, source, source, "full-load");
      Files.writeString(
          task,
          Files.readString(task).replace("data-dir:", "overwrite-target-rows: true\ndata-dir:"));
      for (String command : List.of("check", "run")) {
        DaemonProcess.Finished refused = DaemonProcess.commandHere(command, task.toString());
        assertThat(refused.exitCode()).as(refused.output()).isNotZero();
        assertThat(refused.output()).contains("are the same database", "shop.customer");
      }
      assertThat(texts(source, "SELECT COUNT(*) FROM orders")).containsExactly("20000");
    }
  }

  private static String insert(int id, int value) {
    StringBuilder sql = new StringBuilder("INSERT INTO kinds VALUES (" + id);
    VALUES.forEach(values -> sql.append(", ").append(values.get(value)));
    return sql.append(')').toString();
  }

  private static String each(String part) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < VALUES.size(); i++) {
      String type = VALUES.get(i).get(0);
      all.append(i == 0 ? "" : ", ")
          .append(
              part.formatted(i, type.matches("bit.*|.*binary.*|.*blob") ? "binary" : "utf8mb4"));
    }
    return all.toString();
  }

  private static List<String> texts(EmbeddedServer server, String query) throws SQLException {
    try (Connection session = server.connect(BinlogShop.DATABASE)) {
      return Sql.texts(session, "SET time_zone = '+00:00'", query);
    }
  }

  EmbeddedServer target() throws SQLException {
    EmbeddedServer target = startTarget();
    target.createDatabase(BinlogShop.DATABASE);
    return target;
  }

  private EmbeddedServer startTarget() {
    return kind.builder().setting("local-infile", "ON").fsync().start();
  }

  Path task(Path folder, EmbeddedServer source, EmbeddedServer target, String type)
      throws IOException {
    return Files.writeString(
        folder.resolve("task.yaml"),
        """
        task: direct
        migration-type: %s
        source:
          type: %s
          url: %s
          password: %s
        target:
          type: %s
          url: %s://root@127.0.0.1:%d/shop
        data-dir: %s
        http: 127.0.0.1:%d
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: "1"
              rule-action: include
              object-locator: { schema-name: shop, table-name: "%%" }
        task-settings: {FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}, Sluice: {ValidationSnapshotAge: 60}}
        """
            .formatted(
                type,
                kind.type(),
                kind.url(source),
                BinlogShop.PASSWORD,
                kind.type(),
                kind.type(),
                target.port(),
                folder.resolve("data"),
                FreePort.find()));
  }
}
