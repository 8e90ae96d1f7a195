package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Debezium's connectors as sources of whole daemons: the snapshot is loaded and changes are
 * followed, while applications write and the daemon is killed.
 */
class SourcesByDebeziumTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SEED = Long.getLong("sluice.seed", 20261127L);
  private static final Path CONNECTORS =
      Path.of("..", "connectors", "generic").toAbsolutePath().normalize();

  /** More than the memory that the daemon's sorter may use, by far. */
  private static final int LARGE = 60_000;

  private static EmbeddedPostgres servers;

  @BeforeAll
  static void start() {
    servers =
        EmbeddedPostgres.builder()
            .setting("wal_level", "logical")
            .setting("max_replication_slots", "20")
            .start();
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  @Test
  @Timeout(1800)
  void byThePostgresqlConnectorEachChangeIsAppliedOnceWhateverIsKilled(@TempDir Path folder)
      throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgkilled")) {
      // Made by hand, with a trigger that counts what is written to one of them.
      List<String> target = new ArrayList<>(source.targetTables());
      target.add("CREATE TABLE written (op text, id bigint)");
      target.add(
          """
          CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN INSERT INTO public.written VALUES (TG_OP, coalesce(NEW.id, OLD.id)); RETURN NULL; END $$
          """);
      target.add(
          "CREATE TRIGGER count_it AFTER INSERT OR UPDATE OR DELETE ON shop.event"
              + " FOR EACH ROW EXECUTE FUNCTION count_it()");
      target.add("ALTER TABLE shop.event ENABLE ALWAYS TRIGGER count_it");
      create("pgkilled_target", target);
      Path task = task(folder, source, "pgkilled_target", "TRUNCATE_BEFORE_LOAD");
      killAgainAndAgain(source, "pgkilled_target", task);
      try (Connection connection = servers.connect("pgkilled_target")) {
        assertThat(strings(connection, "SELECT DISTINCT op FROM written"))
            .containsExactly("INSERT");
        assertThat(strings(connection, "SELECT id FROM written GROUP BY id HAVING count(*) > 1"))
            .isEmpty();
      }
      DaemonProcess.Finished dropped = DaemonProcess.commandHere("stop", task.toString(), "--drop");
      assertThat(dropped.exitCode()).as(dropped.output()).isZero();
      assertThat(
              source.strings(
                  "SELECT slot_name FROM pg_replication_slots WHERE database = 'pgkilled'"))
          .isEmpty();
    }
  }

  @Test
  @Timeout(1800)
  void byTheMariadbConnectorEachChangeIsAppliedOnceWhateverIsKilled(@TempDir Path folder)
      throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (MariadbByDebezium source = new MariadbByDebezium()) {
      servers.createDatabase("mdkilled");
      Path task = task(folder, source, "mdkilled", "DROP_AND_CREATE");
      killAgainAndAgain(source, "mdkilled", task);
      try (Connection connection = servers.connect("mdkilled")) {
        assertThat(
                strings(
                    connection,
                    "SELECT concat(relname, ' ', pg_get_constraintdef(k.oid)) FROM pg_constraint k"
                        + " JOIN pg_class c ON c.oid = conrelid WHERE contype = 'p'"
                        + " AND connamespace = 'shop'::regnamespace ORDER BY 1"))
            .containsExactly("account PRIMARY KEY (id)", "event PRIMARY KEY (id)");
      }
    }
  }

  private static void killAgainAndAgain(ConnectorShop source, String target, Path task)
      throws Exception {
    Random random = new Random(SEED);
    ShopWriters writers = new ShopWriters(source, SEED);
    try {
      RandomKills.of(task, () -> 1_000 + random.nextInt(6_000));
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        long before = writers.committed();
        await().atMost(PATIENCE).until(() -> writers.committed() > before + 50);
        writers.stop();
        awaitEqual(source, target);
        assertThat(daemon.terminate()).as(daemon.output()).isZero();
      }
    } finally {
      writers.stop();
    }
    // What is written while no daemon runs.
    source.execute(
        "INSERT INTO event VALUES (9000001, 'while nothing ran')",
        "UPDATE account SET balance = balance + 1 WHERE id = 1",
        "DELETE FROM account WHERE id = 2");
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      awaitEqual(source, target);
      assertThat(daemon.terminate()).as(daemon.output()).isZero();
    }
  }

  @Test
  @Timeout(900)
  void aSnapshotThatIsLargerThanMemoryIsLoaded(@TempDir Path folder) throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pglarge")) {
      source.execute(
          "INSERT INTO event SELECT i + 100000, repeat(md5(i::text), 20) FROM generate_series(1, "
              + LARGE
              + ") i");
      create("pglarge_target", List.of());
      Path task = task(folder, source, "pglarge_target", "DROP_AND_CREATE");
      Files.writeString(
          task,
          Files.readString(task)
              .replace(
                  "BatchApplyTimeoutMin: 0.1", "BatchApplyTimeoutMin: 0.1, MemoryLimitTotal: 16"));
      // The rows alone have 40 MB of text.
      try (DaemonProcess daemon = DaemonProcess.run(task, "-Xmx128m")) {
        daemon.awaitPhase("replicating");
        awaitEqual(source, "pglarge_target");
        assertThat(daemon.output()).contains("first the snapshot by Debezium");
        assertThat(daemon.terminate()).as(daemon.output()).isZero();
      }
    }
  }

  @Test
  @Timeout(1800)
  void byThePostgresqlConnectorATaskStopsBeforeTheFirstTransactionAfterATime(@TempDir Path folder)
      throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgstopping")) {
      create("pgstopping_target", List.of());
      stopsAtATime(
          source,
          "pgstopping_target",
          task(folder, source, "pgstopping_target", "DROP_AND_CREATE"));
    }
  }

  @Test
  @Timeout(1800)
  void byTheMariadbConnectorATaskStopsBeforeTheFirstTransactionAfterATime(@TempDir Path folder)
      throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (MariadbByDebezium source = new MariadbByDebezium()) {
      servers.createDatabase("mdstopping");
      stopsAtATime(source, "mdstopping", task(folder, source, "mdstopping", "DROP_AND_CREATE"));
    }
  }

  @Test
  @Timeout(900)
  void byThePostgresqlConnectorATaskWithoutALoadBeginsNow(@TempDir Path folder) throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgnow")) {
      create("pgnow_target", source.targetTables());
      beginsNow(source, "pgnow_target", task(folder, source, "pgnow_target", "DO_NOTHING"));
    }
  }

  @Test
  @Timeout(900)
  void byTheMariadbConnectorATaskWithoutALoadBeginsNow(@TempDir Path folder) throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (MariadbByDebezium source = new MariadbByDebezium()) {
      create("mdnow", MariadbByDebezium.targetTables());
      beginsNow(source, "mdnow", task(folder, source, "mdnow", "DO_NOTHING"));
    }
  }

  private static void beginsNow(ConnectorShop source, String target, Path task) throws Exception {
    Files.writeString(task, Files.readString(task).replace("full-load-and-cdc", "cdc"));
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      assertThat(daemon.output()).doesNotContain("first the snapshot");
      daemon.kill();
    }
    source.execute("INSERT INTO event VALUES (7001, 'before anything was read')");
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      source.execute("INSERT INTO event VALUES (7002, 'while it runs')");
      daemon.kill();
    }
    source.execute("INSERT INTO event VALUES (7003, 'while nobody reads')");
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(written(target)).containsExactly("7001", "7002", "7003"));
      assertThat(daemon.terminate()).as(daemon.output()).isZero();
    }
    try (Connection connection = servers.connect(target)) {
      assertThat(strings(connection, "SELECT count(*) FROM shop.event"))
          .as("no row that was there before")
          .containsExactly("3");
    }
  }

  @Test
  @Timeout(900)
  void byThePostgresqlConnectorATaskRunsFromOneTimeToAnother(@TempDir Path folder)
      throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgtimes")) {
      create("pgtimes_target", source.targetTables());
      Path task = task(folder, source, "pgtimes_target", "DO_NOTHING");
      // A slot that is made while others keep old rows of the catalog is as old as they are.
      source.strings(
          "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active");
      source.strings("SELECT pg_create_logical_replication_slot('sluice_pgtimes', 'pgoutput')");
      Files.writeString(
          task,
          Files.readString(task)
              .replace("    properties:", "    take-slot: true\n    properties:"));
      runsFromTimeToTime(source, "pgtimes_target", task);

      // The server may notice late that the reader is gone.
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  source
                      .strings(
                          "SELECT 1 FROM pg_replication_slots WHERE active AND database ="
                              + " 'pgtimes'")
                      .isEmpty());
      DaemonProcess.Finished dropped = DaemonProcess.commandHere("stop", task.toString(), "--drop");
      assertThat(dropped.exitCode()).as(dropped.output()).isZero();
      assertThat(
              source.strings(
                  "SELECT slot_name::text FROM pg_replication_slots WHERE database = 'pgtimes'"))
          .isEmpty();
    }
  }

  @Test
  @Timeout(900)
  void byTheMariadbConnectorATaskRunsFromOneTimeToAnother(@TempDir Path folder) throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (MariadbByDebezium source = new MariadbByDebezium()) {
      create("mdtimes", MariadbByDebezium.targetTables());
      runsFromTimeToTime(source, "mdtimes", task(folder, source, "mdtimes", "DO_NOTHING"));
    }
  }

  /** Both times have passed when the task begins. */
  private static void runsFromTimeToTime(ConnectorShop source, String target, Path task)
      throws Exception {
    Files.writeString(task, Files.readString(task).replace("full-load-and-cdc", "cdc"));
    source.execute("INSERT INTO event VALUES (7001, 'before')");
    Instant from = passedSecond().plusMillis(1);
    source.execute(
        "INSERT INTO event VALUES (7002, 'between')", "INSERT INTO event VALUES (7003, 'between')");
    Instant until = passedSecond();
    source.execute("INSERT INTO event VALUES (7004, 'behind')");
    Files.writeString(
        task, Files.readString(task) + "cdc-start-position: commit_time:%s\n".formatted(from));
    ended(task, "commit_time:" + until, true);
    assertThat(written(target)).containsExactly("7002", "7003");
    ended(task, "now", true);
    assertThat(written(target)).as("once each").containsExactly("7002", "7003", "7004");
  }

  private static void stopsAtATime(ConnectorShop source, String target, Path task)
      throws Exception {
    assertThat(ended(task, "12", false)).contains("no position: source.type debezium has none");
    Path passed = stopping(task, "passed", "commit_time:2020-01-31T12:00:00Z");
    // Its end gives up the claim of the slot.
    try (DaemonProcess daemon = DaemonProcess.run(passed)) {
      assertThat(daemon.awaitEnd()).isNotZero();
      assertThat(daemon.output()).contains("the time has passed, and the task begins at");
    }
    ended(task, "now", true);
    assertEqual(source, target, "the load, on a source that rests");
    source.execute("INSERT INTO event VALUES (7001, 'before')");
    Instant first = passedSecond();
    source.execute("INSERT INTO event VALUES (7002, 'behind')");
    Instant second = passedSecond();
    ended(task, "commit_time:" + first, true);
    assertThat(written(target)).as("up to the time").containsExactly("7001");

    Path waiting = stopping(task, "waiting", "commit_time:" + second);
    // It is killed while it looks for a later transaction.
    for (boolean last : new boolean[] {false, true}) {
      try (DaemonProcess daemon = DaemonProcess.run(waiting)) {
        daemon.awaitPhase("replicating");
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(written(target)).containsExactly("7001", "7002"));
        assertThat(daemon.isAlive()).as("nothing says that no more comes").isTrue();
        if (last) {
          source.execute("INSERT INTO event VALUES (7003, 'later')");
          assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
        } else {
          daemon.kill();
        }
      }
    }
    assertThat(written(target)).containsExactly("7001", "7002");
    staysOverAKill(source, target, task);
    comesAfterAKill(source, target, task);
    ended(task, "server_time:" + Instant.now(), true);
    assertEqual(source, target, "what was committed up to the time, on a source that rests");
  }

  /** The journal has the stop and more when the daemon is killed, and the target has neither. */
  private static void staysOverAKill(ConnectorShop source, String target, Path task)
      throws Exception {
    source.execute("INSERT INTO event VALUES (7004, 'before')");
    Path ahead = stopping(task, "ahead", "commit_time:" + passedSecond());
    source.execute("INSERT INTO event VALUES (7005, 'behind')");
    try (Connection held = servers.connect(target)) {
      // The journal has 7003, which has ended the run before.
      DaemonProcess.killAhead(ahead, held, "shop.event", 2);
    }
    assertThat(written(target)).containsExactly("7001", "7002");
    ended(ahead, true);
    assertThat(written(target)).containsExactly("7001", "7002", "7003", "7004");
  }

  private static void comesAfterAKill(ConnectorShop source, String target, Path task)
      throws Exception {
    // What is behind the stop of the run before.
    ended(task, "now", true);
    try (Connection connection = servers.connect(target)) {
      new ComingStop(
              task,
              id -> source.execute("INSERT INTO event VALUES (" + id + ", 'coming')"),
              connection,
              "shop.event",
              7006)
          .stopsWhereItIsAfterAKill("server_time:");
    }
  }

  /** The same task with a stop. */
  private static Path stopping(Path task, String name, String stop) throws IOException {
    return Files.writeString(
        task.resolveSibling(name + ".yaml"),
        Files.readString(task) + "cdc-stop-position: " + stop + "\n");
  }

  private static void assertEqual(ConnectorShop source, String target, String what)
      throws Exception {
    try (Connection connection = servers.connect(target)) {
      for (List<String> queries : source.comparedRows()) {
        assertThat(strings(connection, queries.get(1)))
            .as(what)
            .isNotEmpty()
            .isEqualTo(source.strings(queries.get(0)));
      }
    }
  }

  /** A whole second that has begun, of which nothing is left: logs may have seconds only. */
  private static Instant passedSecond() {
    Instant second = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    await().atMost(PATIENCE).until(() -> Instant.now().isAfter(second.plusSeconds(1)));
    // PostgreSQL has parts of seconds.
    return second.plusMillis(999);
  }

  private static String ended(Path task, String until, boolean well) {
    return ended(DaemonProcess.commandHere("run", task.toString(), "--until", until), well);
  }

  /** A run of a task whose file says where it stops. */
  private static String ended(Path task, boolean well) {
    return ended(DaemonProcess.commandHere("run", task.toString()), well);
  }

  private static String ended(DaemonProcess.Finished finished, boolean well) {
    assertThat(finished.exitCode() == 0).as(finished.output()).isEqualTo(well);
    return finished.output();
  }

  private static List<String> written(String target) throws SQLException {
    try (Connection connection = servers.connect(target)) {
      return strings(connection, "SELECT id FROM shop.event WHERE id > 7000 ORDER BY id");
    }
  }

  @Test
  @Timeout(600)
  void aSlotThatSomebodyHasAdvancedStopsTheStart(@TempDir Path folder) throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgmoved")) {
      create("pgmoved_target", List.of());
      Path task = task(folder, source, "pgmoved_target", "DROP_AND_CREATE");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        assertThat(daemon.terminate()).as(daemon.output()).isZero();
      }
      source.execute("INSERT INTO event VALUES (9000077, 'would be lost')");
      source.strings(
          "SELECT pg_replication_slot_advance('sluice_pgmoved', pg_current_wal_lsn())::text");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).isNotZero();
        assertThat(daemon.output())
            .contains("replication slot sluice_pgmoved")
            .contains("was advanced to");
      }
    }
  }

  /** It recorded the source's address. */
  @Test
  @Timeout(900)
  void aTaskThatAnEarlierVersionBeganGoesOnAndOneOfAnotherSourceDoesNot(@TempDir Path folder)
      throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgearlier")) {
      create("pgearlier_target", List.of());
      Path task = task(folder, source, "pgearlier_target", "DROP_AND_CREATE");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        assertThat(daemon.terminate()).as(daemon.output()).isZero();
      }
      String address = "POSTGRESQL at 127.0.0.1:%d/pgearlier".formatted(servers.port());
      recordSource("pgearlier_target", address);
      // As if another server answered there, until somebody corrects it.
      source.execute(
          "ALTER TABLE event SET SCHEMA public",
          "CREATE TABLE event (id bigint PRIMARY KEY, what text)");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).isNotZero();
        assertThat(daemon.output()).contains("it is another table now");
      }
      assertThat(recordedSources("pgearlier_target")).containsExactly(address);
      source.execute("DROP TABLE shop.event", "ALTER TABLE public.event SET SCHEMA shop");
      source.execute("INSERT INTO event VALUES (9000078, 'with the later version')");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        awaitEqual(source, "pgearlier_target");
        assertThat(daemon.terminate()).as(daemon.output()).isZero();
      }
      assertThat(recordedSources("pgearlier_target")).singleElement().asString().matches("[0-9]+");
      recordSource("pgearlier_target", "77");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).isNotZero();
        assertThat(daemon.output())
            .contains("of system 77, which task pgearlier follows")
            .contains("run sluice stop --drop with that source in the file");
      }
    }
  }

  /** Of checkpoint and task. */
  private static List<String> recordedSources(String target) throws SQLException {
    try (Connection connection = servers.connect(target)) {
      return strings(
          connection,
          "SELECT source_system FROM sluice_control.checkpoint UNION SELECT source_system FROM"
              + " sluice_control.task_identity");
    }
  }

  /** Changes the source's identity wherever the target has it. */
  private static void recordSource(String target, String system) throws SQLException {
    try (Connection connection = servers.connect(target);
        Statement statement = connection.createStatement()) {
      List<String> tables =
          strings(
              connection,
              "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.columns"
                  + " JOIN information_schema.tables USING (table_schema, table_name)"
                  + " WHERE column_name = 'source_system' AND table_type = 'BASE TABLE'");
      assertThat(tables).isNotEmpty();
      for (String table : tables) {
        statement.execute(
            "UPDATE %s SET source_system = '%s' WHERE source_system IS NOT NULL"
                .formatted(table, system));
      }
    }
  }

  @Test
  @Timeout(600)
  void whatAConnectorCannotDoIsRefusedByName(@TempDir Path folder) throws Exception {
    try (PostgresShop source = new PostgresShop(servers, "pgrefused")) {
      create("pgrefused_target", List.of());
      Path task = task(folder, source, "pgrefused_target", "DROP_AND_CREATE");
      String text = Files.readString(task);
      refused(
          folder,
          text.replace("full-load-and-cdc", "cdc")
                  .replace("properties:", "properties:\n      database.sslmode: prefer")
              + "cdc-start-position: commit_time:2026-01-31T12:00:00Z\n",
          "the log is searched by Sluice's own source, which does not have");
      refused(
          folder,
          text.replace("full-load-and-cdc", "full-load"),
          "it is full-load, and the rows come with the changes");
      refused(
          folder,
          text.replace(
              "properties:", "properties:\n      snapshot.mode: never\n      topic.prefix: a"),
          "snapshot.mode");
      refused(
          folder,
          text.replace(
              "      connector.class", "      database.password: geheim\n      connector.class"),
          "source.url and source.password have");
      refused(
          folder,
          text.replace("PostgresConnector", "MongoDbConnector"),
          "How another connector names its transactions is not known");
      refused(
          folder,
          text.replace("connector-folder: ", "connector-folder: /nowhere"),
          "connector-folder");
      refused(
          folder,
          text.replace(
              "task-settings: {", "task-settings: {ValidationSettings: {EnableValidation: true}, "),
          "its tables cannot be compared");
      source.execute("CREATE TABLE without_key (id int)");
      refused(folder, text, "it has no primary key");
      source.execute("DROP TABLE without_key");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        for (List<String> command :
            List.of(
                List.of("cutover", task.toString(), "--quiet-period"),
                List.of("cutover", task.toString(), "--dry-run"),
                List.of("wait", task.toString()),
                List.of("reload", task.toString(), "shop.event"),
                List.of("validate", task.toString()),
                List.of("resync", task.toString(), "shop.event"))) {
          DaemonProcess.Finished finished =
              DaemonProcess.commandHere(command.toArray(String[]::new));
          assertThat(finished.exitCode()).as(command + ": " + finished.output()).isNotZero();
          assertThat(finished.output()).as(command.toString()).contains("source.type debezium");
        }
        assertThat(daemon.isAlive()).as(daemon.output()).isTrue();
        assertThat(daemon.output()).doesNotContain(PostgresShop.PASSWORD);
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  private static void refused(Path folder, String text, String because) throws IOException {
    Path file = Files.writeString(folder.resolve("refused.yaml"), text);
    DaemonProcess.Finished check = DaemonProcess.commandHere("check", file.toString());
    assertThat(check.exitCode()).as(check.output()).isNotZero();
    assertThat(check.output()).contains(because).doesNotContain("geheim");
  }

  /**
   * Reads the rows only once there are as many: each look at a large table costs processor time.
   */
  private static void awaitEqual(ConnectorShop source, String target) throws Exception {
    for (List<String> queries : source.comparedRows()) {
      List<String> expected = source.strings(queries.get(0));
      assertThat(expected).isNotEmpty();
      List<String> number = List.of(Integer.toString(expected.size()));
      String counted = "SELECT count(*) FROM (" + queries.get(1) + ") AS compared";
      await(queries.get(1))
          .atMost(PATIENCE)
          .until(
              () -> {
                try (Connection connection = servers.connect(target)) {
                  return strings(connection, counted).equals(number)
                      && strings(connection, queries.get(1)).equals(expected);
                }
              });
    }
  }

  private static void create(String database, List<String> statements) throws SQLException {
    servers.createDatabase(database);
    try (Connection connection = servers.connect(database);
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  static List<String> strings(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.append(i > 1 ? "|" : "").append(rows.getString(i));
        }
        found.add(row.toString());
      }
      return found;
    }
  }

  private static Path task(Path folder, ConnectorShop source, String target, String mode)
      throws IOException {
    return Files.writeString(
        folder.resolve("task.yaml"),
        """
        task: %s
        migration-type: full-load-and-cdc
        source:
          type: debezium
          url: %s
          password: %s
          debezium:
            connector-folder: %s
            properties:
              connector.class: %s
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
        task-settings: {FullLoadSettings: {TargetTablePrepMode: %s}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}
        """
            .formatted(
                source.name(),
                source.url(),
                PostgresShop.PASSWORD,
                CONNECTORS.resolve(source.connector()).resolve("target").resolve("connector"),
                source.connectorClass() + source.moreProperties(),
                servers.port(),
                target,
                folder.resolve("data"),
                FreePort.find(),
                mode));
  }

  /** A source with the tables of these tests in schema, or database, shop. */
  interface ConnectorShop extends AutoCloseable {
    /** Of the task, and of the database. */
    String name();

    String url();

    /** The folder of the connector's build. */
    String connector();

    String connectorClass();

    /** Lines of the task file. */
    default String moreProperties() {
      return "";
    }

    Connection connect() throws SQLException;

    /** For each table, the query of the source and that of the target. */
    List<List<String>> comparedRows();

    @Override
    void close() throws SQLException;

    default void execute(String... statements) throws SQLException {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        for (String each : statements) {
          statement.execute(each);
        }
      }
    }

    default List<String> strings(String query) throws SQLException {
      try (Connection connection = connect()) {
        return SourcesByDebeziumTest.strings(connection, query);
      }
    }
  }

  /** Read by Debezium's PostgreSQL connector. */
  private static final class PostgresShop implements ConnectorShop {
    static final String PASSWORD = "of-the-debezium-test";

    private final EmbeddedPostgres server;
    private final String name;

    PostgresShop(EmbeddedPostgres server, String name) throws SQLException {
      this.server = server;
      this.name = name;
      server.createDatabase(name);
      try (Connection connection = server.connect(name);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE SCHEMA shop");
        for (String table : targetTables().subList(1, 3)) {
          statement.execute(table);
        }
        statement.execute("CREATE PUBLICATION sluice_" + name + " FOR ALL TABLES");
        statement.execute("CREATE EXTENSION IF NOT EXISTS pgcrypto");
      } catch (SQLException e) {
        if (!String.valueOf(e.getMessage()).contains("pgcrypto")) {
          throw e;
        }
      }
      execute(
          "INSERT INTO account SELECT i, i * 1.01, 'name ' || i, true, current_date,"
              + " timestamp '2026-01-01 00:00:00.123456' + i * interval '1 second', '\\x00ff',"
              + " 'infinity' FROM generate_series(1, 500) i",
          "INSERT INTO event SELECT i, NULL FROM generate_series(1, 500) i");
    }

    List<String> targetTables() {
      return List.of(
          "CREATE SCHEMA shop",
          "CREATE TABLE shop.account (id bigint PRIMARY KEY, balance numeric(12,2), name"
              + " varchar(40), open boolean, since date, at timestamp, bytes bytea, much double"
              + " precision)",
          "CREATE TABLE shop.event (id bigint PRIMARY KEY, what text)");
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String url() {
      return "debezium://postgres@127.0.0.1:%d/%s".formatted(server.port(), name);
    }

    @Override
    public String connector() {
      return "postgres";
    }

    @Override
    public String connectorClass() {
      return "io.debezium.connector.postgresql.PostgresConnector";
    }

    @Override
    public Connection connect() throws SQLException {
      Connection connection = server.connect(name);
      connection.setSchema("shop");
      return connection;
    }

    @Override
    public List<List<String>> comparedRows() {
      String event = "SELECT id, what FROM shop.event ORDER BY id";
      String account =
          "SELECT id, balance, name, open, since, at, encode(bytes, 'hex'), much FROM shop.account"
              + " ORDER BY id";
      return List.of(List.of(event, event), List.of(account, account));
    }

    @Override
    public void close() {
      // The server ends with the class.
    }
  }

  /** Read by Debezium's MariaDB connector. */
  private static final class MariadbByDebezium implements ConnectorShop {
    private final EmbeddedMariadb server = EmbeddedMariadb.start();

    MariadbByDebezium() throws SQLException {
      try (Connection connection = server.connect("");
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE shop CHARACTER SET utf8mb4");
        statement.execute("CREATE USER 'reader'@'%' IDENTIFIED BY '" + PostgresShop.PASSWORD + "'");
        statement.execute(
            "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, BINLOG"
                + " MONITOR, LOCK TABLES ON *.* TO 'reader'@'%'");
      }
      execute(
          "CREATE TABLE account (id bigint PRIMARY KEY, balance decimal(12,2), name varchar(40),"
              + " open tinyint(1), since date, at datetime(6), bytes varbinary(20), much double,"
              + " stamp timestamp(3) NULL, level enum('basic','gold'), number int unsigned)",
          "CREATE TABLE event (id bigint PRIMARY KEY, what text)",
          "INSERT INTO account SELECT seq, seq * 1.01, concat('name ', seq), 1, '2026-01-02',"
              + " '2026-01-01 00:00:00.123456', x'00ff', 0.5, '2026-01-01 00:00:00.125', 'gold',"
              + " 4000000000 FROM seq_1_to_500",
          "INSERT INTO event SELECT seq, NULL FROM seq_1_to_500");
    }

    static List<String> targetTables() {
      return List.of(
          "CREATE SCHEMA shop",
          "CREATE TABLE shop.event (id bigint PRIMARY KEY, what text)",
          "CREATE TABLE shop.account (id bigint PRIMARY KEY, balance numeric(12,2),"
              + " name varchar(40), open smallint, since date, at timestamp, bytes bytea,"
              + " much double precision, stamp timestamptz, level text, number bigint)");
    }

    @Override
    public String name() {
      return "mdkilled";
    }

    @Override
    public String url() {
      return "debezium://reader@127.0.0.1:%d/shop".formatted(server.port());
    }

    @Override
    public String connector() {
      return "mariadb";
    }

    @Override
    public String connectorClass() {
      return "io.debezium.connector.mariadb.MariaDbConnector";
    }

    @Override
    public String moreProperties() {
      return "\n      database.server.id: 4711";
    }

    @Override
    public Connection connect() throws SQLException {
      return server.connect("shop");
    }

    @Override
    public List<List<String>> comparedRows() {
      return List.of(
          List.of(
              "SELECT id, what FROM event ORDER BY id",
              "SELECT id, what FROM shop.event ORDER BY id"),
          List.of(
              "SELECT id, balance, name, open, since, date_format(at, '%Y-%m-%d %H:%i:%s.%f'),"
                  + " hex(bytes), round(much * 1000), date_format(stamp, '%Y-%m-%d %H:%i:%s.%f'),"
                  + " level, number FROM account ORDER BY id",
              "SELECT id, balance, name, open, since, to_char(at, 'YYYY-MM-DD HH24:MI:SS.US'),"
                  + " upper(encode(bytes, 'hex')), round(much * 1000),"
                  + " to_char(stamp AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), level, number"
                  + " FROM shop.account ORDER BY id"));
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** Applications that write transactions over both tables. */
  private static final class ShopWriters {
    private final List<Thread> threads = new ArrayList<>();
    private final java.util.concurrent.atomic.AtomicLong committed =
        new java.util.concurrent.atomic.AtomicLong();
    private volatile boolean stopping;
    private volatile Exception failure;

    ShopWriters(ConnectorShop shop, long seed) {
      for (int i = 1; i <= 2; i++) {
        int writer = i;
        Thread thread =
            new Thread(
                () ->
                    failing(
                        () -> {
                          write(shop, writer, new Random(seed + writer));
                          return null;
                        }));
        threads.add(thread);
        thread.start();
      }
    }

    private void failing(Callable<Void> work) {
      try {
        work.call();
      } catch (Exception e) {
        failure = e;
      }
    }

    private void write(ConnectorShop shop, int writer, Random random)
        throws SQLException, InterruptedException {
      long next = writer * 1_000_000L;
      try (Connection connection = shop.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        while (!stopping) {
          int rows = 1 + random.nextInt(4);
          for (int i = 0; i < rows; i++) {
            statement.execute(
                "INSERT INTO event VALUES (%d, 'row %d')".formatted(++next, random.nextInt()));
          }
          // Each writer has its own accounts, so that none waits for the other.
          long account = 10 + writer + 2L * random.nextInt(200);
          statement.execute(
              "UPDATE account SET balance = balance + 1, name = 'n%d' WHERE id = %d"
                  .formatted(random.nextInt(1000), account));
          if (random.nextInt(5) == 0) {
            connection.rollback();
          } else {
            connection.commit();
            committed.incrementAndGet();
          }
          Thread.sleep(random.nextInt(20));
        }
        connection.commit();
      }
    }

    long committed() {
      return committed.get();
    }

    void stop() throws Exception {
      stopping = true;
      for (Thread thread : threads) {
        thread.join();
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
