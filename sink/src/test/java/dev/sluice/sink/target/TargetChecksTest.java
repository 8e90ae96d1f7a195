package dev.sluice.sink.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.target.TargetChecks.Expected;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class TargetChecksTest {
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    run(
        "CREATE ROLE loader LOGIN",
        "REVOKE TEMPORARY ON DATABASE postgres FROM public",
        "CREATE TABLE good (id int PRIMARY KEY, note text)",
        "GRANT ALL ON good TO loader");
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  private static void run(String... statements) throws SQLException {
    try (Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static TargetServer server(String user) {
    return server(user, "postgres", postgres.port());
  }

  private static TargetServer server(String user, String database, int port) {
    return TargetServers.postgres(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + database, user, "secret", "test", 50);
  }

  private static Expected expected(String table, String... columns) {
    return new Expected(
        new TableId("public", table),
        new TableId("app", table),
        Arrays.stream(columns)
            .map(name -> new Column(name, "integer", !name.equals("id"), name.equals("id")))
            .toList(),
        Set.of("computed"),
        false);
  }

  private static List<String> problems(TargetServer server, Expected... tables) {
    return TargetChecks.check(server, List.of("sluice_control"), List.of(tables)).all().stream()
        .map(Problem::toString)
        .toList();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void bothEndsOfASessionNoticeTheLossOfTheOtherHost() throws Exception {
    try (TargetConnection session = server("postgres").connect()) {
      assertThat(setting(session, "tcp_keepalives_idle")).isEqualTo("30");
      assertThat(setting(session, "tcp_keepalives_interval")).isEqualTo("10");
      assertThat(setting(session, "tcp_keepalives_count")).isEqualTo("3");
      assertThat(setting(session, "tcp_user_timeout")).isEqualTo("60000");
      assertThat(setting(session, "client_connection_check_interval")).isEqualTo("10s");
      assertThat(secondsToKeepAlive(session))
          .hasValueSatisfying(t -> assertThat(t).isBetween(1L, 31L));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void socketSettingsOfTheUrlAreUsed() throws Exception {
    TargetServer server =
        TargetServers.postgres(
            "jdbc:postgresql://127.0.0.1:"
                + postgres.port()
                + "/postgres?tcpKeepAlive=false&socketTimeout=7",
            "postgres",
            null,
            "test",
            50);
    try (TargetConnection session = server.connect()) {
      assertThat(secondsToKeepAlive(session)).isEmpty();
      assertThat(session.jdbc().getNetworkTimeout()).isEqualTo(7_000);
    }
  }

  private static String setting(TargetConnection session, String name) throws SQLException {
    try (Statement statement = session.jdbc().createStatement();
        ResultSet row = statement.executeQuery("SHOW " + name)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Seconds until this side sends a keep-alive; empty if it sends none. */
  private static Optional<Long> secondsToKeepAlive(TargetConnection session) throws Exception {
    long port;
    try (Statement statement = session.jdbc().createStatement();
        ResultSet row = statement.executeQuery("SELECT inet_client_port()")) {
      row.next();
      port = row.getLong(1);
    }
    String mine = ":%04X".formatted(port);
    List<String> lines = new ArrayList<>(Files.readAllLines(Path.of("/proc/net/tcp")));
    Path v6 = Path.of("/proc/net/tcp6");
    if (Files.exists(v6)) {
      lines.addAll(Files.readAllLines(v6));
    }
    // Address, remote address, state, queues, timer (2 is keep-alive) and when it is due.
    return lines.stream()
        .map(line -> line.trim().split("\\s+"))
        .filter(fields -> fields[1].endsWith(mine))
        .map(fields -> fields[5].split(":"))
        .filter(timer -> timer[0].equals("02"))
        .map(timer -> Long.parseLong(timer[1], 16) / 100 + 1)
        .findFirst();
  }

  @Test
  void aValidTargetHasNoProblems() {
    assertThat(problems(server("postgres"), expected("good", "id", "note"))).isEmpty();
  }

  @Test
  void aDatabaseThatAcceptsNoSessionsIsRetried() throws SQLException {
    postgres.createDatabase("closed");
    run("ALTER DATABASE closed ALLOW_CONNECTIONS false");
    TargetServer closed =
        TargetServers.postgres(
            "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/closed",
            "postgres",
            null,
            "test",
            0);
    assertThatThrownBy(closed::connect)
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("not currently accepting connections");
  }

  @Test
  void aUserWithMoreRightsThanATaskNeedsIsReported() throws SQLException {
    assertThat(LoaderRights.warning(server("loader"))).isEmpty();
    assertThat(LoaderRights.warning(server("postgres")).orElseThrow())
        .contains("user postgres of the target is a superuser");
    run("CREATE ROLE reader LOGIN IN ROLE pg_read_server_files, pg_execute_server_program");
    assertThat(LoaderRights.warning(server("reader")).orElseThrow())
        .contains("a member of pg_execute_server_program, a member of pg_read_server_files");
  }

  @Test
  void tablesThatASubscriptionOfTheTargetWritesToAreReportedToAnyUser() throws SQLException {
    run(
        "CREATE TABLE fed (id int PRIMARY KEY)",
        "CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (9)");
    // One that never connects; its tables are those that it would have found.
    run(
        "CREATE SUBSCRIPTION feed CONNECTION 'host=127.0.0.1 port=1' PUBLICATION none"
            + " WITH (connect = false)",
        "INSERT INTO pg_subscription_rel SELECT s.oid, c.oid, 'r', NULL FROM pg_subscription s,"
            + " pg_class c WHERE c.relname IN ('fed', 'part_1')");
    List<TableId> tables = List.of(table("fed"), table("parts"), table("good"));

    assertThat(SubscribedTables.warnings(server("loader"), tables)).isEmpty();

    run("UPDATE pg_subscription SET subenabled = true");
    try {
      assertThat(SubscribedTables.warnings(server("loader"), tables))
          .hasSize(2)
          .anyMatch(text -> text.contains("public.fed is also written by subscription feed"))
          .anyMatch(text -> text.contains("public.parts is also written by subscription feed"))
          .allMatch(text -> text.contains("ALTER SUBSCRIPTION \"feed\" DISABLE"));
    } finally {
      run(
          "ALTER SUBSCRIPTION feed DISABLE",
          "ALTER SUBSCRIPTION feed SET (slot_name = NONE)",
          "DROP SUBSCRIPTION feed");
    }
  }

  private static TableId table(String name) {
    return new TableId("public", name);
  }

  @Test
  void allProblemsOfATableAreReportedAtOnceWithTheirFix() throws SQLException {
    run(
        "CREATE TABLE bad (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED,"
            + " must int NOT NULL, filled int NOT NULL DEFAULT 1, computed int)");
    assertThat(
            problems(
                server("postgres"),
                expected("bad", "id", "twice", "lost"),
                expected("absent", "id")))
        .anySatisfy(
            text -> assertThat(text).contains("public.bad", "has no column lost", "ADD COLUMN"))
        .anySatisfy(text -> assertThat(text).contains("twice is generated", "DROP EXPRESSION"))
        .anySatisfy(text -> assertThat(text).contains("must is NOT NULL", "SET DEFAULT"))
        .anySatisfy(text -> assertThat(text).contains("computed is a plain one", "DROP COLUMN"))
        .anySatisfy(text -> assertThat(text).contains("public.absent", "does not exist"))
        .hasSize(5);
  }

  @Test
  void aBeforeImageColumnMustAcceptEveryOldValueAndBeNullWithoutOne() throws SQLException {
    run(
        "CREATE DOMAIN filled AS int DEFAULT 1",
        "CREATE TABLE imaged (id int PRIMARY KEY, bi_id int, bi_a bigint, bi_b int NOT NULL,"
            + " bi_c int DEFAULT 1, bi_d filled DEFAULT NULL)");
    List<Column> columns =
        List.of(
            new Column("id", "integer", false, true),
            new Column("bi_id", "integer", true, false),
            new Column("bi_a", "integer", true, false),
            new Column("bi_b", "integer", true, false),
            new Column("bi_c", "integer", true, false),
            new Column("bi_d", "public.filled", true, false),
            new Column("bi_e", "integer", true, false));
    assertThat(
            problems(
                server("postgres"),
                new Expected(
                    new TableId("public", "imaged"),
                    new TableId("app", "imaged"),
                    columns,
                    Set.of(),
                    Set.of("bi_id", "bi_a", "bi_b", "bi_c", "bi_d", "bi_e"),
                    Set.of(),
                    Set.of(),
                    false)))
        .satisfiesExactlyInAnyOrder(
            text -> assertThat(text).contains("bi_a is of type bigint", "TYPE integer"),
            text -> assertThat(text).contains("bi_b is NOT NULL", "DROP NOT NULL"),
            text -> assertThat(text).contains("bi_c is filled by a default", "DROP DEFAULT"),
            text -> assertThat(text).contains("has no column bi_e", "ADD COLUMN"));
  }

  @Test
  void aColumnThatTheSourceComputesTooMayBeGenerated() throws SQLException {
    run(
        "CREATE TABLE doubled (id int PRIMARY KEY, n int, a int GENERATED ALWAYS AS (n * 2) STORED,"
            + " b int GENERATED ALWAYS AS (n * 2) STORED)");
    List<Column> columns =
        List.of(
            new Column("id", "integer", false, true),
            new Column("n", "integer", true, false),
            new Column("a", "integer", true, false),
            new Column("b", "integer", true, false));
    assertThat(
            problems(
                server("postgres"),
                new Expected(
                    new TableId("public", "doubled"),
                    new TableId("app", "doubled"),
                    columns,
                    Set.of(),
                    Set.of(),
                    Set.of(),
                    Set.of("a"),
                    false)))
        .singleElement()
        .asString()
        .contains("column b is generated, the source's is not");
  }

  @Test
  void aColumnThatGetsNullInPlaceOfSomeValuesMustAcceptIt() throws SQLException {
    run("CREATE TABLE dated (id int PRIMARY KEY, a date NOT NULL, b date, c date NOT NULL)");
    List<Column> columns =
        List.of(
            new Column("id", "integer", false, true),
            new Column("a", "date", false, false),
            new Column("b", "date", false, false),
            new Column("c", "date", false, false));
    assertThat(
            problems(
                server("postgres"),
                new Expected(
                    new TableId("public", "dated"),
                    new TableId("app", "dated"),
                    columns,
                    Set.of(),
                    Set.of(),
                    Set.of("a", "b"),
                    Set.of(),
                    false)))
        .satisfiesExactly(
            text ->
                assertThat(text)
                    .contains(
                        "column a is NOT NULL",
                        "app.dated",
                        "ALTER TABLE \"public\".\"dated\" ALTER COLUMN \"a\" DROP NOT NULL"));
  }

  @Test
  void rowLevelSecurityIsReportedForTheUserAndForAnOwnerIfForced() throws SQLException {
    run(
        "CREATE TABLE guarded (id int PRIMARY KEY)",
        "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE mine (id int PRIMARY KEY)",
        "ALTER TABLE mine ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE forced (id int PRIMARY KEY)",
        "ALTER TABLE forced ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        "ALTER TABLE mine OWNER TO loader",
        "ALTER TABLE forced OWNER TO loader",
        "GRANT ALL ON guarded TO loader");
    assertThat(
            problems(
                server("loader"),
                expected("guarded", "id"),
                expected("mine", "id"),
                expected("forced", "id")))
        .filteredOn(text -> text.contains("BYPASSRLS"))
        .hasSize(2)
        .anyMatch(text -> text.contains("public.guarded"))
        .anyMatch(text -> text.contains("public.forced"));
    assertThat(problems(server("postgres"), expected("guarded", "id"))).isEmpty();
  }

  @Test
  void missingRightsAreShownAsGrants() throws SQLException {
    run("CREATE TABLE locked (id int PRIMARY KEY)", "GRANT SELECT, INSERT ON locked TO loader");
    assertThat(problems(server("loader"), expected("locked", "id"), expected("good", "id")))
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains(
                        "GRANT UPDATE, DELETE, TRUNCATE ON \"public\".\"locked\" TO \"loader\""))
        .anySatisfy(
            text ->
                assertThat(text).contains("GRANT TEMPORARY ON DATABASE \"postgres\" TO \"loader\""))
        .anySatisfy(
            text ->
                assertThat(text).contains("GRANT CREATE ON DATABASE \"postgres\" TO \"loader\""))
        .hasSize(3);
  }

  @Test
  void tablesToCreateNeedTheRightsToCreateAndDropThem() throws SQLException {
    run(
        "GRANT TEMPORARY, CREATE ON DATABASE postgres TO loader",
        "CREATE TABLE foreign_owned (id int PRIMARY KEY)");
    try {
      assertThat(problems(server("loader"), toBeCreated("foreign_owned"), toBeCreated("not_there")))
          .anySatisfy(
              text ->
                  assertThat(text)
                      .contains("GRANT CREATE, USAGE ON SCHEMA \"public\" TO \"loader\""))
          .anySatisfy(
              text -> assertThat(text).contains("public.foreign_owned", "belongs to postgres"))
          .hasSize(2);
    } finally {
      run("REVOKE TEMPORARY, CREATE ON DATABASE postgres FROM loader");
    }
  }

  private static Expected toBeCreated(String name) {
    TableId table = new TableId("public", name);
    return new Expected(table, table, List.of(), Set.of(), true);
  }

  @Test
  void triggersThatCannotBeSwitchedOffAreReportedWithTheGrant() throws SQLException {
    run(
        "GRANT TEMPORARY, CREATE ON DATABASE postgres TO loader",
        "CREATE TABLE parent (id int PRIMARY KEY)",
        "CREATE TABLE child (id int PRIMARY KEY REFERENCES parent)",
        "CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'",
        "CREATE TRIGGER audit BEFORE INSERT ON child EXECUTE FUNCTION act()",
        "CREATE TRIGGER off BEFORE INSERT ON child EXECUTE FUNCTION act()",
        "ALTER TABLE child DISABLE TRIGGER off",
        "GRANT ALL ON child TO loader");
    try {
      assertThat(problems(server("loader"), expected("child", "id")))
          .singleElement()
          .satisfies(
              text ->
                  assertThat(text)
                      .contains("trigger audit", "foreign key child_id_fkey")
                      .doesNotContain("trigger off")
                      .contains("GRANT SET ON PARAMETER session_replication_role TO \"loader\""));
      run("GRANT SET ON PARAMETER session_replication_role TO loader");
      assertThat(problems(server("loader"), expected("child", "id"))).isEmpty();
    } finally {
      run(
          "REVOKE SET ON PARAMETER session_replication_role FROM loader",
          "REVOKE TEMPORARY, CREATE ON DATABASE postgres FROM loader");
    }
  }

  @Test
  void anEncodingThatCannotHoldEveryValueIsRefused() throws SQLException {
    run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    assertThat(problems(server("postgres", "latin", postgres.port())))
        .singleElement()
        .satisfies(text -> assertThat(text).contains("LATIN1", "UTF8"));
  }

  @Test
  void aServerThatCannotBeReachedOrRefusesIsReportedWithoutThePassword() {
    assertThat(problems(server("postgres", "postgres", 1)))
        .singleElement()
        .satisfies(text -> assertThat(text).contains("127.0.0.1:1").doesNotContain("secret"));
    assertThat(problems(server("nobody")))
        .singleElement()
        .satisfies(
            text -> assertThat(text).contains("nobody", "pg_hba.conf").doesNotContain("secret"));
    assertThat(problems(server("postgres", "nowhere", postgres.port())))
        .singleElement()
        .satisfies(text -> assertThat(text).contains("nowhere", "Create the database"));
  }
}
