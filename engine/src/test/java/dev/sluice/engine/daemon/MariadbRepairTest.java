package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToMariadb;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows of a MariaDB target are made equal to the source's: repair, and resync of tables and tasks.
 */
@ExtendWith(SharedBroker.class)
@Timeout(900)
@TestInstance(Lifecycle.PER_CLASS)
class MariadbRepairTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final TableId ITEM = new TableId("shop", "item");

  private static final String[] TABLES = {
    "CREATE TABLE shop.item (id int PRIMARY KEY, name varchar(40), price numeric(10,2))",
    "INSERT INTO shop.item SELECT i, 'name ' || i, i FROM generate_series(1, 2000) i",
    "CREATE TABLE shop.seat (id int PRIMARY KEY, place int UNIQUE, note varchar(40))",
    "INSERT INTO shop.seat SELECT i, i, 'seat ' || i FROM generate_series(1, 300) i"
  };

  /** What a task misses: new, changed and deleted rows, and exchanged unique values. */
  private static final String[] MISSED = {
    "UPDATE shop.item SET price = -1 WHERE id % 10 = 0",
    "DELETE FROM shop.item WHERE id % 10 = 1",
    "INSERT INTO shop.item SELECT i, 'late ' || i, NULL FROM generate_series(10001, 10100) i",
    "UPDATE shop.seat SET place = place + 5000",
    "UPDATE shop.seat SET place = 301 - (place - 5000)"
  };

  private static final List<String> ROWS =
      List.of(
          "SELECT concat_ws('|', id, name, price) FROM shop.item ORDER BY id",
          "SELECT concat_ws('|', id, place, note) FROM shop.seat ORDER BY id");

  private static final String STEP =
      "SELECT COALESCE(MAX(state), '') FROM sluice_control.task_step WHERE step = 'resync'";

  @RegisterExtension final ToMariadb sides = servers();

  @TempDir Path folder;

  ToMariadb servers() {
    return new ToMariadb();
  }

  /** Data of a server that are kept. */
  EmbeddedServer server(Path directory, int port) {
    return EmbeddedMariadb.builder().fsync().directory(directory).port(port).start();
  }

  @Test
  void plantedRowsAreRepairedBesideAWriterAndNothingElseIsTouched() throws Exception {
    TaskConfig config = created("planted", sides, "").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      try (Traffic writer = traffic("planted", running::passFence)) {
        onTarget(
            "UPDATE shop.item SET name = 'wrong' WHERE id IN (1901, 1902)",
            "DELETE FROM shop.item WHERE id = 1903",
            "INSERT INTO shop.item VALUES (99999, 'extra', 1)",
            "UPDATE shop.seat SET place = -1 WHERE id = 291",
            "UPDATE shop.seat SET place = 291 WHERE id = 292",
            "UPDATE shop.seat SET place = 292 WHERE id = 291");
        assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
            .isEqualTo(Ending.FAILED);

        try (Connection other = sides.target().connect();
            Statement statement = other.createStatement()) {
          other.setAutoCommit(false);
          statement.execute("UPDATE shop.item SET name = 'theirs' WHERE id = 1901");

          Outcome beside = running.daemon().repair(List.of(), false);

          assertThat(beside.success()).isFalse();
          assertThat(beside.details())
              .anyMatch(
                  line ->
                      line.startsWith("shop.item: 2 rows repaired")
                          && line.endsWith(
                              "rows in open transactions of others: {\"id\":\"1901\"}"));
          other.rollback();
        }
        Outcome without = running.daemon().repair(List.of(), false);

        assertThat(without.success()).isFalse();
        assertThat(without.details())
            .anyMatch(line -> line.contains("--delete-extra deletes them"));
        assertThat(onTarget("SELECT COUNT(*) FROM shop.item WHERE id = 99999"))
            .containsExactly("1");
        Outcome outcome = running.daemon().repair(List.of(), true);
        assertThat(outcome.success()).as(outcome.toString()).isTrue();
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "planted");
      assertThat(
              onTarget(
                  "SELECT CONCAT(resync_action, \"key\") FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result = 'REPAIRED'"))
          .containsExactlyInAnyOrder(
              "UPSERT{\"id\":\"1901\"}",
              "UPSERT{\"id\":\"1902\"}",
              "UPSERT{\"id\":\"1903\"}",
              "DELETE{\"id\":\"99999\"}",
              "UPSERT{\"id\":\"291\"}",
              "UPSERT{\"id\":\"292\"}");
    }
  }

  @Test
  void theSettingRepairsWhateverOthersWriteToTheTarget() throws Exception {
    TaskConfig config =
        created(
                "setting",
                sides,
                ", ValidationSettings: {EnableValidation: true, PartitionSize: 100},"
                    + " Sluice: {ValidationDutyCycle: 100, ValidationRepair: repair-and-delete-extra}")
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      for (int round = 0; round < 2; round++) {
        onTarget(
            "UPDATE shop.item SET name = 'theirs' WHERE id = 1950 + " + round,
            "DELETE FROM shop.item WHERE id = 1960 + " + round,
            "INSERT INTO shop.item VALUES (99990 + %d, 'theirs', 1)".formatted(round));
        // A table that is read whole is read again only much later, unless somebody asks for it.
        running.daemon().validate(List.of(), Optional.empty());
        int repaired = 3 * (round + 1);
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(
                            onTarget(
                                "SELECT COUNT(*) FROM sluice_control.sluice_validation_failures_v2 WHERE resync_result = 'REPAIRED'"))
                        .containsExactly(String.valueOf(repaired)));
      }
      requireEqual(running, "setting");
    }
  }

  @Test
  void aTableIsResyncedWhileTheOthersGoOn() throws Exception {
    TaskConfig config = created("table", sides, "").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      onTarget(
          "UPDATE shop.item SET price = price + 1 WHERE id % 3 = 0 AND id > 1900",
          "DELETE FROM shop.item WHERE id % 7 = 0 AND id > 1900",
          "INSERT INTO shop.item VALUES (99999, 'extra', 1)");
      try (Traffic writer = traffic("table", running::passFence)) {
        Outcome left = running.daemon().resync(List.of(ITEM), false);
        assertThat(left.ending()).as(left.toString()).isEqualTo(Ending.FAILED);
        Outcome outcome = running.daemon().resync(List.of(ITEM), true);
        assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "table");
    }
  }

  @Test
  void aTaskWhoseLogIsLostIsMadeEqualAgainBesideAWriterAlsoIfItIsBrokenOff() throws Exception {
    TaskConfig config = created("lost", sides, "").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                onSource("lost", "SELECT count(*) FROM pg_replication_slots WHERE active")
                    .equals(List.of("0")));
    onSource(
        "lost",
        "SELECT pg_drop_replication_slot(slot_name)::text FROM pg_replication_slots WHERE database = current_database()");
    onSource("lost", MISSED);
    assertThatThrownBy(() -> RunningDaemon.replicating(config))
        .hasMessageContaining("does not exist")
        .hasMessageContaining("sluice resync");

    request(config);

    for (int broken = 0; broken < 2; broken++) {
      try (RunningDaemon running = RunningDaemon.start(config)) {
        awaitStep(running, "running", "done");
        onSource("lost", "UPDATE shop.item SET name = 'meanwhile' WHERE id % 100 = 5");
      }
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      try (Traffic writer = traffic("lost", running::passFence)) {
        awaitStep(running, "done");
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "lost");
      assertThat(onTarget("SELECT COUNT(*) FROM sluice_control.sluice_apply_exceptions"))
          .containsExactly("0");
    }
    // From now on the task is as strict as any.
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      onTarget("DELETE FROM shop.item WHERE id = 10001");
      onSource("lost", "UPDATE shop.item SET name = 'strict' WHERE id = 10001");
      await().atMost(PATIENCE).until(() -> running.end().isCompletedExceptionally());
      assertThatThrownBy(() -> running.end().join()).hasMessageContaining("id=10001");
    }
  }

  @Test
  void aTargetThatFailedOverAndLostChangesIsMadeEqualAgain() throws Exception {
    Path primary = folder.resolve("primary");
    Path standby = folder.resolve("standby");
    int port = FreePort.find();
    TaskFolder task;
    try (EmbeddedServer server = server(primary, port)) {
      task = created("failover", new ToMariadb(sides.source(), server), "").withOwnBroker();
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        running.awaitApplied();
      }
    }
    FolderTree.copy(primary, standby);
    try (EmbeddedServer server = server(primary, port)) {
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        onSource("failover", MISSED);
        running.awaitApplied();
        assertThat(server.pid()).isPositive();
      }
    }
    Path data = task.config().dataDir();
    Files.move(data, folder.resolve("away"));
    try (EmbeddedServer server = server(standby, port)) {
      assertThatThrownBy(() -> RunningDaemon.replicating(task.config()))
          .hasMessageContaining("sluice resync");
      ToMariadb after = new ToMariadb(sides.source(), server);
      request(task.config());
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  if (running.end().isCompletedExceptionally()) {
                    running.end().join();
                  }
                  return after.onTarget(STEP).equals(List.of("done"));
                });
        onSource("failover", "UPDATE shop.item SET name = 'after' WHERE id = 7");
        running.awaitApplied();
        for (String rows : ROWS) {
          assertThat(after.onTarget(rows)).isEqualTo(onSource("failover", rows));
        }
      }
    }
  }

  @Test
  void tablesThatAnotherToolHasFilledAreTakenOver() throws Exception {
    TaskFolder task = created("filled", sides, "").replacing("full-load-and-cdc", "cdc");
    onTarget(
        "CREATE TABLE shop.item (id int PRIMARY KEY, name varchar(40), price decimal(10,2))",
        "INSERT INTO shop.item SELECT seq, CONCAT('name ', seq), seq FROM "
            + ToMariadb.numbers(2000),
        "UPDATE shop.item SET name = 'stale' WHERE id % 50 = 0",
        "INSERT INTO shop.item VALUES (99999, 'extra', 1)",
        "CREATE TABLE shop.seat (id int PRIMARY KEY, place int UNIQUE, note varchar(40))");
    assertThatThrownBy(() -> request(task.config())).hasMessageContaining("are not its own");
    TaskConfig config =
        task.replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:").config();
    request(config);
    try (RunningDaemon running = RunningDaemon.start(config)) {
      awaitStep(running, "done");
      requireEqual(running, "filled");
    }
  }

  @Test
  void aResyncIsNotRequestedWhereTheUserMayNotCompare() throws Exception {
    TaskFolder task = created("granted", sides, "");
    onTarget(
        "DROP USER IF EXISTS loader@'%'",
        "CREATE USER loader@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON *.* TO loader@'%'");

    assertThatThrownBy(() -> request(task.replacing("://root@", "://loader@").config()))
        .hasMessageContaining("GRANT PROCESS");

    assertThat(
            onTarget(
                "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'sluice_control'"))
        .containsExactly("0");
  }

  private void requireEqual(RunningDaemon running, String database) throws Exception {
    running.awaitApplied();
    Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
    assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
    for (String rows : ROWS) {
      assertThat(onTarget(rows)).isEqualTo(onSource(database, rows));
    }
  }

  private static void request(TaskConfig config) {
    try (TaskLock lock = TaskLock.take(config.task().toString(), config.dataDir())) {
      ResyncRequest.of(config).make(lock, true);
    }
  }

  private void awaitStep(RunningDaemon running, String... states) {
    await("resync " + List.of(states))
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return List.of(states).containsAll(onTarget(STEP));
            });
  }

  private Traffic traffic(String database, Runnable catchUp) {
    return Traffic.on(sides.source(), database, catchUp, MariadbRepairTest::write);
  }

  /** Leaves the rows with the largest keys to those who plant faults. */
  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(1900);
    switch (random.nextInt(4)) {
      case 0 -> statement.execute("UPDATE shop.item SET name = 'w' WHERE id = " + id);
      case 1 -> statement.execute("DELETE FROM shop.item WHERE id = " + id);
      case 2 ->
          statement.execute(
              "INSERT INTO shop.item VALUES (%d, 'again', 1) ON CONFLICT (id) DO NOTHING"
                  .formatted(id));
      default -> exchangeSeats(statement, 1 + id % 290, 1 + random.nextInt(290));
    }
  }

  private static void exchangeSeats(Statement statement, int one, int other) throws SQLException {
    statement.execute(
        """
        DO $$ DECLARE a int; b int; BEGIN
          SELECT place INTO a FROM shop.seat WHERE id = %1$d;
          SELECT place INTO b FROM shop.seat WHERE id = %2$d;
          UPDATE shop.seat SET place = -id WHERE id IN (%1$d, %2$d);
          UPDATE shop.seat SET place = a WHERE id = %2$d;
          UPDATE shop.seat SET place = b WHERE id = %1$d AND %1$d <> %2$d;
        END $$"""
            .formatted(one, other));
  }

  private TaskFolder created(String database, ToMariadb between, String settings) throws Exception {
    between.source().createDatabase(database);
    between.onSource(database, "CREATE SCHEMA shop");
    between.onSource(database, TABLES);
    between.createShop();
    between.onTarget("DROP DATABASE IF EXISTS sluice_control");
    return between.task(
        folder,
        database,
        ("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2}%s}")
            .formatted(settings));
  }

  private List<String> onSource(String database, String... statements) throws SQLException {
    return sides.onSource(database, statements);
  }

  private List<String> onTarget(String... statements) throws SQLException {
    return sides.onTarget(
        Stream.concat(Stream.of("SET sql_mode = 'ANSI_QUOTES'"), Stream.of(statements))
            .toArray(String[]::new));
  }
}
