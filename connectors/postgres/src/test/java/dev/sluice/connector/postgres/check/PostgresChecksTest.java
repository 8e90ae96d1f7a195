package dev.sluice.connector.postgres.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.SourceFixture;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PostgresChecksTest {

  @Test
  void aSuitableSourceHasNoProblems() {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)")) {
      assertThat(fixture.source.checks().problems(all(), table -> true, true)).isEmpty();
    }
  }

  @Test
  void aDatabaseThatAcceptsNoSessionsForAWhileIsRetryable() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)");
        Connection beside = SourceFixture.server().connect();
        Statement statement = beside.createStatement()) {
      statement.execute("ALTER DATABASE " + fixture.task + " ALLOW_CONNECTIONS false");
      assertThatThrownBy(() -> fixture.source.identity())
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("not currently accepting connections");
      statement.execute("ALTER DATABASE " + fixture.task + " ALLOW_CONNECTIONS true");
    }
  }

  @Test
  void aTableThatStaysLockedIsAProblemThatNamesTheHolderAndBlocksNoOtherSession() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE a (id int PRIMARY KEY) PARTITION BY RANGE (id)",
                "CREATE TABLE b PARTITION OF a FOR VALUES FROM (1) TO (9)");
        Connection application = fixture.connect();
        Statement statement = application.createStatement()) {
      application.setAutoCommit(false);
      statement.execute("LOCK TABLE b IN ACCESS EXCLUSIVE MODE");
      PostgresChecks checks =
          new PostgresChecks(
              fixture.config(),
              fixture.source.server(),
              fixture.source.capturedTables(),
              fixture.source.retention(),
              new LockAttempts(fixture.source.server(), Duration.ofSeconds(10)));
      assertThat(checks.problems(all(), table -> true, true))
          .singleElement()
          .asString()
          .contains("the lock was not free")
          .contains("LOCK TABLE b");
      application.rollback();
      assertThat(checks.problems(all(), table -> true, true)).isEmpty();
    }
  }

  @Test
  void allUnsuitableTablesAreReportedTogether() {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE \"No Key\" (a int UNIQUE)",
            "CREATE TABLE nothing (id int PRIMARY KEY)",
            "ALTER TABLE nothing REPLICA IDENTITY NOTHING",
            "CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)",
            "CREATE TABLE fit (a int)",
            "ALTER TABLE fit REPLICA IDENTITY FULL")) {
      List<Problem> problems =
          fixture.source.checks().problems(mappings("%", "missing"), table -> true, true);
      assertThat(problems)
          .extracting(Problem::thing)
          .containsExactlyInAnyOrder(
              "table public.No Key",
              "table public.nothing",
              "table public.unlogged",
              "table public.missing");
      assertThat(problems)
          .extracting(Problem::fix)
          .anyMatch(
              mend ->
                  mend.contains("ALTER TABLE \"public\".\"No Key\" REPLICA IDENTITY FULL;")
                      && mend.contains("source.replica-identity-full: true"));
    }
  }

  @Test
  void filtersThatTheSourceCannotEvaluateAreReportedWithTheirRule() {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TYPE mood AS ENUM ('sad', 'glad')",
            "CREATE TABLE fit (id int PRIMARY KEY, c numeric)",
            "ALTER TABLE fit REPLICA IDENTITY FULL",
            "CREATE TABLE missing (id int PRIMARY KEY)",
            "CREATE TABLE parsed (id int PRIMARY KEY, c int)",
            "CREATE TABLE moving (id int PRIMARY KEY, c date)",
            "CREATE TABLE felt (id int PRIMARY KEY, c mood)",
            "CREATE TABLE keyed (id int PRIMARY KEY, c numeric)",
            "CREATE TABLE parts (id int PRIMARY KEY, c numeric) PARTITION BY RANGE (id)",
            "CREATE TABLE computed (id int PRIMARY KEY, c numeric,"
                + " n int GENERATED ALWAYS AS (id + 1) STORED)",
            "CREATE TABLE others (id int PRIMARY KEY, c numeric)")) {
      TableMappings mappings =
          mappingsOf(
              filtered(1, "fit", "1.5"),
              filtered(2, "missing", "1"),
              filtered(3, "parsed", "1.5"),
              filtered(4, "moving", "today"),
              filtered(5, "felt", "sad"),
              filtered(6, "keyed", "1"),
              filtered(7, "parts", "1"),
              filtered(8, "computed", "1"));

      assertThat(fixture.source.checks().problems(mappings, table -> true, true))
          .extracting(Problem::found)
          .satisfiesExactlyInAnyOrder(
              met ->
                  assertThat(met).startsWith("rule 2 filters it").contains("\"c\" does not exist"),
              met ->
                  assertThat(met).startsWith("rule 3 filters it").contains("invalid input syntax"),
              met ->
                  assertThat(met).startsWith("rule 4 filters it").contains("another one each day"),
              met ->
                  assertThat(met)
                      .startsWith("rule 5 filters it")
                      .contains("is of type public.mood"),
              met -> assertThat(met).startsWith("rule 6 filters it").contains("complete old rows"),
              met -> assertThat(met).startsWith("rule 7 filters it").contains("it is partitioned"),
              met -> assertThat(met).startsWith("rule 8 filters it").contains("generated columns"));
      assertThat(fixture.source.checks().problems(mappings, table -> true, false))
          .extracting(Problem::found)
          .allMatch(met -> met.matches("rule [234] filters it.*"));
    }
  }

  @Test
  void tablesWithoutOldRowsAreReportedWithTheBeforeImageRule() {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE DOMAIN must AS int NOT NULL",
            "CREATE TABLE fit (id int PRIMARY KEY, a text)",
            "ALTER TABLE fit REPLICA IDENTITY FULL",
            "CREATE TABLE keys (id int PRIMARY KEY, a text)",
            "CREATE TABLE log (a int)",
            "ALTER TABLE log REPLICA IDENTITY FULL",
            "CREATE TABLE partial (id int PRIMARY KEY, a text)",
            "CREATE TABLE indexed (id int PRIMARY KEY, a text NOT NULL UNIQUE)",
            "ALTER TABLE indexed REPLICA IDENTITY USING INDEX indexed_a_key",
            "CREATE TABLE computed (id int PRIMARY KEY, a int, \"b_a\" int GENERATED ALWAYS AS (a) STORED)",
            "CREATE TABLE typed (id int PRIMARY KEY, a must, b int)",
            "ALTER TABLE typed REPLICA IDENTITY FULL",
            "CREATE TABLE parts (id int PRIMARY KEY, a text) PARTITION BY RANGE (id)",
            "CREATE TABLE part PARTITION OF parts DEFAULT")) {
      TableMappings mappings =
          mappingsOf(
              "{\"rule-type\": \"selection\", \"rule-id\": \"1\", \"rule-action\": \"include\","
                  + " \"object-locator\": {\"schema-name\": \"public\", \"table-name\": \"%\"}}",
              images(2, "fit", "all"),
              images(3, "keys", "pk-only"),
              images(4, "log", "all"),
              images(5, "partial", "non-lob"),
              images(6, "indexed", "pk-only"),
              images(7, "computed", "all"),
              images(8, "typed", "all"),
              images(9, "parts", "all"));

      assertThat(fixture.source.checks().problems(mappings, table -> true, true))
          .extracting(problem -> problem.thing() + ": " + problem.found())
          .satisfiesExactlyInAnyOrder(
              text -> assertThat(text).contains("public.log: rule 4", "no primary key"),
              text -> assertThat(text).contains("public.partial: rule 5", "complete old rows"),
              text -> assertThat(text).contains("public.indexed: rule 6", "is an index"),
              text -> assertThat(text).contains("public.computed: rule 7", "called b_a already"),
              text -> assertThat(text).contains("public.computed: rule 7", "generated columns"),
              text ->
                  assertThat(text).contains("public.typed: rule 8", "for a, whose type", "must"),
              text -> assertThat(text).contains("public.part: rule 9", "complete old rows"));
      assertThat(fixture.source.checks().problems(mappings, table -> true, false))
          .extracting(Problem::found)
          .allMatch(met -> met.matches("rule [78] adds.*"));
      assertThat(fixture.source.checks().notes(mappings))
          .anyMatch(
              note -> note.startsWith("table public.log: rule 4 adds no before-image columns"))
          .anyMatch(note -> note.contains("rule 7") && note.contains("generated columns [b_a]"));
    }
  }

  private static String images(int id, String table, String filter) {
    return """
        {"rule-type": "transformation", "rule-id": "%d", "rule-name": "%d",
         "rule-action": "add-before-image-columns", "rule-target": "column",
         "object-locator": {"schema-name": "public", "table-name": "%s"},
         "before-image-def": {"column-prefix": "b_", "column-filter": "%s"}}"""
        .formatted(id, id, table, filter);
  }

  private static String filtered(int id, String table, String value) {
    return """
        {"rule-type": "selection", "rule-id": "%d", "rule-name": "%d", "rule-action": "include",
         "object-locator": {"schema-name": "public", "table-name": "%s"}, "filters": [
          {"filter-type": "source", "column-name": "c", "filter-conditions": [
            {"filter-operator": "eq", "value": "%s"}]}]}"""
        .formatted(id, id, table, value);
  }

  @Test
  void aTableDroppedBeforeItIsPublishedLeadsToARetryWithTheNewCatalog() {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE brief (a int)")) {
      SourceCatalog catalog = fixture.source.catalog(table -> true);
      fixture.execute("DROP TABLE brief");
      assertThatThrownBy(() -> fixture.source.capturedTables().giveReplicaIdentity(catalog))
          .isInstanceOf(SluiceException.Overtaken.class);
      assertThatThrownBy(
              () -> fixture.source.capturedTables().include(List.of(SourceFixture.table("brief"))))
          .isInstanceOf(SluiceException.Overtaken.class)
          .hasMessageContaining("brief");
    }
  }

  @Test
  void theChecksOfOneStartReadTheTablesOnce() {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)")) {
      TableMappings mappings = all();
      SourceChecks checks = fixture.source.checks();
      assertThat(checks.problems(mappings, table -> true, true)).isEmpty();
      fixture.execute("CREATE TABLE keyless (a int, b int GENERATED ALWAYS AS (a) STORED)");
      assertThat(checks.problems(mappings, table -> true, true)).isEmpty();
      assertThat(checks.tolerated(mappings, table -> true)).isEmpty();
      assertThat(checks.notes(mappings)).noneMatch(note -> note.contains("keyless"));
      SourceChecks later = fixture.source.checks();
      assertThat(later.problems(mappings, table -> true, true)).hasSize(1);
      assertThat(later.tolerated(mappings, table -> true)).hasSize(1);
      assertThat(later.notes(mappings)).anyMatch(note -> note.contains("keyless"));
    }
  }

  @Test
  void aTableThatTheTaskDoesNotReplicateIsNoProblem() {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE a (id int PRIMARY KEY)",
            "CREATE TABLE p (n int) PARTITION BY LIST (n)",
            "CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)")) {
      assertThat(
              fixture
                  .source
                  .checks()
                  .problems(all(), table -> !table.equals(SourceFixture.table("p")), true))
          .isEmpty();
      assertThat(fixture.source.checks().problems(all(), table -> true, true))
          .extracting(Problem::thing)
          .containsExactly("table public.p1");
    }
  }

  @Test
  void tablesWhoseUpdatesPostgresqlWouldRefuseOncePublishedAreReported() {
    String generated = "n int GENERATED ALWAYS AS (a + 1)";
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE late (id int PRIMARY KEY DEFERRABLE)",
            "CREATE TABLE \"generated key\" (a int, " + generated + " STORED PRIMARY KEY)",
            "CREATE TABLE stored (a int PRIMARY KEY, " + generated + " STORED)",
            "ALTER TABLE stored REPLICA IDENTITY FULL",
            "CREATE TABLE computed (a int, " + generated + " VIRTUAL)",
            "ALTER TABLE computed REPLICA IDENTITY FULL",
            "CREATE TABLE fit (a int PRIMARY KEY, " + generated + " STORED)")) {
      List<Problem> problems = fixture.source.checks().problems(all(), table -> true, true);
      assertThat(problems)
          .extracting(Problem::thing)
          .containsExactlyInAnyOrder(
              "table public.late",
              "table public.generated key",
              "table public.stored",
              "table public.computed");
      assertThat(problems)
          .extracting(Problem::fix)
          .contains("Run: ALTER TABLE \"public\".\"stored\" REPLICA IDENTITY DEFAULT;");
    }
  }

  @Test
  void tablesWithoutReplicaIdentityGetFullIfTheSettingIsOn() {
    try (SourceFixture fixture =
        new SourceFixture("CREATE TABLE a (x int)", "CREATE TABLE b (id int PRIMARY KEY)")) {
      assertThat(
              fixture
                  .source
                  .capturedTables()
                  .giveReplicaIdentity(fixture.source.catalog(t -> true)))
          .containsExactly(SourceFixture.table("a"));
      assertThat(fixture.source.checks().problems(all(), table -> true, true)).isEmpty();
    }
  }

  @Test
  void eachMissingRightIsReportedWithItsGrant() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture(
            SourceFixture.server(),
            "weak",
            List.of(
                "CREATE TABLE a (id int PRIMARY KEY)",
                "DO $$ BEGIN CREATE ROLE weak LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"))) {
      List<Problem> problems = fixture.source.checks().problems(all(), table -> true, true);
      assertThat(problems)
          .extracting(Problem::fix)
          .anyMatch(mend -> mend.contains("ALTER ROLE \"weak\" REPLICATION;"))
          .anyMatch(mend -> mend.contains("GRANT CREATE ON DATABASE"))
          .anyMatch(mend -> mend.contains("GRANT SELECT ON \"public\".\"a\" TO \"weak\";"))
          .anyMatch(mend -> mend.contains("ALTER PUBLICATION"));
      fixture.execute("DROP OWNED BY weak");
    }
  }

  @Test
  void sqlAsciiIsRefusedForALoadToo() throws Exception {
    try (Connection connection = SourceFixture.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE DATABASE any_bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
      Endpoint endpoint = SourceFixture.endpoint(SourceFixture.server(), "any_bytes", "postgres");
      for (boolean capture : new boolean[] {false, true}) {
        assertThat(source(endpoint).checks().problems(all(), table -> true, capture))
            .extracting(Problem::found)
            .anyMatch(met -> met.contains("SQL_ASCII"));
      }
    }
  }

  @Test
  void foreignTablesAreReportedForALoadTooSinceTheyAreNotRead() {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE FOREIGN DATA WRAPPER nowhere",
            "CREATE SERVER far FOREIGN DATA WRAPPER nowhere",
            "CREATE FOREIGN TABLE alone (a int) SERVER far",
            "CREATE TABLE parts (a int) PARTITION BY RANGE (a)",
            "CREATE TABLE near_part PARTITION OF parts FOR VALUES FROM (0) TO (10)",
            "CREATE FOREIGN TABLE far_part PARTITION OF parts FOR VALUES FROM (10) TO (20)"
                + " SERVER far")) {
      assertThat(fixture.source.checks().problems(all(), table -> true, false))
          .extracting(problem -> problem.thing() + ": " + problem.fix())
          .containsExactlyInAnyOrder(
              "table public.alone: Exclude it by a selection rule",
              "table public.far_part: Detach it, or exclude public.parts by a selection rule");
    }
  }

  @Test
  void rowLevelSecurityThatMayHideRowsIsReported() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture(
            SourceFixture.server(),
            "viewer",
            List.of(
                "CREATE TABLE guarded (id int PRIMARY KEY)",
                "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY",
                "CREATE TABLE plain (id int PRIMARY KEY)",
                "DO $$ BEGIN CREATE ROLE viewer LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
                "GRANT SELECT ON guarded, plain TO viewer"))) {
      assertThat(fixture.source.checks().problems(all(), table -> true, false))
          .singleElement()
          .satisfies(
              problem -> {
                assertThat(problem.thing()).isEqualTo("table public.guarded");
                assertThat(problem.fix()).contains("ALTER ROLE \"viewer\" BYPASSRLS;");
              });
      fixture.execute("DROP OWNED BY viewer");
    }
  }

  @Test
  void aServerWithoutLogicalReplicationAndAnUnreachableOneAreReported() throws Exception {
    Endpoint away;
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder()
            .setting("wal_level", "replica")
            .setting("max_replication_slots", "1")
            .start()) {
      away = SourceFixture.endpoint(server, "postgres", "postgres");
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "CREATE TABLE a (id int PRIMARY KEY); SELECT pg_create_physical_replication_slot('x')");
      }
      assertThat(source(away).checks().problems(all(), table -> true, true))
          .extracting(Problem::found)
          .containsExactly("wal_level = replica", "all 1 replication slots are taken");
      assertThat(
              source(withDatabase(away, "nowhere")).checks().problems(all(), table -> true, true))
          .extracting(Problem::found)
          .containsExactly("there is no database nowhere");
    }
    assertThat(source(away).checks().problems(all(), table -> true, true))
        .singleElement()
        .satisfies(problem -> assertThat(problem.found()).startsWith("it cannot be reached"));
  }

  @Test
  void aSlotCreationThatTakesTooLongNamesTheOpenTransactionsAndLeavesNoSlot() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)");
        Connection other = fixture.connect();
        Statement open = other.createStatement()) {
      fixture.execute("BEGIN; INSERT INTO a VALUES (2); PREPARE TRANSACTION 'two'");
      open.execute("BEGIN; INSERT INTO a VALUES (1)");
      assertThatThrownBy(() -> fixture.source.retention().create(Duration.ofSeconds(1)))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("waited 1 s")
          .hasMessageContaining("prepared transaction 'two' of postgres")
          .hasMessageContaining("process ");
      // The server tells of the end before it has removed what it had begun.
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> fixture.source.retention().state().isEmpty());
      open.execute("ROLLBACK");
      fixture.execute("ROLLBACK PREPARED 'two'");
    }
  }

  @Test
  void theSnapshotOfASlotHasAllChangesBeforeItAndTheSlotAllAfterIt() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)")) {
      fixture.execute("INSERT INTO a VALUES (1)");
      try (ExportedSnapshot snapshot = fixture.prepare();
          Connection reading = fixture.source.server().open();
          Statement statement = reading.createStatement()) {
        fixture.execute("INSERT INTO a VALUES (2)");
        statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        statement.execute("SET TRANSACTION SNAPSHOT '" + snapshot.name() + "'");
        try (var rows = statement.executeQuery("SELECT count(*), max(id) FROM public.a")) {
          rows.next();
          assertThat(rows.getInt(1)).isEqualTo(1);
          assertThat(rows.getInt(2)).isEqualTo(1);
        }
        assertThat(fixture.source.retention().state().orElseThrow().confirmed())
            .isEqualTo(snapshot.position());
      }
    }
  }

  @Test
  void theCatalogHasKeysGeneratedColumnsAndLeaves() {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE a (id int GENERATED ALWAYS AS IDENTITY, n numeric(10,2) NOT NULL,"
                + " twice numeric GENERATED ALWAYS AS (n * 2) STORED, gone int,"
                + " PRIMARY KEY (id) INCLUDE (n))",
            "ALTER TABLE a DROP COLUMN gone",
            "CREATE TABLE p (id int, h text) PARTITION BY HASH (id)",
            "CREATE TABLE p0 PARTITION OF p FOR VALUES WITH (MODULUS 2, REMAINDER 0)")) {
      SourceCatalog catalog = fixture.source.catalog(table -> true);
      CatalogTable a = catalog.table(SourceFixture.table("a")).orElseThrow();
      assertThat(a.columns())
          .usingRecursiveFieldByFieldElementComparatorIgnoringFields("origin")
          .containsExactly(
              new CatalogColumn("id", "integer", false, true, false, true),
              new CatalogColumn("n", "numeric(10,2)", false, false, false, false),
              new CatalogColumn("twice", "numeric", true, false, true, false));
      assertThat(a.oldRow()).isEqualTo(OldRow.PRIMARY_KEY);
      assertThat(catalog.tables()).extracting(CatalogTable::table).hasSize(2);
      CatalogTable leaf = catalog.leavesOf(SourceFixture.table("p")).get(0);
      assertThat(leaf.table()).isEqualTo(SourceFixture.table("p0"));
      assertThat(leaf.partitionCondition())
          .isEqualTo("satisfies_hash_partition('public.p'::regclass, 2, 0, id)");
    }
  }

  @Test
  void aPublicationIncludesLaterTablesAndTheOldSlotIsFreed() {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)")) {
      fixture.capturing();
      fixture.execute("CREATE TABLE b (id int PRIMARY KEY)");
      fixture
          .source
          .capturedTables()
          .include(List.of(SourceFixture.table("a"), SourceFixture.table("b")));
      assertThat(fixture.source.checks().problems(all(), table -> true, true)).isEmpty();
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> fixture.source.retention().state().orElseThrow().activePid().isPresent());
      fixture.source.retention().release();
      assertThat(fixture.source.retention().state().orElseThrow().activePid()).isEmpty();
      fixture.source.capturedTables().drop();
      fixture.source.retention().drop();
      fixture.source.retention().drop();
      assertThat(fixture.source.retention().state()).isEmpty();
    }
  }

  private static TableMappings all() {
    return mappings("%");
  }

  /** The first by pattern, the others by name. */
  private static TableMappings mappings(String pattern, String... names) {
    String[] rules = new String[names.length + 1];
    rules[0] = rule(1, pattern, "include");
    for (int i = 0; i < names.length; i++) {
      rules[i + 1] = rule(i + 2, names[i], "explicit");
    }
    return mappingsOf(rules);
  }

  private static TableMappings mappingsOf(String... rules) {
    return TableMappings.parse(
        "test", "{\"rules\": [" + String.join(", ", rules) + "]}", Optional.empty());
  }

  private static String rule(int id, String table, String action) {
    return """
        {"rule-type": "selection", "rule-id": "%d", "rule-name": "r%d", "rule-action": "%s",
         "object-locator": {"schema-name": "public", "table-name": "%s"}}
        """
        .formatted(id, id, action, table);
  }

  private static PostgresSource source(Endpoint endpoint) {
    return new PostgresSource(
        "x", new PostgresConfig(endpoint, "sluice_x", "sluice_x", false, false));
  }

  private static Endpoint withDatabase(Endpoint endpoint, String database) {
    return new Endpoint(
        endpoint.host(), endpoint.port(), database, "postgres", Secret.of("x"), Map.of());
  }
}
