package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database of MariaDB or MySQL is loaded into PostgreSQL and followed, while applications write
 * and daemon and server are killed.
 */
abstract class BinlogMigration extends BinlogToPostgres {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SEED = Long.getLong("sluice.seed", 20261126L);

  private static final String CONSTRAINTS =
      """
      SELECT concat(contype, ' ', relname, ' ', pg_get_constraintdef(k.oid), ' ', convalidated)
      FROM pg_constraint k JOIN pg_class c ON c.oid = conrelid
      WHERE contype IN ('c', 'f', 'p') AND connamespace = 'shop'::regnamespace ORDER BY 1
      """;

  private static final String INDEXES =
      """
      SELECT concat(indexname, substring(indexdef FROM ' \\(.*')) FROM pg_indexes
      WHERE schemaname = 'shop' ORDER BY 1
      """;

  BinlogMigration(ShopServer kind) {
    super(kind);
  }

  @Test
  @Timeout(1800)
  void nothingIsLostAndNothingAppliedTwiceWhateverIsKilled(@TempDir Path folder) throws Exception {
    target.createDatabase("killed");
    try (EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, "killed", source, "full-load-and-cdc");
      Random random = new Random(SEED);
      try (BinlogWriters writers = BinlogWriters.start(kind, source, 3, SEED)) {
        RandomKills.of(task, () -> 500 + random.nextInt(5_000));
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          Thread.sleep(2_000);
          assertThat(writers.committed()).isPositive();
          writers.stop();
          daemon.awaitAllApplied();
          assertEqual(source, "killed");
          assertThat(daemon.terminate()).isZero();
        }
      }
      // What is written while no daemon runs, and over a restart of the server.
      BinlogWriters meanwhile = BinlogWriters.start(kind, source, 3, SEED + 10);
      Thread.sleep(1_000);
      meanwhile.stop();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        source.restart();
        BinlogWriters after = BinlogWriters.start(kind, source, 3, SEED + 20);
        Thread.sleep(3_000);
        after.stop();
        daemon.awaitAllApplied();
        assertEqual(source, "killed");
      }
    }
  }

  @Test
  @Timeout(600)
  void aLoadMakesTheTablesWithTheirKeysAndConstraints(@TempDir Path folder) throws Exception {
    target.createDatabase("loaded");
    try (EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, "loaded", source, "full-load");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      }
      assertEqual(source, "loaded");
      try (Connection connection = target.connect("loaded")) {
        assertThat(BinlogShop.strings(connection, CONSTRAINTS))
            .containsExactly(
                "c orders CHECK ((total >= (0)::double precision)) t",
                "f line FOREIGN KEY (orders) REFERENCES shop.orders(id)"
                    + kind.rulesOfForeignKeys()
                    + " t",
                "f orders FOREIGN KEY (customer) REFERENCES shop.customer(id)"
                    + kind.rulesOfForeignKeys()
                    + " t",
                "p counter PRIMARY KEY (id) t",
                "p customer PRIMARY KEY (id) t",
                "p line PRIMARY KEY (orders, no) t",
                "p orders PRIMARY KEY (id) t",
                "p setting PRIMARY KEY (name) t");
        assertThat(BinlogShop.strings(connection, INDEXES))
            .contains("customer_email (email)", "orders_placed (placed)");
        // The next number is above those of all rows.
        for (String next :
            List.of(
                "INSERT INTO shop.customer (name) VALUES ('new') RETURNING id > 3000",
                "INSERT INTO shop.counter (n) VALUES (1) RETURNING id > 10")) {
          assertThat(BinlogShop.strings(connection, next)).containsExactly("t");
        }
      }
    }
  }

  @Test
  @Timeout(600)
  void changesAreFollowedFromAPositionBeforeTheTask(@TempDir Path folder) throws Exception {
    target.createDatabase("positioned");
    try (EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      String position = endOfLog(source);
      Files.createDirectories(folder.resolve("load"));
      Path load = task(folder.resolve("load"), "positioned", source, "full-load");
      try (DaemonProcess daemon = DaemonProcess.run(load)) {
        assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      }
      BinlogWriters writers = BinlogWriters.start(kind, source, 3, SEED + 30);
      Thread.sleep(1_000);
      writers.stop();
      Path task = task(folder, "positioned", source, "cdc");
      Files.writeString(
          task,
          Files.readString(task)
              .replace("data-dir:", "cdc-start-position: " + position + "\ndata-dir:")
              .replace("task: positioned", "task: followed"));
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertEqual(source, "positioned");
        DaemonProcess.Finished dropped =
            DaemonProcess.commandHere("stop", task.toString(), "--drop");
        assertThat(dropped.exitCode()).as(dropped.output()).isZero();
      }
    }
  }

  @Test
  @Timeout(600)
  void whatTheSourceLacksIsRefusedByName(@TempDir Path folder) throws Exception {
    target.createDatabase("refused");
    try (EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, "refused", source, "full-load-and-cdc");
      String text = Files.readString(task);
      refused(
          Files.writeString(
              folder.resolve("back.yaml"),
              text.replace("data-dir:", "fallback: {user: back}\ndata-dir:")),
          "check",
          "fallback");
      refused(
          Files.writeString(
              folder.resolve("slot.yaml"),
              text.replace(
                  "  type: " + kind.type(), "  type: " + kind.type() + "\n  slot-name: a")),
          "check",
          "This server keeps its log for all readers");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        refused(task, "cutover", "has no way to stop its writers");
        DaemonProcess.Finished cutover =
            DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period");
        assertThat(cutover.exitCode()).as(cutover.output()).isZero();
        assertThat(cutover.output())
            .contains("the target has everything", "could not be checked for later changes")
            .contains("skipped: trigger expression of shop.line.half")
            .doesNotContain("expression of shop.line.twice", "expression of shop.line.label");
        assertEqual(source, "refused");
      }
    }
  }

  @Test
  @Timeout(900)
  void rowsAreComparedAndRepairedWhileApplicationsWrite(@TempDir Path folder) throws Exception {
    target.createDatabase("compared");
    try (EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, "compared", source, "full-load-and-cdc");
      Files.writeString(
          task,
          Files.readString(task)
              .replace(
                  "{FullLoadSettings",
                  "{ValidationSettings: {EnableValidation: true}, FullLoadSettings"));
      try (DaemonProcess daemon = DaemonProcess.run(task);
          BinlogWriters writers = BinlogWriters.start(kind, source, 2, SEED + 40);
          Connection to = target.connect("compared");
          Statement onTarget = to.createStatement()) {
        daemon.awaitPhase("replicating");
        assertSaid(DaemonProcess.commandHere("validate", task.toString()), 0, "shop.line");
        // Rows that no writer touches any more could not be told from those on their way.
        onTarget.execute(
            "UPDATE shop.customer SET name = 'another' WHERE id IN (SELECT id FROM shop.customer"
                + " WHERE name LIKE 'customer %' ORDER BY id LIMIT 3)");
        onTarget.execute("DELETE FROM shop.counter WHERE id = 5");
        onTarget.execute("INSERT INTO shop.setting (name) VALUES ('only here')");
        DaemonProcess.Finished different = DaemonProcess.commandHere("validate", task.toString());
        assertThat(different.exitCode()).as(different.output() + daemon.output()).isEqualTo(1);
        assertSaid(different, 1, "shop.customer", "shop.counter", "shop.setting");
        DaemonProcess.Finished repaired =
            DaemonProcess.commandHere(
                "resync",
                task.toString(),
                "--delete-extra",
                "shop.customer",
                "shop.counter",
                "shop.setting");
        assertThat(repaired.exitCode()).as(repaired.output() + daemon.output()).isZero();
        assertSaid(repaired, 0, "rows repaired");
        assertSaid(DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 5 tables");
        assertThat(writers.committed()).isPositive();
        writers.stop();
        daemon.awaitAllApplied();
        assertEqual(source, "compared");
        assertSaid(
            DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period"),
            0,
            "the target has everything");
      }
    }
  }

  @Test
  @Timeout(900)
  void aTaskWhoseLogIsGoneIsBroughtIntoStepByItsDifferences(@TempDir Path folder) throws Exception {
    target.createDatabase("resynced");
    try (EmbeddedServer source = kind.start()) {
      BinlogShop.create(kind, source);
      Path task = task(folder, "resynced", source, "full-load-and-cdc");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(daemon.terminate()).isZero();
      }
      BinlogWriters meanwhile = BinlogWriters.start(kind, source, 2, SEED + 50);
      Thread.sleep(1_000);
      meanwhile.stop();
      try (Connection connection = source.connect(BinlogShop.DATABASE);
          Statement statement = connection.createStatement()) {
        statement.execute("FLUSH BINARY LOGS");
        String file = endOfLog(source).split(":")[0];
        // The server keeps a file for as long as it has not noticed that its reader is gone.
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  statement.execute("PURGE BINARY LOGS TO '" + file + "'");
                  return BinlogShop.strings(connection, "SHOW BINARY LOGS").equals(List.of(file));
                });
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).as(daemon.output()).isNotZero();
        assertThat(daemon.output()).contains("has removed file number", "sluice resync");
      }
      assertSaid(
          DaemonProcess.commandHere("resync", task.toString(), "--delete-extra"),
          0,
          "is requested");
      try (DaemonProcess daemon = DaemonProcess.run(task);
          BinlogWriters writers = BinlogWriters.start(kind, source, 1, SEED + 60)) {
        awaitNothingMissing(daemon, task);
        writers.stop();
        daemon.awaitAllApplied();
        assertEqual(source, "resynced");
      }
    }
  }

  @Test
  @Timeout(600)
  void aServerOnAnotherPortGoesOnAndOneWhoseLogWasResetNeedsAResync(@TempDir Path folder)
      throws Exception {
    target.createDatabase("moved");
    Path data = folder.resolve("server");
    try (EmbeddedServer source = kind.builder().directory(data).start()) {
      BinlogShop.create(kind, source);
      try (DaemonProcess daemon =
          DaemonProcess.run(task(folder, "moved", source, "full-load-and-cdc"))) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(daemon.terminate()).isZero();
      }
    }
    try (EmbeddedServer source = kind.builder().directory(data).start()) {
      BinlogWriters writers = BinlogWriters.start(kind, source, 3, SEED + 40);
      Thread.sleep(1_000);
      writers.stop();
      Path task = task(folder, "moved", source, "full-load-and-cdc");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertEqual(source, "moved");
        assertThat(daemon.terminate()).isZero();
        if (kind.identityHasPort()) {
          assertThat(daemon.output()).contains("so the task continues");
        }
      }
      String end = endOfLog(source);
      String file = end.substring(end.indexOf('.') + 1, end.indexOf(':'));
      try (Connection connection = source.connect(BinlogShop.DATABASE);
          Statement statement = connection.createStatement()) {
        statement.execute(kind.resetLog(Integer.parseInt(file)));
        // The place that the target has is there again.
        while (offset(endOfLog(source)) <= offset(end)) {
          statement.execute("UPDATE setting SET value = concat(value, 'x')");
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).as(daemon.output()).isNotZero();
        assertThat(daemon.output())
            .containsPattern("has another history|nothing of its binary log ends at")
            .contains("sluice resync", "load the tables again");
      }
      assertSaid(
          DaemonProcess.commandHere("resync", task.toString(), "--delete-extra"),
          0,
          "is requested");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        awaitNothingMissing(daemon, task);
        daemon.awaitAllApplied();
        assertEqual(source, "moved");
      }
    }
  }

  /** The command refuses for as long as rows may differ. */
  static void awaitNothingMissing(DaemonProcess daemon, Path task) throws Exception {
    daemon.awaitPhase("replicating");
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              DaemonProcess.Finished waited = DaemonProcess.commandHere("wait", task.toString());
              assertThat(waited.exitCode()).as(waited.output() + daemon.output()).isZero();
            });
  }

  private static long offset(String position) {
    return Long.parseLong(position.substring(position.indexOf(':') + 1));
  }

  static void assertSaid(DaemonProcess.Finished finished, int code, String... words) {
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(code);
    assertThat(finished.output()).contains(words);
  }

  private static void refused(Path task, String command, String reason) {
    DaemonProcess.Finished finished = DaemonProcess.commandHere(command, task.toString());
    assertThat(finished.exitCode()).as(finished.output()).isNotZero();
    assertThat(finished.output()).contains(reason);
  }

  private static void assertEqual(EmbeddedServer source, String database) throws SQLException {
    try (Connection to = target.connect(database)) {
      BinlogShop.assertEqual(source, to);
    }
  }

  static void createTarget(String database) throws SQLException {
    target.createDatabase(database);
  }

  static Connection target(String database) throws SQLException {
    return target.connect(database);
  }

  private String endOfLog(EmbeddedServer source) throws SQLException {
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement();
        ResultSet end = statement.executeQuery(kind.logStatus())) {
      end.next();
      return end.getString(1) + ":" + end.getLong(2);
    }
  }

  final Path task(Path folder, String name, EmbeddedServer source, String type) throws IOException {
    return new BinlogTask(kind, target, folder, name).write(source, type);
  }
}
