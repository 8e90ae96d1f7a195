package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database of MariaDB or MySQL whose tables are altered while a daemon replicates it and is
 * killed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BinlogDdl {
  private static final long SEED = Long.getLong("sluice.seed", 20261127L);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final ShopServer kind;
  private EmbeddedPostgres target;

  BinlogDdl(ShopServer kind) {
    this.kind = kind;
  }

  @BeforeAll
  void startTarget() {
    kind.assumeAvailable();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  void stopTarget() {
    if (target != null) {
      target.close();
    }
  }

  @Test
  @Timeout(1800)
  void tablesAreAlteredUnderWritersWhateverIsKilled(@TempDir Path folder) throws Exception {
    target.createDatabase("altered");
    try (EmbeddedServer source = source()) {
      AlteredTables tables = AlteredTables.create(kind, source, SEED);
      Path task = task(folder, "altered", source, "");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        assertThat(daemon.terminate()).isZero();
      }
      tables.start();
      Random random = new Random(SEED);
      RandomKills.of(task, () -> 1_000 + random.nextInt(6_000));
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        // Each statement is a window of its own: a slow machine would never catch up with them.
        Thread.sleep(5_000);
        tables.stop();
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(suspended("altered")).as(daemon.output()).isEmpty();
        try (Connection to = target.connect("altered")) {
          tables.assertEqual(source, to);
        }
        assertThat(tables.statements()).as("statements of DDL").isGreaterThan(20);
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  @Test
  @Timeout(900)
  void tablesAreDroppedAndTruncatedAsTheSettingsSay(@TempDir Path folder) throws Exception {
    target.createDatabase("dropped");
    target.createDatabase("kept");
    try (EmbeddedServer source = source()) {
      execute(
          source,
          "CREATE TABLE gone (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE emptied (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE stays (id INT PRIMARY KEY, v INT)",
          "INSERT INTO gone VALUES (1, 1)",
          "INSERT INTO emptied VALUES (1, 1)",
          "INSERT INTO stays VALUES (1, 1)");
      Files.createDirectories(folder.resolve("kept"));
      Path first = task(folder, "dropped", source, "");
      Path second =
          task(
              folder.resolve("kept"),
              "kept",
              source,
              ", ChangeProcessingDdlHandlingPolicy: {HandleSourceTableDropped: false,"
                  + " HandleSourceTableTruncated: false, HandleSourceTableAltered: false},"
                  + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE}");
      try (DaemonProcess followed = DaemonProcess.run(first);
          DaemonProcess left = DaemonProcess.run(second)) {
        followed.awaitPhase("replicating");
        left.awaitPhase("replicating");
        execute(
            source,
            "INSERT INTO gone VALUES (2, 2)",
            "DROP TABLE gone",
            "CREATE TABLE gone (id INT PRIMARY KEY, v INT)",
            "INSERT INTO gone VALUES (9, 90)",
            "TRUNCATE TABLE emptied",
            "INSERT INTO emptied VALUES (3, 3)",
            "ALTER TABLE stays ADD COLUMN w INT DEFAULT 5",
            "INSERT INTO stays VALUES (2, 2, 2)",
            "ALTER TABLE stays DROP COLUMN v",
            "INSERT INTO stays VALUES (3, 3)");
        followed.awaitAllApplied();
        awaitThat(
            left, () -> assertThat(rows("kept", "SELECT FROM shop.stays WHERE id = 3")).hasSize(1));
        assertThat(rows("dropped", "SELECT id, v FROM shop.gone")).containsExactly("9|90|");
        // Rows of two tables are not mixed.
        assertThat(suspended("kept")).containsExactly("shop|gone|");
        assertThat(rows("dropped", "SELECT id, v FROM shop.emptied")).containsExactly("3|3|");
        assertThat(rows("dropped", "SELECT id, w FROM shop.stays ORDER BY id"))
            .containsExactly("1|5|", "2|2|", "3|3|");
        assertThat(columns("dropped")).containsExactly("id|", "w|");
        assertThat(rows("kept", "SELECT id, v FROM shop.gone ORDER BY id"))
            .containsExactly("1|1|", "2|2|");
        assertThat(rows("kept", "SELECT id, v FROM shop.emptied ORDER BY id"))
            .containsExactly("1|1|", "3|3|");
        assertThat(rows("kept", "SELECT id, v FROM shop.stays ORDER BY id"))
            .containsExactly("1|1|", "2|2|", "3|null|");
        assertThat(columns("kept")).containsExactly("id|", "v|");
        assertThat(followed.terminate()).isZero();
        assertThat(left.terminate()).isZero();
      }
      // A start takes that a table is gone, and one that goes while no daemon runs is dropped.
      execute(
          source,
          "INSERT INTO stays VALUES (4, 4)",
          "DROP TABLE stays",
          "CREATE TABLE stays (id INT PRIMARY KEY) ENGINE = InnoDB",
          "DROP TABLE stays");
      try (DaemonProcess followed = DaemonProcess.run(first)) {
        followed.awaitPhase("replicating");
        followed.awaitAllApplied();
        assertThat(rows("dropped", "SELECT to_regclass('shop.stays')")).containsExactly("null|");
      }
    }
  }

  @Test
  @Timeout(900)
  void renamedTablesKeepTheirRowsThoughTheDaemonIsKilledBehindTheStatement(@TempDir Path folder)
      throws Exception {
    target.createDatabase("renamed");
    try (EmbeddedServer source = source()) {
      execute(
          source,
          "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
          "CREATE TABLE a_new (id INT AUTO_INCREMENT PRIMARY KEY, v INT, w INT)",
          "INSERT INTO a (v) VALUES (1), (2)",
          "INSERT INTO a_new (v, w) VALUES (1, 1), (2, 2)");
      Path task = task(folder, "renamed", source, "");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        execute(
            source,
            "INSERT INTO a (v) VALUES (3)",
            "INSERT INTO a_new (v, w) VALUES (3, 3)",
            "RENAME TABLE a TO a_old, a_new TO a");
        daemon.awaitAllApplied();
        daemon.kill();
      }
      execute(
          source,
          "INSERT INTO a (v, w) VALUES (4, 4)",
          "UPDATE a_old SET v = 5 WHERE id = 1",
          "ALTER TABLE a_old RENAME TO older");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        daemon.kill();
      }
      execute(source, "DELETE FROM older WHERE id = 2");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(suspended("renamed")).as(daemon.output()).isEmpty();
        assertThat(
                rows(
                    "renamed",
                    "SELECT table_name FROM information_schema.tables"
                        + " WHERE table_schema = 'shop' ORDER BY 1"))
            .containsExactly("a|", "older|");
        assertThat(rows("renamed", "SELECT id, v, w FROM shop.a ORDER BY id"))
            .containsExactly("1|1|1|", "2|2|2|", "3|3|3|", "4|4|4|");
        assertThat(rows("renamed", "SELECT id, v FROM shop.older ORDER BY id"))
            .containsExactly("1|5|", "3|3|");
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  /** As pt-online-schema-change does it: triggers keep a copy equal, which then gets the name. */
  @Test
  @Timeout(900)
  void aTableThatIsExchangedUnderWritersIsSuspendedAloneAndEqualBehindAReload(@TempDir Path folder)
      throws Exception {
    target.createDatabase("exchanged");
    try (EmbeddedServer source = source()) {
      execute(
          source,
          "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
          "CREATE TABLE b (id INT PRIMARY KEY, v INT)",
          "INSERT INTO a (v) VALUES (1), (2), (3)");
      Path task =
          task(folder, "exchanged", source, ", ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE}");
      AtomicBoolean stopped = new AtomicBoolean();
      ExecutorService writer = Executors.newSingleThreadExecutor();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        Future<?> writing = writer.submit(() -> write(source, stopped));
        execute(
            source,
            "CREATE TABLE _a_new LIKE a",
            "ALTER TABLE _a_new ADD COLUMN w INT NOT NULL DEFAULT 7, MODIFY v BIGINT",
            "CREATE TRIGGER ai AFTER INSERT ON a FOR EACH ROW"
                + " REPLACE INTO _a_new (id, v) VALUES (NEW.id, NEW.v)",
            "CREATE TRIGGER au AFTER UPDATE ON a FOR EACH ROW"
                + " REPLACE INTO _a_new (id, v) VALUES (NEW.id, NEW.v)",
            "CREATE TRIGGER ad AFTER DELETE ON a FOR EACH ROW"
                + " DELETE IGNORE FROM _a_new WHERE id = OLD.id",
            "INSERT IGNORE INTO _a_new (id, v) SELECT id, v FROM a LOCK IN SHARE MODE",
            "RENAME TABLE a TO _a_old, _a_new TO a",
            "DROP TABLE _a_old",
            "INSERT INTO b VALUES (1, 1)");
        awaitThat(
            daemon,
            () -> assertThat(suspended("exchanged")).contains("shop|a|").doesNotContain("shop|b|"));
        awaitThat(
            daemon,
            () ->
                assertThat(rows("exchanged", "SELECT id, v FROM shop.b")).containsExactly("1|1|"));
        assertThat(daemon.output())
            .contains("RENAME TABLE a TO _a_old", "load the table again")
            .contains("the task selects table shop._a_new, and does not replicate it");
        reload(task, "shop.a", daemon);
        awaitThat(daemon, () -> assertThat(suspended("exchanged")).isEmpty());
        execute(source, "UPDATE a SET w = id % 5");
        stopped.set(true);
        writing.get();
        daemon.awaitAllApplied();
        assertThat(rows("exchanged", "SELECT id, v, w FROM shop.a ORDER BY id"))
            .as(daemon.output())
            .hasSizeGreaterThan(3)
            .isEqualTo(sourceRows(source, "SELECT id, v, w FROM a ORDER BY id"));
        execute(source, "ALTER TABLE a DROP COLUMN v", "INSERT INTO a (w) VALUES (3)");
        daemon.awaitAllApplied();
        assertThat(rows("exchanged", "SELECT * FROM shop.a ORDER BY id"))
            .as(daemon.output())
            .isEqualTo(sourceRows(source, "SELECT id, w FROM a ORDER BY id"));
      } finally {
        stopped.set(true);
        writer.shutdown();
      }
    }
  }

  @Test
  @Timeout(900)
  void aTableThatIsCreatedLaterIsMadeOrNamedUntilAReloadAddsIt(@TempDir Path folder)
      throws Exception {
    target.createDatabase("created");
    try (EmbeddedServer source = source()) {
      execute(source, "CREATE TABLE a (id INT PRIMARY KEY)", "INSERT INTO a VALUES (1)");
      Path task = task(folder, "created", source, "");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        execute(
            source, "CREATE TABLE made (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(9) NOT NULL)");
        awaitThat(daemon, () -> assertThat(rows("created", "SELECT id FROM shop.made")).isEmpty());
        daemon.kill();
      }
      execute(
          source,
          "ALTER TABLE made ADD COLUMN w INT DEFAULT 3",
          "INSERT INTO made (v) VALUES ('a'), ('b')",
          "UPDATE made SET v = 'c' WHERE id = 1");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(suspended("created")).as(daemon.output()).isEmpty();
        assertThat(rows("created", "SELECT id, v, w FROM shop.made ORDER BY id"))
            .containsExactly("1|c|3|", "2|b|3|");
        execute(
            source,
            "CREATE TABLE extra (id INT PRIMARY KEY, v INT, KEY (v))",
            "INSERT INTO extra VALUES (1, 1)");
        awaitThat(
            daemon,
            () ->
                assertThat(daemon.output())
                    .contains("the task selects table shop.extra, and does not replicate it"));
        DaemonProcess.Finished refused =
            DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period");
        assertThat(refused.exitCode()).as(refused.output()).isNotZero();
        assertThat(refused.output()).contains("shop.extra", "sluice reload");
        reload(task, "shop.extra", daemon);
        execute(source, "INSERT INTO extra VALUES (2, 2)");
        awaitThat(
            daemon,
            () ->
                assertThat(rows("created", "SELECT id, v FROM shop.extra ORDER BY id"))
                    .containsExactly("1|1|", "2|2|"));
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  private interface Assertion {
    void hold() throws Exception;
  }

  private static void awaitThat(DaemonProcess daemon, Assertion assertion) {
    try {
      // A table that is loaded again is not there at first.
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(SQLException.class)
          .untilAsserted(assertion::hold);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(e.getMessage() + daemon.output(), e);
    }
  }

  private static void reload(Path task, String table, DaemonProcess daemon) {
    DaemonProcess.Finished reloaded = DaemonProcess.commandHere("reload", task.toString(), table);
    assertThat(reloaded.exitCode()).as(reloaded.output() + daemon.output()).isZero();
  }

  private static List<String> sourceRows(EmbeddedServer source, String query) throws SQLException {
    try (Connection connection = source.connect(BinlogShop.DATABASE)) {
      return rows(connection, query);
    }
  }

  /** Writes into the table that has the name a just then. */
  private static Void write(EmbeddedServer source, AtomicBoolean stopped) throws Exception {
    Random random = new Random(SEED);
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      while (!stopped.get()) {
        int one = random.nextInt(50);
        execute(statement, "INSERT INTO a (v) VALUES (%d)".formatted(one));
        execute(statement, "UPDATE a SET v = v + 1 WHERE id %% 17 = %d".formatted(one % 17));
        execute(statement, "DELETE FROM a WHERE id > 3 AND id %% 23 = %d".formatted(one % 23));
        Thread.sleep(20);
      }
      return null;
    }
  }

  private EmbeddedServer source() throws SQLException {
    EmbeddedServer source = kind.start();
    source.createDatabase(BinlogShop.DATABASE);
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      kind.createUser(statement);
    }
    return source;
  }

  private static void execute(EmbeddedServer source, String... statements) throws SQLException {
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        execute(statement, text);
      }
    }
  }

  /** As applications do: a statement that a deadlock rolled back is executed again. */
  private static void execute(Statement statement, String text) throws SQLException {
    while (true) {
      try {
        statement.execute(text);
        return;
      } catch (SQLTransactionRollbackException e) {
        // Triggers and the copy of a table's rows lock the same rows in another order.
      }
    }
  }

  private List<String> columns(String database) throws SQLException {
    return rows(
        database,
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'shop'"
            + " AND table_name = 'stays' ORDER BY ordinal_position");
  }

  private List<String> suspended(String database) throws SQLException {
    return rows(
        database,
        "SELECT source_schema, source_table FROM sluice_control.sluice_suspended_tables ORDER BY 2");
  }

  private List<String> rows(String database, String query) throws SQLException {
    try (Connection connection = target.connect(database)) {
      return rows(connection, query);
    }
  }

  static List<String> rows(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (found.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          row.append(found.getString(i)).append('|');
        }
        rows.add(row.toString());
      }
      return rows;
    }
  }

  private Path task(Path folder, String name, EmbeddedServer source, String settings)
      throws IOException {
    return Files.writeString(
        folder.resolve("task.yaml"),
        """
        task: %s
        migration-type: full-load-and-cdc
        source:
          type: %s
          url: %s
          password: %s
        target:
          type: postgresql
          url: postgresql://postgres@127.0.0.1:%d/%s
        data-dir: %s
        http: 127.0.0.1:%d
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: "1"
              rule-action: include
              object-locator: { schema-name: shop, table-name: "%%" }
        task-settings: {FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}%s}
        """
            .formatted(
                name,
                kind.type(),
                kind.url(source),
                BinlogShop.PASSWORD,
                target.port(),
                name,
                folder.resolve("data"),
                FreePort.find(),
                settings));
  }
}
