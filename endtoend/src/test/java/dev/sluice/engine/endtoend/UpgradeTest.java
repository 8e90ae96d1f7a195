package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task that an older build has begun is continued by this one, over the same directory, control
 * schema, event triggers and slot, while applications write. {@code endtoend/upgrade-from COMMIT}
 * makes the older build and runs this test; elsewhere it is skipped.
 */
class UpgradeTest {
  /** The folder with the libraries of the older build. */
  private static final String OLDER = System.getProperty("sluice.older");

  private static final String REJECTED =
      "SELECT count(*) FROM sluice_control.sluice_apply_exceptions WHERE table_name = 'refused'";

  /** So slow that the load lasts until the older build is killed. */
  private static final int ROWS_PER_SECOND = 2_000;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @BeforeAll
  static void anOlderBuildIsThere() {
    assumeTrue(
        OLDER != null,
        "no older build is given; endtoend/upgrade-from COMMIT makes one and runs it");
    assertThat(Path.of(OLDER)).isDirectory();
  }

  @Test
  @Timeout(1800)
  void aTaskThatTheOlderBuildStoppedGoesOn(@TempDir Path folder) throws Exception {
    upgraded(folder, "stopped", older -> assertThat(older.terminate()).isIn(0, 143));
  }

  @Test
  @Timeout(1800)
  void aTaskWhoseOlderDaemonWasKilledGoesOn(@TempDir Path folder) throws Exception {
    upgraded(folder, "killed", DaemonProcess::kill);
  }

  @Test
  @Timeout(1800)
  void aTaskThatWasUpgradedDuringItsLoadLoadsTheRest(@TempDir Path folder) throws Exception {
    ShopScale scale = new ShopScale(2);
    String database = "loading";
    ShopDatabases.create(SERVERS.source(), SERVERS.target(), database, scale);
    Path task = task(folder, database);
    String settings = Files.readString(task);
    Files.writeString(
        task,
        settings.replace("Sluice: {", "Sluice: {LoadRowsPerSecond: " + ROWS_PER_SECOND + ", "));
    try (DaemonProcess older = DaemonProcess.runOlder(task, Path.of(OLDER))) {
      older.awaitPassingPhase("full-load");
      await("a table that is loaded")
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  text(
                          SERVERS.target(),
                          database,
                          "SELECT count(*) > 0 FROM sluice_control.load_segment WHERE done")
                      .equals("t"));
      older.kill();
    }
    assertThat(
            text(
                SERVERS.target(),
                database,
                "SELECT state FROM sluice_control.task_step WHERE step = 'full-load'"))
        .isNotEqualTo("done");
    Files.writeString(task, settings);
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      daemon.awaitAllApplied();
      assertEverythingIsThereOnce(database);
    }
  }

  /** How the older daemon ends. */
  private interface End {
    void of(DaemonProcess older) throws Exception;
  }

  private static void upgraded(Path folder, String database, End end) throws Exception {
    ShopScale scale = new ShopScale(1);
    ShopDatabases.create(SERVERS.source(), SERVERS.target(), database, scale);
    onSource(
        database,
        // Without a key, a change that is applied twice is a row too many.
        "CREATE TABLE shop.noted (what text)",
        "ALTER TABLE shop.noted REPLICA IDENTITY FULL",
        "CREATE TABLE shop.refused (id int PRIMARY KEY, what text)");
    Path task = task(folder, database);
    try (ShopWorkload workload =
            ShopWorkload.start(() -> SERVERS.source().connect(database), scale, 3, 100);
        Connection open = SERVERS.source().connect(database)) {
      try (DaemonProcess older = DaemonProcess.runOlder(task, Path.of(OLDER))) {
        older.awaitPhase("replicating");
        note(database, 1, 300);
        leaveARejectedChange(database);
        onSource(
            database,
            "ALTER TABLE shop.noted ADD COLUMN at timestamptz DEFAULT now()",
            "CREATE TABLE shop.made_before (id int PRIMARY KEY)",
            "INSERT INTO shop.made_before SELECT generate_series(1, 50)");
        open.setAutoCommit(false);
        note(open, 301, 2_000);
        note(database, 2_001, 2_300);
        end.of(older);
      }
      note(database, 2_301, 2_600);
      open.commit();
      onSource(
          database,
          "ALTER TABLE shop.made_before ADD COLUMN made text DEFAULT 'between'",
          "INSERT INTO shop.made_before SELECT generate_series(51, 60)");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        onSource(
            database,
            "CREATE TABLE shop.made_after (id int PRIMARY KEY)",
            "INSERT INTO shop.made_after SELECT generate_series(1, 50)",
            "ALTER TABLE shop.noted ALTER COLUMN what TYPE varchar(200)");
        note(database, 2_601, 2_900);
        workload.stop();
        daemon.awaitAllAppliedButNamed();
        assertEverythingIsThereOnce(database);
        assertThat(text(SERVERS.target(), database, REJECTED))
            .as("changes that the older build rejected")
            .isEqualTo("1");
        assertThat(versions(database)).isEqualTo("1");
        assertThat(Files.readString(folder.resolve("data/version"))).startsWith("1 ");
        assertThat(daemon.terminate()).isIn(0, 143);
      }
      try (DaemonProcess again = DaemonProcess.run(task)) {
        again.awaitPhase("replicating");
        note(database, 2_901, 3_000);
        again.awaitAllAppliedButNamed();
        assertEverythingIsThereOnce(database);
        DaemonProcess.Finished removed =
            DaemonProcess.commandHere("stop", task.toString(), "--drop");
        assertThat(removed.exitCode()).as(removed.output()).isZero();
      }
      assertNothingIsLeft(database);
    }
  }

  private static Path task(Path folder, String database) throws Exception {
    return TaskFolder.of(
            folder, database, SERVERS.source(), SERVERS.target(), database, ShopSchema.SCHEMA)
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1, MemoryLimitTotal: 1},"
                + " ValidationSettings: {EnableValidation: true},"
                + " Sluice: {ErrorProfile: dms-defaults}}")
        .write();
  }

  /** The target lacks the row, as after a write of somebody else. */
  private static void leaveARejectedChange(String database) throws SQLException {
    onSource(database, "INSERT INTO shop.refused VALUES (1, 'first')");
    awaitOne(database, "SELECT count(*) FROM shop.refused");
    execute(SERVERS.target(), database, "DELETE FROM shop.refused");
    onSource(database, "UPDATE shop.refused SET what = 'second'");
    awaitOne(database, REJECTED);
  }

  private static void awaitOne(String database, String count) {
    await(count)
        .atMost(Duration.ofMinutes(5))
        .until(() -> text(SERVERS.target(), database, count).equals("1"));
  }

  private static void onSource(String database, String... statements) throws SQLException {
    for (String statement : statements) {
      execute(SERVERS.source(), database, statement);
    }
  }

  private static void note(String database, int from, int to) throws SQLException {
    try (Connection connection = SERVERS.source().connect(database)) {
      note(connection, from, to);
    }
  }

  private static void note(Connection connection, int from, int to) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (int number = from; number <= to; number++) {
        statement.execute("INSERT INTO shop.noted (what) VALUES ('note " + number + "')");
      }
    }
  }

  private static void assertEverythingIsThereOnce(String database) throws SQLException {
    try (Connection from = SERVERS.source().connect(database);
        Connection to = SERVERS.target().connect(database)) {
      List<TableId> tables =
          Comparison.tables(from, ShopSchema.SCHEMA).stream()
              .filter(table -> !table.name().equals("refused"))
              .toList();
      assertThat(tables).hasSizeGreaterThanOrEqualTo(ShopSchema.TABLES.size());
      assertThat(Comparison.definitions(to, ShopSchema.SCHEMA))
          .isEqualTo(Comparison.definitions(from, ShopSchema.SCHEMA));
      Comparison.assertEqual(from, to, tables);
    }
  }

  private static String versions(String database) throws SQLException {
    return text(
        SERVERS.target(),
        database,
        "SELECT string_agg(version::text, ' ') FROM sluice_control.control_version");
  }

  private static void assertNothingIsLeft(String database) throws SQLException {
    String schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'sluice%'";
    assertThat(text(SERVERS.target(), database, schemas)).as("on the target").isEqualTo("0");
    assertThat(text(SERVERS.source(), database, schemas)).as("on the source").isEqualTo("0");
    assertThat(
            text(
                SERVERS.source(),
                database,
                "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()"))
        .isEqualTo("0");
  }
}
