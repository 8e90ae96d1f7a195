package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.context.TaskStepNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A task that moves a part of the rows of a database of MariaDB or MySQL, which come and go. */
abstract class BinlogFilters {
  private static final int ROWS = 2000;
  private static final int KILLS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SEED = Long.getLong("sluice.seed", 20261129L);

  private static final String PASSING = "region IN ('eu', 'us ') AND amount >= -5.50";
  private static final String OTHERS = "region IN ('eu', 'us ') AND amount >= 20";

  private final ShopServer kind;
  private final Random random = new Random(SEED);

  BinlogFilters(ShopServer kind) {
    this.kind = kind;
  }

  @Test
  @Timeout(1800)
  void theTargetHasTheRowsThatPassWhateverMovesAndWhateverIsKilled(@TempDir Path folder)
      throws Exception {
    kind.assumeAvailable();
    try (EmbeddedServer source = kind.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        Connection application = application(source)) {
      target.createDatabase("part");
      insert(application, ROWS);
      Path task = task(source, target, folder, "-5.50");
      try (Connection onTarget = target.connect("part")) {
        DaemonProcess daemon = DaemonProcess.run(task);
        for (int kill = 0; kill < KILLS; kill++) {
          awaitSaid(daemon, kill == 0 ? "loads only the rows of rule 1" : "replicating");
          for (int i = 0; i < 20 + random.nextInt(200); i++) {
            change(application);
          }
          daemon.kill();
          daemon.close();
          daemon = DaemonProcess.run(task);
        }
        try (DaemonProcess last = daemon) {
          last.awaitPhase("replicating");
          for (int i = 0; i < 500; i++) {
            change(application);
          }
          last.awaitAllApplied();
          assertSame(application, onTarget, PASSING);
          BinlogMigration.assertSaid(
              DaemonProcess.commandHere("validate", task.toString()), 0, "equal: 2 tables");
          repaired(task, onTarget);
          last.awaitAllApplied();
          assertSame(application, onTarget, PASSING);
          assertThat(last.terminate()).isZero();
        }

        task(source, target, folder, "20");
        BinlogMigration.assertSaid(
            DaemonProcess.commandHere("check", task.toString()),
            2,
            "table shop.part",
            "'20'",
            "'-5.50'",
            "sluice resync");
        assertThat(checkedBeforeTheLoadHasEnded(task, onTarget))
            .contains("table")
            .doesNotContain("the rules now select");
        try (DaemonProcess refused = DaemonProcess.run(task)) {
          assertThat(refused.awaitEnd()).isNotZero();
          assertThat(refused.output()).contains("the rules now select those where");
        }
        assertSame(application, onTarget, PASSING);

        BinlogMigration.assertSaid(
            DaemonProcess.commandHere("resync", task.toString(), "--delete-extra"),
            0,
            "is requested");
        try (DaemonProcess resynced = DaemonProcess.run(task)) {
          resynced.awaitPhase("replicating");
          for (int i = 0; i < 100; i++) {
            change(application);
          }
          // It refuses for as long as rows may differ.
          await()
              .atMost(PATIENCE)
              .pollInterval(Duration.ofSeconds(1))
              .until(() -> DaemonProcess.commandHere("wait", task.toString()).exitCode() == 0);
          assertSame(application, onTarget, OTHERS);
          assertThat(resynced.terminate()).isZero();
        }
        try (DaemonProcess again = DaemonProcess.run(task)) {
          again.awaitPhase("replicating");
          takenIn(application, again, task);
          again.awaitAllApplied();
          assertThat(BinlogShop.strings(onTarget, "SELECT id || '|' || amount FROM shop.late"))
              .containsExactly("2|5");
          assertThat(again.terminate()).isZero();
        }
        try (DaemonProcess last = DaemonProcess.run(task)) {
          last.awaitPhase("replicating");
        }
      }
    }
  }

  /** A kill may come between the record of the tables and that of the end of their load. */
  private static String checkedBeforeTheLoadHasEnded(Path task, Connection onTarget)
      throws SQLException {
    try (Statement statement = onTarget.createStatement()) {
      String step =
          "UPDATE sluice_control.task_step SET state = '%s' WHERE step = '"
              + TaskStepNames.LOAD
              + "'";
      statement.execute(step.formatted(TaskStepNames.LOAD_RUNNING));
      String said = DaemonProcess.commandHere("check", task.toString()).output();
      statement.execute(step.formatted(TaskStepNames.LOAD_DONE));
      return said;
    }
  }

  private static void awaitSaid(DaemonProcess daemon, String words) {
    await().atMost(PATIENCE).until(() -> daemon.output().contains(words));
  }

  /** A table that is made later is taken in with the filter of its name. */
  private static void takenIn(Connection application, DaemonProcess daemon, Path task)
      throws SQLException {
    try (Statement statement = application.createStatement()) {
      statement.execute("CREATE TABLE late (id BIGINT PRIMARY KEY, amount INT) ENGINE=InnoDB");
      statement.execute("INSERT INTO late VALUES (1, 5), (2, -5), (3, NULL)");
      awaitSaid(daemon, "does not replicate it: a rule filters its rows");
      BinlogMigration.assertSaid(
          DaemonProcess.commandHere("reload", task.toString(), "shop.late"), 0, "shop.late");
      statement.execute("UPDATE late SET amount = -amount");
    }
  }

  private static void repaired(Path task, Connection onTarget) throws SQLException {
    try (Statement statement = onTarget.createStatement()) {
      statement.execute("DELETE FROM shop.part WHERE id IN (SELECT min(id) FROM shop.part)");
      statement.execute("INSERT INTO shop.part VALUES (1000000, 'asia', 1, NULL)");
      statement.execute(
          "UPDATE shop.part SET note = 'other' WHERE id IN (SELECT max(id) FROM shop.part WHERE id < 1000000)");
    }
    BinlogMigration.assertSaid(
        DaemonProcess.commandHere("resync", task.toString(), "--delete-extra", "shop.part"),
        0,
        "rows repaired");
  }

  private Connection application(EmbeddedServer source) throws SQLException {
    source.createDatabase(BinlogShop.DATABASE);
    Connection application = source.connect(BinlogShop.DATABASE);
    try (Statement statement = application.createStatement()) {
      kind.createUser(statement);
      statement.execute(
          "CREATE TABLE part (id BIGINT PRIMARY KEY,"
              + " region VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,"
              + " amount DECIMAL(10,2), note VARCHAR(40))");
      statement.execute("CREATE TABLE complete (id BIGINT PRIMARY KEY, note VARCHAR(40))");
    }
    return application;
  }

  private String region() {
    return List.of("eu", "EU", "us", "us ", "asia", "").get(random.nextInt(6));
  }

  private String amount() {
    return List.of("-5.51", "-5.50", "-5.49", "0", "19.99", "20", "100").get(random.nextInt(7));
  }

  private void insert(Connection application, int rows) throws SQLException {
    try (PreparedStatement insert =
        application.prepareStatement("INSERT INTO part VALUES (?, ?, ?, ?)")) {
      for (int i = 0; i < rows; i++) {
        insert.setLong(1, 2L * i);
        insert.setString(2, random.nextInt(10) == 0 ? null : region());
        insert.setString(3, random.nextInt(10) == 0 ? null : amount());
        insert.setString(4, "row " + i);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  private void change(Connection application) throws SQLException {
    long id = random.nextInt(2 * ROWS);
    try (Statement statement = application.createStatement()) {
      switch (random.nextInt(6)) {
        case 0 -> statement.execute("DELETE FROM part WHERE id = " + id);
        case 1 ->
            statement.execute(
                "REPLACE INTO part VALUES (%d, '%s', %s, 'new')".formatted(id, region(), amount()));
        case 2 ->
            statement.execute(
                "UPDATE part SET region = '%s' WHERE id BETWEEN %d AND %d"
                    .formatted(region(), id, id + 20));
        case 3 ->
            statement.execute("UPDATE part SET amount = %s WHERE id = %d".formatted(amount(), id));
        case 4 ->
            statement.execute(
                "UPDATE IGNORE part SET id = id + 1, region = '%s' WHERE id = %d"
                    .formatted(region(), id));
        default ->
            statement.execute(
                "REPLACE INTO complete VALUES (%d, 'row %d')".formatted(id, random.nextInt(100)));
      }
    }
  }

  private static void assertSame(Connection source, Connection target, String passing)
      throws SQLException {
    String columns = "SELECT concat_ws('|', id, region, amount, note) FROM ";
    // The source's collation takes a text with spaces at its end for the same.
    List<String> expected =
        BinlogShop.strings(
            source,
            columns
                + "part WHERE "
                + passing.replace("region IN", "CAST(region AS BINARY) IN")
                + " ORDER BY id");
    assertThat(expected).isNotEmpty();
    assertThat(BinlogShop.strings(target, columns + "shop.part ORDER BY id")).isEqualTo(expected);
    String all = "SELECT concat_ws('|', id, note) FROM %s ORDER BY id";
    assertThat(BinlogShop.strings(target, all.formatted("shop.complete")))
        .isEqualTo(BinlogShop.strings(source, all.formatted("complete")));
  }

  /** Rows of two regions from an amount on. */
  private Path task(EmbeddedServer source, EmbeddedPostgres target, Path folder, String amount)
      throws IOException {
    Path task = folder.resolve("task.yaml");
    new BinlogTask(kind, target, folder, "part").write(source, "full-load-and-cdc");
    String rule = "object-locator: { schema-name: shop, table-name: \"%\" }\n";
    String text = Files.readString(task);
    assertThat(text).contains("      " + rule);
    String filters =
        """
              object-locator: { schema-name: shop, table-name: part }
              filters:
                - filter-type: source
                  column-name: region
                  filter-conditions:
                    - { filter-operator: eq, value: eu }
                    - { filter-operator: eq, value: "us " }
                - filter-type: source
                  column-name: amount
                  filter-conditions:
                    - { filter-operator: gte, value: "%s" }
            - rule-type: selection
              rule-id: "2"
              rule-name: "2"
              rule-action: include
              object-locator: { schema-name: shop, table-name: complete }
            - rule-type: selection
              rule-id: "3"
              rule-name: "3"
              rule-action: include
              object-locator: { schema-name: shop, table-name: late }
              filters:
                - filter-type: source
                  column-name: amount
                  filter-conditions:
                    - { filter-operator: gte, value: "0" }
        """
            .formatted(amount);
    return Files.writeString(task, text.replace("      " + rule, filters));
  }
}
