package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Wrong input is reported with its fix, and the exit code is not 0. */
@Timeout(1200)
class BadInputTest {
  private static final String DATABASE = "bad";

  private static EmbeddedPostgres server;
  private static EmbeddedPostgres physical;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() throws SQLException {
    server = EmbeddedPostgres.start();
    server.createDatabase(DATABASE);
    server.createDatabase("elsewhere");
    physical = EmbeddedPostgres.builder().setting("wal_level", "replica").start();
    physical.createDatabase(DATABASE);
    execute(
        server,
        DATABASE,
        """
        CREATE SCHEMA keyless; CREATE TABLE keyless.noted (id int);
        CREATE SCHEMA filled; CREATE TABLE filled.noted (id int PRIMARY KEY);
        CREATE SCHEMA good; CREATE TABLE good.noted (id int PRIMARY KEY);
        CREATE ROLE plain LOGIN PASSWORD 'secret-of-plain'\
        """);
    execute(
        server,
        "elsewhere",
        """
        CREATE SCHEMA filled; CREATE TABLE filled.noted (id int PRIMARY KEY);
        INSERT INTO filled.noted VALUES (1);
        CREATE SCHEMA good; CREATE TABLE good.noted (id int PRIMARY KEY)\
        """);
    execute(physical, DATABASE, "CREATE SCHEMA good; CREATE TABLE good.noted (id int PRIMARY KEY)");
  }

  @AfterAll
  static void stopServers() {
    server.close();
    physical.close();
  }

  @Test
  void anUnknownKeyGetsTheNearestKnownName() throws Exception {
    expect(
        task("good").replacing("migration-type", "migration-typ"),
        "migration-typ",
        "migration-type");
  }

  @Test
  void aWrongUnitIsNamedWithItsPathAndWhatIsExpected() throws Exception {
    expect(
        task("good").settings("{ChangeProcessingTuning: {BatchApplyTimeoutMin: '5s'}}"),
        "BatchApplyTimeoutMin",
        "5s",
        "seconds");
  }

  @Test
  void allProblemsOfAFileAreListedAtOnce() throws Exception {
    expect(
        task("good")
            .replacing("full-load-and-cdc", "everything")
            .settings("{ChangeProcessingTuning: {BatchSplitSise: 5, MemoryLimitTotal: -1}}"),
        "everything",
        "BatchSplitSise",
        "BatchSplitSize",
        "MemoryLimitTotal");
  }

  @Test
  void aSourceThatDoesNotLogLogicallyIsNamed() throws Exception {
    expect(
        TaskFolder.of(folder, "bad", physical.port(), server.port(), DATABASE, "good"),
        "wal_level",
        "replica",
        "logical");
  }

  @Test
  void aTableWithoutReplicaIdentityIsNamedWithTheStatementThatFixesIt() throws Exception {
    expect(task("keyless"), "keyless.noted", "REPLICA IDENTITY FULL");
  }

  @Test
  void aTableThatIsMissingOnTheTargetIsNamed() throws Exception {
    execute(
        server,
        DATABASE,
        "CREATE SCHEMA IF NOT EXISTS lonely;"
            + " CREATE TABLE IF NOT EXISTS lonely.noted (id int PRIMARY KEY)");
    expect(
        task("lonely")
            .replacing(
                "rules:",
                """
                rules:
                    - rule-type: table-settings
                      rule-id: "2"
                      rule-name: "2"
                      object-locator: { schema-name: lonely, table-name: nodet }
                      batch-apply: { BatchSplitSize: 10 }\
                """),
        "lonely.noted",
        "DROP_AND_CREATE",
        "batch-apply for lonely.nodet",
        "the source has no such table");
  }

  @Test
  void aTargetTableWithRowsIsNotTouched() throws Exception {
    expect(task("filled"), "filled.noted", "TRUNCATE_BEFORE_LOAD");
  }

  @Test
  void rowsThatTheTaskHasNotLoadedAreNeitherDroppedNorEmptiedWithoutConsent() throws Exception {
    for (String mode : List.of("DROP_AND_CREATE", "TRUNCATE_BEFORE_LOAD")) {
      String settings = "{FullLoadSettings: {TargetTablePrepMode: " + mode + "}}";
      expect(
          task("filled").settings(settings),
          "filled.noted (1 row)",
          mode,
          "overwrite-target-rows: true");
      Path consenting =
          task("filled")
              .settings(settings)
              .replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:")
              .write();
      DaemonProcess.Finished check = DaemonProcess.commandHere("check", consenting.toString());
      assertThat(check.exitCode()).as(check.output()).isZero();
    }
    assertThat(text(server, "elsewhere", "SELECT count(*) FROM filled.noted")).isEqualTo("1");
  }

  @Test
  void aCutoverIsForgottenOnlyWhenThatIsSaidAfterItWasShown() throws Exception {
    execute(
        server,
        "elsewhere",
        """
        CREATE SCHEMA sluice_cutover; CREATE TABLE sluice_cutover.cut_over_table (
          table_schema text, table_name text, task text, cut_over_at timestamptz);
        INSERT INTO sluice_cutover.cut_over_table VALUES
          ('filled', 'noted', 'bad', '2026-01-02T03:04:05Z'),
          ('good', 'noted', 'other', '2026-01-02T03:04:05Z')\
        """);
    String file = task("filled").write().toString();
    DaemonProcess.Finished asked = DaemonProcess.commandHere("forget-cutover", file);
    assertThat(asked.exitCode()).as(asked.output()).isEqualTo(2);
    assertThat(asked.output())
        .contains(
            "/elsewhere", "task bad", "filled.noted: cut over at 2026-01-02T03:04:05Z", "--yes")
        .doesNotContain("good.noted");
    assertThat(text(server, "elsewhere", "SELECT count(*) FROM sluice_cutover.cut_over_table"))
        .isEqualTo("2");
    DaemonProcess.Finished agreed = DaemonProcess.commandHere("forget-cutover", file, "--yes");
    assertThat(agreed.exitCode()).as(agreed.output()).isZero();
    assertThat(agreed.output()).contains("filled.noted: forgotten").doesNotContain("good.noted");
    assertThat(
            text(
                server,
                "elsewhere",
                "SELECT string_agg(task, ',') FROM sluice_cutover.cut_over_table"))
        .isEqualTo("other");
    assertThat(text(server, "elsewhere", "SELECT count(*) FROM filled.noted")).isEqualTo("1");
    execute(server, "elsewhere", "DROP SCHEMA sluice_cutover CASCADE");
  }

  @Test
  void codeOfWhoOwnsATableDoesNotRunOnTheTargetWithoutConsent() throws Exception {
    execute(
        server,
        DATABASE,
        """
        CREATE SCHEMA smuggled AUTHORIZATION plain; SET ROLE plain;
        CREATE FUNCTION smuggled.twice(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
          'BEGIN PERFORM lo_from_bytea(0, ''written by the loader''); RETURN n * 2; END';
        CREATE TABLE smuggled.noted (id int PRIMARY KEY,
          twice int GENERATED ALWAYS AS (smuggled.twice(id)) STORED,
          CONSTRAINT reads CHECK (pg_backend_pid() > 0));
        INSERT INTO smuggled.noted VALUES (1); RESET ROLE\
        """);
    String settings = "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}";
    expect(
        task("smuggled").settings(settings),
        "function smuggled.twice(integer)",
        "generated column twice of smuggled.noted",
        "function pg_backend_pid()",
        "constraint reads of smuggled.noted",
        "run-source-code: true");
    assertThat(text(server, "elsewhere", "SELECT to_regnamespace('smuggled') IS NULL"))
        .isEqualTo("t");
    assertThat(text(server, "elsewhere", "SELECT count(*) FROM pg_largeobject_metadata"))
        .isEqualTo("0");
    Path consenting =
        task("smuggled")
            .settings(settings)
            .replacing("data-dir:", "run-source-code: true\ndata-dir:")
            .write();
    DaemonProcess.Finished check = DaemonProcess.commandHere("check", consenting.toString());
    assertThat(check.exitCode()).as(check.output()).isZero();
  }

  @Test
  void aTargetThatIsTheSourceIsRefusedWhateverItsAddressIsCalled() throws Exception {
    execute(
        server,
        DATABASE,
        """
        CREATE SCHEMA precious; CREATE TABLE precious.noted (id int PRIMARY KEY);
        CREATE TABLE precious.days (day int PRIMARY KEY) PARTITION BY RANGE (day);
        CREATE TABLE precious.early PARTITION OF precious.days FOR VALUES FROM (0) TO (10);
        INSERT INTO precious.noted VALUES (1), (2); INSERT INTO precious.days VALUES (3)\
        """);
    String settings = "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}";
    TaskFolder same =
        TaskFolder.of(folder, "bad", server, server, DATABASE, "precious")
            .replacing(targetUrl(DATABASE), targetUrl(DATABASE).replace("127.0.0.1", "localhost"))
            .replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:")
            .settings(settings);
    expect(same, "one database", "precious.noted", "precious.days");
    expect(
        same.rules(
            """
                  - rule-type: selection
                    rule-id: "1"
                    rule-name: "1"
                    rule-action: explicit
                    object-locator: { schema-name: precious, table-name: noted }
                  - rule-type: selection
                    rule-id: "2"
                    rule-name: "2"
                    rule-action: explicit
                    object-locator: { schema-name: precious, table-name: days }
                  - rule-type: transformation
                    rule-id: "3"
                    rule-name: "3"
                    rule-target: table
                    rule-action: rename
                    value: early
                    object-locator: { schema-name: precious, table-name: noted }
                  - rule-type: transformation
                    rule-id: "4"
                    rule-name: "4"
                    rule-target: table
                    rule-action: rename
                    value: free
                    object-locator: { schema-name: precious, table-name: days }
            """),
        "precious.noted into precious.early");
    assertThat(text(server, DATABASE, "SELECT count(*) FROM precious.noted")).isEqualTo("2");
    assertThat(text(server, DATABASE, "SELECT count(*) FROM precious.days")).isEqualTo("1");

    Path elsewhere =
        TaskFolder.of(folder, "bad", server, server, DATABASE, "precious")
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " TargetMetadata: {TargetSchema: copy}}")
            .write();
    DaemonProcess.Finished check = DaemonProcess.commandHere("check", elsewhere.toString());
    assertThat(check.exitCode()).as(check.output()).isZero();
  }

  @Test
  void aControlSchemaWithTablesOfTheUserIsNamed() throws Exception {
    expect(
        task("good").settings("{ControlTablesSettings: {ControlSchema: good}}"),
        "ControlSchema good",
        "good.noted");
  }

  @Test
  void aSchemaWithoutTablesIsNamed() throws Exception {
    expect(task("nowhere"), "nowhere");
  }

  @Test
  void aServerThatDoesNotAnswerIsNamed() throws Exception {
    expect(
        TaskFolder.of(folder, "bad", 1, server.port(), DATABASE, "good"), "127.0.0.1:1", "source");
  }

  @Test
  void missingRightsAreNamedAndThePasswordIsNot() throws Exception {
    DaemonProcess.Finished finished =
        expect(
            task("good")
                .replacing("postgresql://postgres@", "postgresql://plain@")
                .replacing("password: ${env:HOME}", "password: secret-of-plain"),
            "plain",
            "REPLICATION");
    assertThat(finished.output()).doesNotContain("secret-of-plain");
  }

  @Test
  void aKafkaThatCannotBeReachedIsNamed() throws Exception {
    expect(
        task("good").replacing("data-dir:", "kafka:\n  bootstrap.servers: 127.0.0.1:1\ndata-dir:"),
        "127.0.0.1:1",
        "Kafka");
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Path task =
          task("good")
              .replacing("http: 127.0.0.1:", "http: 127.0.0.1:" + taken.getLocalPort() + " #")
              .write();
      DaemonProcess.Finished check = DaemonProcess.commandHere("check", task.toString());
      assertThat(check.exitCode()).as(check.output()).isEqualTo(2);
      assertThat(check.output()).contains("http 127.0.0.1:" + taken.getLocalPort());
      DaemonProcess.Finished run = DaemonProcess.command("run", task.toString());
      assertThat(run.exitCode()).as(run.output()).isNotZero();
      assertThat(run.output())
          .contains(Integer.toString(taken.getLocalPort()))
          .doesNotContain("\tat ");
    }
  }

  @Test
  void aSecondDaemonOfATaskIsRefused() throws Exception {
    Path task = task("good").write();
    try (DaemonProcess first = DaemonProcess.run(task)) {
      first.awaitPhase("replicating");
      DaemonProcess.Finished second = DaemonProcess.command("run", task.toString());
      assertThat(second.exitCode()).isNotZero();
      assertThat(second.output()).contains("bad").doesNotContain("\tat ");
      DaemonProcess.Finished check = DaemonProcess.commandHere("check", task.toString());
      assertThat(check.exitCode()).isEqualTo(2);
      assertThat(check.output()).contains("already runs").doesNotContain("http 127");
      assertThat(first.isAlive()).isTrue();
      assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode()).isZero();
      assertThat(first.awaitEnd()).isZero();
    }
  }

  @Test
  void aDataDirectoryThatCannotBeMadeIsNamed() throws Exception {
    Files.createDirectories(folder);
    Path file = Files.writeString(folder.resolve("a-file"), "");
    expect(
        task("good").replacing("data-dir: " + folder.resolve("data"), "data-dir: " + file + "/d"),
        "data-dir " + file + "/d",
        "cannot be written");
  }

  @Test
  void aCheckSaysFirstWhatMattersAndListsTheSettingsOnRequest() throws Exception {
    Path task = task("good").write();
    DaemonProcess.Finished plain = DaemonProcess.commandHere("check", task.toString());
    assertThat(plain.exitCode()).as(plain.output()).isZero();
    assertThat(plain.output()).startsWith("task bad can run").doesNotContain("BatchSplitSize");
    DaemonProcess.Finished all = DaemonProcess.commandHere("check", "-v", task.toString());
    assertThat(all.output()).startsWith("task bad can run").contains("BatchSplitSize");
  }

  @Test
  void theFailureOfADaemonIsShownAfterItsEndWithoutAPassword() throws Exception {
    TaskFolder failing = task("filled");
    assertThat(DaemonProcess.commandHere("run", failing.write().toString()).exitCode())
        .isEqualTo(2);
    Path task = failing.replacing("${env:HOME}", "${env:SET_NOWHERE}").write();
    DaemonProcess.Finished status = DaemonProcess.commandHere("status", task.toString());
    assertThat(status.exitCode()).isEqualTo(1);
    assertThat(status.output())
        .contains("no daemon runs", "failed since", "filled.noted", "sluice run");
    DaemonProcess.Finished json = DaemonProcess.commandHere("status", "--json", task.toString());
    assertThat(json.output()).contains("\"phase\" : \"failed\"", "filled.noted");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("data/last-state.json"))))
        .isEqualTo("rw-------");
    assertThat(DaemonProcess.commandHere("stop", task.toString()).output())
        .contains("does not run");
    assertThat(DaemonProcess.commandHere("wait", task.toString(), "--timeout", "1").output())
        .contains("no daemon runs", "the last one failed", "filled.noted")
        .doesNotContain("SET_NOWHERE");
  }

  @Test
  void aMissingTaskFileIsNamed() throws Exception {
    DaemonProcess.Finished finished = DaemonProcess.commandHere("check", folder + "/none.yaml");
    assertThat(finished.exitCode()).isNotZero();
    assertThat(finished.output()).contains("none.yaml").doesNotContain("\tat ");
  }

  /** A task from one database of the server to the other. */
  private TaskFolder task(String schema) throws Exception {
    Files.createDirectories(folder);
    return TaskFolder.of(folder, "bad", server, server, DATABASE, schema)
        .replacing(targetUrl(DATABASE), targetUrl("elsewhere"));
  }

  private static String targetUrl(String database) {
    return "target:\n  type: postgresql\n  url: postgresql://postgres@127.0.0.1:"
        + server.port()
        + "/"
        + database;
  }

  /** Both commands refuse the task and name the parts, without a stack trace. */
  private static DaemonProcess.Finished expect(TaskFolder folder, String... parts)
      throws Exception {
    Path task = folder.write();
    DaemonProcess.Finished check = DaemonProcess.commandHere("check", task.toString());
    assertThat(check.exitCode()).as(check.output()).isNotZero();
    assertThat(check.output()).contains(parts).doesNotContain("\tat ");
    DaemonProcess.Finished run = DaemonProcess.commandHere("run", task.toString());
    assertThat(run.exitCode()).as(run.output()).isNotZero();
    assertThat(run.output()).contains(parts).doesNotContain("\tat ");
    return check;
  }
}
