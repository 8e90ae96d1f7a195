package dev.sluice.connector.postgres.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.postgres.SourceFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DefinitionTriggerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Test
  void newTablesAreReplicatedByTheSelectionRules() throws Exception {
    TableMappings mappings =
        TableMappings.parse(
            "rules",
            """
            {"rules": [
              {"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "include",
               "object-locator": {"schema-name": "public", "table-name": "[ab]%"}},
              {"rule-type": "selection", "rule-id": "2", "rule-name": "2", "rule-action": "include",
               "object-locator": {"schema-name": "a.b", "table-name": "%"}},
              {"rule-type": "selection", "rule-id": "3", "rule-name": "3", "rule-action": "exclude",
               "object-locator": {"schema-name": "%", "table-name": "a[_]x_"}}]}
            """,
            Optional.empty());
    try (SourceFixture fixture = new SourceFixture("CREATE SCHEMA \"a.b\"; CREATE SCHEMA axb")) {
      fixture.execute("CREATE PUBLICATION sluice_" + fixture.task);
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThat(trigger.install()).isEmpty();
      trigger.register("sluice_" + fixture.task, false, mappings.selectionPatterns(), List.of());
      List<TableId> made =
          List.of(
              new TableId("public", "a%"),
              new TableId("public", "b\n\"c"),
              new TableId("public", "c"),
              new TableId("public", "A"),
              new TableId("public", "a_x1"),
              new TableId("public", "a1x1"),
              new TableId("a.b", "😀"),
              new TableId("axb", "t"));
      for (TableId table : made) {
        fixture.execute("CREATE TABLE " + table.quoted() + " (id int PRIMARY KEY)");
      }
      assertThat(trigger.followed().orElseThrow())
          .containsExactlyInAnyOrderElementsOf(made.stream().filter(mappings::selects).toList())
          .hasSize(4);
      assertThat(trigger.followed().orElseThrow()).isEqualTo(published(fixture));
      trigger.remove();
      assertThat(trigger.isInstalled()).isFalse();
    }
  }

  @Test
  void aStartingTaskKeepsItsTablesPublishableAndReplicatesNoNewOnes() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE one (id int PRIMARY KEY)", "CREATE TABLE other (id int PRIMARY KEY)")) {
      String publication = "sluice_" + fixture.task;
      fixture.execute("CREATE PUBLICATION %s FOR TABLE one".formatted(publication));
      List<SelectionPattern> all =
          List.of(new SelectionPattern(SelectionPattern.Says.INCLUDED, ".*", ".*"));
      TableId one = SourceFixture.table("one");
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThat(trigger.install()).isEmpty();
      trigger.begin(publication, false, all, List.of(one, SourceFixture.table("other")));
      trigger.begin(publication, false, all, List.of(one));
      fixture.execute(
          "CREATE TABLE made (id int PRIMARY KEY)",
          "ALTER TABLE other ADD COLUMN a int",
          "ALTER TABLE one DROP CONSTRAINT one_pkey",
          "INSERT INTO one VALUES (1)",
          "UPDATE one SET id = 2");
      assertThat(trigger.followed().orElseThrow()).containsExactly(one);
      assertThat(published(fixture)).containsExactly(one);

      trigger.register(publication, false, all, List.of(one));
      fixture.execute("CREATE TABLE late (id int PRIMARY KEY)");
      trigger.takeNoNew();
      fixture.execute("CREATE TABLE later (id int PRIMARY KEY)");
      assertThat(trigger.followed().orElseThrow())
          .containsExactlyInAnyOrder(one, SourceFixture.table("late"));
      trigger.remove();
    }
  }

  @Test
  void theTriggersAreRemovedWithTheLastTask() {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger one =
          new DefinitionTrigger(fixture.source.server(), "one", "1", "one", Optional.empty());
      DefinitionTrigger other =
          new DefinitionTrigger(fixture.source.server(), "other", "2", "other", Optional.empty());
      assertThat(one.install()).isEmpty();
      assertThat(other.install()).isEmpty();
      one.register("p", false, List.of(), List.of());
      other.register("p", false, List.of(), List.of());
      one.remove();
      assertThat(other.isInstalled()).isTrue();
      assertThat(one.followed()).isEmpty();
      assertThat(other.followed()).contains(Set.of());
      other.remove();
      other.remove();
      assertThat(other.isInstalled()).isFalse();
    }
  }

  @Test
  void aKeyThatIsNotInTheLogIsNotUsed() throws Exception {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger trigger = following(fixture, true);
      fixture.execute(
          "CREATE TABLE late (id int PRIMARY KEY DEFERRABLE)",
          "ALTER TABLE late ADD COLUMN a int",
          "ALTER TABLE late ADD COLUMN b int",
          "CREATE TABLE computed (a int, n int GENERATED ALWAYS AS (a + 1) STORED PRIMARY KEY)",
          "CREATE TABLE fit (id int PRIMARY KEY, n int GENERATED ALWAYS AS (id + 1) STORED)",
          "INSERT INTO late VALUES (1), (2)",
          "BEGIN; SET CONSTRAINTS ALL DEFERRED; UPDATE late SET id = 3 - id; COMMIT",
          "DELETE FROM late",
          "INSERT INTO computed VALUES (1)",
          "UPDATE computed SET a = 2",
          "DELETE FROM computed");
      assertThat(known(fixture, "late", "journalKey")).isNull();
      assertThat(known(fixture, "late", "wholeRows")).isEqualTo("true");
      assertThat(known(fixture, "computed", "journalKey")).isNull();
      assertThat(known(fixture, "fit", "journalKey")).isEqualTo("[1]");
      assertThat(trigger.followed().orElseThrow())
          .contains(SourceFixture.table("late"), SourceFixture.table("fit"));
      trigger.remove();
    }
  }

  @Test
  void theConditionOfANestedHashPartitionNamesAllItsAncestors() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE SCHEMA \"S\"")) {
      DefinitionTrigger trigger = following(fixture, false);
      fixture.execute(
          "CREATE TABLE r (a int, b int, PRIMARY KEY (a, b)) PARTITION BY HASH (a)",
          "CREATE TABLE \"S\".m PARTITION OF r FOR VALUES WITH (MODULUS 2, REMAINDER 0)"
              + " PARTITION BY HASH (b)",
          "CREATE TABLE m1 PARTITION OF r FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
          "CREATE TABLE leaf PARTITION OF \"S\".m FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
          "CREATE TABLE rest PARTITION OF \"S\".m FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
          "INSERT INTO r SELECT i, i FROM generate_series(1, 40) i");
      String known =
          text(
              fixture,
              "SELECT definition #>> '{partition,condition}'"
                  + " FROM sluice_ddl.known WHERE definition ->> 'name' = 'leaf'");
      String catalog =
          fixture
              .source
              .catalog(table -> true)
              .table(SourceFixture.table("leaf"))
              .orElseThrow()
              .partitionCondition();
      assertThat(known).contains("public.r", "\"S\".m").doesNotContain("::oid");
      assertThat(catalog).isEqualTo(known);
      assertThat(text(fixture, "SELECT count(*) FROM r WHERE " + known))
          .isEqualTo(text(fixture, "SELECT count(*) FROM leaf"))
          .isNotEqualTo("0");
      trigger.remove();
    }
  }

  @Test
  void aReportIsReadWhenItsTransactionIsVisible() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection other = fixture.connect()) {
      DefinitionTrigger trigger = following(fixture, false);
      fixture.execute("BEGIN", "CREATE TYPE mood AS ENUM ('sad')");
      String message =
          text(
              fixture,
              """
              SELECT jsonb_build_object('format', 2, 'command', 'CREATE TABLE',
                'transaction', pg_current_xact_id()::text, 'changes', jsonb_build_array(
                  jsonb_build_object('tasks', jsonb_build_object('%s', 'begins'), 'after',
                    jsonb_build_object('schema', 'public', 'name', 't', 'columns',
                      jsonb_build_array(jsonb_build_object('number', 1, 'name', 'a', 'type',
                        'mood', 'typeNumber', 'mood'::regtype::oid::int8, 'modifier', -1))))))
              """
                  .formatted(fixture.task));
      int report =
          Integer.parseInt(text(fixture, "SELECT 'sluice_ddl.report'::regclass::oid::int8"));
      DefinitionReports messages = new DefinitionReports(fixture.source.server(), fixture.task);
      CompletableFuture<Optional<Definition>> read =
          CompletableFuture.supplyAsync(() -> messages.read(report, message));
      await().atMost(PATIENCE).until(() -> read.isDone() || isAsked(other));
      assertThat(read).isNotDone();
      fixture.execute("COMMIT");
      assertThat(read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow().toString())
          .contains("sad");
      trigger.remove();
    }
  }

  private static boolean isAsked(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query LIKE '%pg_xact_status%' AND pid <> pg_backend_pid()")) {
      return row.next();
    }
  }

  @Test
  void theTriggersWaitForALockOnceAndRestoreTheApplicationsTimeout() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection other = fixture.connect();
        Statement holding = other.createStatement()) {
      DefinitionTrigger trigger = following(fixture, false);
      other.setAutoCommit(false);
      holding.execute("ALTER PUBLICATION sluice_" + fixture.task + " SET (publish = 'insert')");
      fixture.execute(
          // Waits of two seconds: one is far shorter than the limit, one for each table longer.
          "SET deadlock_timeout = '4s'",
          "SET statement_timeout = '50s'",
          "SET lock_timeout = '77s'",
          "CREATE SCHEMA s"
              + IntStream.range(0, 30)
                  .mapToObj(i -> " CREATE TABLE t" + i + " (id int PRIMARY KEY)")
                  .collect(Collectors.joining()));
      assertThat(text(fixture, "SHOW lock_timeout")).isEqualTo("77s");
      other.rollback();
      trigger.remove();
    }
  }

  @Test
  void aTableThatLosesTheIndexOfItsReplicaIdentityGetsAnotherIdentity() throws Exception {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger trigger = following(fixture, true);
      fixture.execute(
          "CREATE TABLE t (a int NOT NULL)",
          "CREATE UNIQUE INDEX found ON t (a)",
          "ALTER TABLE t REPLICA IDENTITY USING INDEX found",
          "INSERT INTO t VALUES (1)",
          // Another number, of which no event trigger is told.
          "REINDEX INDEX CONCURRENTLY found",
          "DROP INDEX found",
          "UPDATE t SET a = 2",
          "DELETE FROM t");
      assertThat(known(fixture, "t", "journalKey")).isNull();
      assertThat(known(fixture, "t", "wholeRows")).isEqualTo("true");
      trigger.remove();
    }
  }

  @Test
  void theCostOfAStatementDependsOnItsTablesAndNotOnTheCatalog() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE t (id int PRIMARY KEY, a text, b text, c text)",
            "CREATE INDEX found ON t (a)",
            "CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY HASH (id)",
            "CREATE TABLE part PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
            "CREATE SCHEMA many",
            "DO $$ BEGIN FOR i IN 1..500 LOOP"
                + " EXECUTE format('CREATE TABLE many.t%s (LIKE pg_class)', i);"
                + " END LOOP; END $$")) {
      DefinitionTrigger trigger = following(fixture, true);
      fixture.execute(
          "CREATE FUNCTION does(statement text) RETURNS void LANGUAGE plpgsql"
              + " AS 'BEGIN EXECUTE statement; END'",
          "ANALYZE");
      for (String statement :
          List.of(
              "ALTER TABLE t ADD COLUMN d int DEFAULT 7",
              "ALTER TABLE t DROP COLUMN c",
              "ALTER TABLE parted ADD COLUMN d int DEFAULT 7",
              "ALTER TABLE parted DETACH PARTITION part",
              "CREATE TABLE made (id int PRIMARY KEY)",
              "DROP INDEX found",
              "DROP TABLE t")) {
        // In a session that has read its part of the catalog before.
        pagesRead(fixture, statement);
        assertThat(pagesRead(fixture, statement)).as(statement).isLessThan(900);
      }
      trigger.remove();
    }
  }

  @Test
  void aStatementReadsNoMoreWhenThereAreMoreTables() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE TABLE t (id int PRIMARY KEY, a text DEFAULT 'x', b serial)",
            "CREATE INDEX found ON t (a)",
            "CREATE TABLE parted (id int PRIMARY KEY, a text DEFAULT 'x') PARTITION BY RANGE (id)",
            "CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (9)",
            "CREATE FUNCTION does(statement text) RETURNS void LANGUAGE plpgsql"
                + " AS 'BEGIN EXECUTE statement; END'")) {
      DefinitionTrigger trigger = following(fixture, true);
      List<String> statements =
          List.of(
              "ALTER TABLE t ADD COLUMN d int DEFAULT 7",
              "ALTER TABLE t DROP COLUMN a",
              "ALTER TABLE parted ADD COLUMN d int DEFAULT 7",
              "CREATE TABLE made (id int PRIMARY KEY, a text DEFAULT 'x')",
              "CREATE TABLE other PARTITION OF parted FOR VALUES FROM (10) TO (19)",
              "DROP INDEX found",
              "DROP TABLE part",
              "DROP TABLE t");
      Map<String, Integer> before = new HashMap<>();
      for (String statement : statements) {
        // In a session that has read its part of the catalog and made its plans.
        pagesRead(fixture, statement);
        before.put(statement, pagesRead(fixture, statement));
      }
      fixture.execute(
          "CREATE TABLE wide (id int PRIMARY KEY, a text DEFAULT 'x') PARTITION BY RANGE (id)",
          "DO $$ BEGIN FOR i IN 1..300 LOOP"
              + " EXECUTE format('CREATE TABLE t%s (id serial PRIMARY KEY, a text DEFAULT ''x'')', i);"
              + " EXECUTE format('CREATE TABLE p%s PARTITION OF wide FOR VALUES FROM (%s) TO (%s)',"
              + " i, i, i + 1);"
              + " END LOOP; END $$");
      for (boolean isFresh : List.of(false, true)) {
        if (isFresh) {
          // The plans are made again, now with more tables.
          fixture.execute("DISCARD PLANS");
        }
        for (String statement : statements) {
          pagesRead(fixture, statement);
          assertThat(pagesRead(fixture, statement))
              .as(statement)
              // The indexes of the catalogs are a level higher.
              .isLessThan(before.get(statement) * 3 / 2);
        }
      }
      trigger.remove();
    }
  }

  /** How many pages a statement and the triggers read; it is undone. */
  private static int pagesRead(SourceFixture fixture, String statement) throws Exception {
    fixture.execute("BEGIN");
    String plan =
        text(
            fixture,
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT does('%s')"
                .formatted(statement.replace("'", "''")));
    fixture.execute("ROLLBACK");
    JsonNode top = new ObjectMapper().readTree(plan).get(0).get("Plan");
    return top.get("Shared Hit Blocks").asInt() + top.get("Shared Read Blocks").asInt();
  }

  @Test
  void temporaryTablesAreLeftAlone() throws Exception {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger trigger = following(fixture, true);
      fixture.execute(
          "SET track_functions = 'all'",
          "BEGIN",
          "CREATE TEMPORARY TABLE passing (id serial PRIMARY KEY, v text)",
          "CREATE TEMPORARY TABLE copied AS SELECT * FROM passing",
          "ALTER TABLE passing ADD COLUMN w text",
          "ALTER TABLE passing DROP COLUMN v",
          "DROP TABLE passing, copied");
      assertThat(called(fixture)).containsExactly("on_command_end", "on_drop");
      // One of them is none of these.
      fixture.execute("CREATE TABLE lasting (id int PRIMARY KEY)");
      assertThat(called(fixture)).contains("report");
      fixture.execute("COMMIT");
      trigger.remove();
    }
  }

  private static List<String> called(SourceFixture fixture) throws Exception {
    return List.of(
        text(
                fixture,
                "SELECT string_agg(funcname, ',' ORDER BY funcname) FROM pg_stat_xact_user_functions"
                    + " WHERE schemaname = 'sluice_ddl'")
            .split(","));
  }

  @Test
  void noTriggersAreInstalledIfAnotherSubscriberWouldReceiveTheirTables() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE t (id int PRIMARY KEY)")) {
      String slot = "others_" + fixture.task;
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      fixture.execute(
          "CREATE PUBLICATION sluice_" + fixture.task + " FOR ALL TABLES",
          "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
      assertThat(trigger.hindrance()).as("the task's own publication").isEmpty();
      fixture.execute(
          "CREATE SCHEMA sluice_ddl", "CREATE PUBLICATION ahead FOR TABLES IN SCHEMA sluice_ddl");
      assertThat(trigger.hindrance().orElseThrow())
          .contains("publication ahead is FOR TABLES IN SCHEMA sluice_ddl", slot);
      fixture.execute("DROP SCHEMA sluice_ddl", "DROP PUBLICATION ahead");
      fixture.execute("CREATE PUBLICATION everything FOR ALL TABLES");
      try {
        assertThat(trigger.hindrance()).isEqualTo(trigger.install());
        assertThat(trigger.install().orElseThrow())
            .contains("publication everything", slot, "source.triggers-beside-subscriptions");
        assertThat(text(fixture, "SELECT to_regnamespace('sluice_ddl') IS NULL")).isEqualTo("t");
        DefinitionTrigger agreed =
            new DefinitionTrigger(
                fixture.source.server(),
                fixture.task,
                TaskMark.ofName(fixture.task).id().toString(),
                "sluice_" + fixture.task,
                Optional.empty());
        assertThat(agreed.install()).isEmpty();
        assertThat(trigger.install()).as("they are there already").isEmpty();
        agreed.remove();
      } finally {
        fixture.execute("SELECT pg_drop_replication_slot('" + slot + "')");
      }
      assertThat(trigger.install()).as("nobody reads").isEmpty();
      trigger.remove();
    }
  }

  @Test
  void anOrdinaryRoleMayDumpTheTriggersTablesButNotCallTheirFunctions() throws Exception {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger trigger = following(fixture, false);
      String role = "dumper_" + fixture.task;
      fixture.execute("CREATE ROLE " + role, "SET ROLE " + role);
      try {
        // As pg_dump does.
        fixture.execute("BEGIN");
        String tables =
            text(
                fixture,
                "SELECT string_agg(oid::regclass::text, ', ') FROM pg_class"
                    + " WHERE relnamespace = 'sluice_ddl'::regnamespace AND relkind = 'r'");
        fixture.execute("LOCK TABLE " + tables + " IN ACCESS SHARE MODE");
        for (String table : tables.split(", ")) {
          fixture.execute("SELECT * FROM ONLY " + table);
        }
        fixture.execute("COMMIT");
        // Who may write to all tables may set all sequences, and no trigger keeps him from it.
        assertThat(
                text(
                    fixture,
                    "SELECT count(*) FROM pg_class WHERE relnamespace = 'sluice_ddl'::regnamespace"
                        + " AND relkind = 'S'"))
            .isEqualTo("0");
        assertThat(
                text(
                    fixture,
                    "SELECT count(*) FROM pg_proc WHERE pronamespace = 'sluice_ddl'::regnamespace"
                        + " AND has_function_privilege(oid, 'EXECUTE')"))
            .isEqualTo("0");
        assertThat(
                text(
                    fixture,
                    "SELECT count(*) FROM pg_class WHERE relnamespace = 'sluice_ddl'::regnamespace"
                        + " AND relkind = 'r' AND has_table_privilege(oid,"
                        + " 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"))
            .isEqualTo("0");
      } finally {
        fixture.execute("ROLLBACK", "RESET ROLE");
        trigger.remove();
        fixture.execute("DROP ROLE " + role);
      }
    }
  }

  @Test
  void triggersRestoredFromADumpDoNothingUntilTheyAreInstalled() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE t (id int PRIMARY KEY)")) {
      DefinitionTrigger trigger = following(fixture, true);
      // In the other database the same tables have other numbers.
      fixture.execute(
          "UPDATE sluice_ddl.home SET known = known::int8 + 1", "CREATE TABLE made (a int)");
      assertThat(published(fixture)).isEmpty();
      assertThat(text(fixture, "SELECT relreplident FROM pg_class WHERE relname = 'made'"))
          .isEqualTo("d");
      assertThat(
              text(
                  fixture,
                  "SELECT count(*) FROM sluice_ddl.known WHERE definition ->> 'name' = 'made'"))
          .isEqualTo("0");
      fixture.execute("DROP TABLE t");
      assertThat(trigger.install()).isEmpty();
      assertThat(trigger.followed()).as("the other database's task").isEmpty();
      assertThat(known(fixture, "made", "identity")).isEqualTo("d");
      trigger.remove();
    }
  }

  @Test
  void tablesWhoseOldRowsAreNeededGetAndKeepReplicaIdentityFull() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE old (id int PRIMARY KEY)")) {
      fixture.execute("CREATE PUBLICATION sluice_%1$s FOR TABLE old".formatted(fixture.task));
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThat(trigger.install()).isEmpty();
      List<SelectionPattern> selection =
          List.of(
              new SelectionPattern(SelectionPattern.Says.INCLUDED, ".*", ".*"),
              new SelectionPattern(SelectionPattern.Says.WHOLE_ROWS, "^public$", "^(old|new.*)$"));
      trigger.register(
          "sluice_" + fixture.task, true, selection, List.of(SourceFixture.table("old")));
      fixture.execute(
          "ALTER TABLE old REPLICA IDENTITY DEFAULT",
          "CREATE TABLE new_one (id int PRIMARY KEY)",
          "CREATE TABLE new_parts (id int PRIMARY KEY) PARTITION BY RANGE (id)",
          "CREATE TABLE leaf PARTITION OF new_parts DEFAULT",
          "CREATE TABLE other (id int PRIMARY KEY)",
          "CREATE TABLE named (id int PRIMARY KEY)",
          "ALTER TABLE named RENAME TO new_name");
      assertThat(
              text(
                  fixture,
                  "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class"
                      + " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
                      + " AND relreplident = 'f'"))
          .isEqualTo("leaf new_name new_one old");
      assertThat(known(fixture, "new_one", "wholeRows")).isEqualTo("true");

      trigger.register(
          "sluice_" + fixture.task, false, selection, List.of(SourceFixture.table("old")));
      fixture.execute("CREATE TABLE new_two (id int PRIMARY KEY)");
      assertThat(trigger.followed().orElseThrow())
          .doesNotContain(SourceFixture.table("new_two"))
          .contains(SourceFixture.table("other"));
      trigger.remove();
    }
  }

  @Test
  void oldDefinitionsAreDeletedWhenNoSlotNeedsThem() throws Exception {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger trigger = following(fixture, false);
      fixture.source.retention().create(PATIENCE).close();
      fixture.execute(
          "CREATE TABLE gone (id int PRIMARY KEY)",
          "ALTER TABLE gone ADD COLUMN a int",
          "DROP TABLE gone",
          "CREATE TABLE kept (id int PRIMARY KEY)",
          "ALTER TABLE kept ADD COLUMN a int");
      String entries = "SELECT count(*) FROM sluice_ddl.known";
      String followed = "SELECT count(*) FROM sluice_ddl.followed";
      trigger.forget();
      assertThat(text(fixture, entries)).isEqualTo("5");
      assertThat(text(fixture, followed)).isEqualTo("2");
      fixture.source.retention().drop();
      // As many as are asked for, the oldest first.
      assertThat(text(fixture, "SELECT sluice_ddl.forget(1)")).isEqualTo("1");
      assertThat(text(fixture, entries)).isEqualTo("4");
      trigger.forget();
      assertThat(text(fixture, entries)).isEqualTo("1");
      assertThat(text(fixture, followed)).isEqualTo("1");
      assertThat(known(fixture, "kept", "columns")).contains("\"a\"");
      trigger.remove();
    }
  }

  @Test
  void anEarlierReleasesListOfReplicatedTablesIsMigrated() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE t (id int PRIMARY KEY)")) {
      DefinitionTrigger trigger = following(fixture, false);
      fixture.execute(
          "ALTER TABLE sluice_ddl.followed DROP COLUMN since CASCADE, DROP COLUMN until,"
              + " ADD CONSTRAINT followed_pkey PRIMARY KEY (task, relation)",
          "INSERT INTO sluice_ddl.followed VALUES ('" + fixture.task + "', 't'::regclass)",
          "COMMENT ON SCHEMA sluice_ddl IS 'another release'");
      assertThat(trigger.install()).isEmpty();
      assertThat(trigger.followed()).contains(Set.of(SourceFixture.table("t")));
      fixture.execute("ALTER TABLE t RENAME TO u", "DROP TABLE u");
      trigger.remove();
    }
  }

  @Test
  void theLastTaskIsRemovedWithoutBlockingAnApplicationThatAltersTables() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection application = fixture.source.server().open()) {
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThat(trigger.install()).isEmpty();
      trigger.register("sluice_" + fixture.task, false, List.of(), List.of());
      application.setAutoCommit(false);
      try (Statement statement = application.createStatement()) {
        statement.execute("CREATE TABLE public.open_for_long (id int PRIMARY KEY)");
        CompletableFuture<Void> removal = CompletableFuture.runAsync(trigger::remove);
        await().atMost(PATIENCE).until(() -> !trigger.isInstalled());
        fixture.execute("CREATE TABLE other (id int PRIMARY KEY)");
        statement.execute("ALTER TABLE public.open_for_long ADD COLUMN note text");
        assertThat(removal).isNotDone();
        application.commit();
        removal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        try (ResultSet there =
            statement.executeQuery("SELECT to_regnamespace('sluice_ddl') IS NULL")) {
          there.next();
          assertThat(there.getBoolean(1)).isTrue();
        }
      }
    }
  }

  @Test
  void anApplicationsStatementSucceedsEvenIfTheFailureCannotBeReported() throws Exception {
    try (SourceFixture fixture = new SourceFixture()) {
      assertThat(fixture.source.definitionTrigger().install()).isEmpty();
      fixture.execute(
          "ALTER FUNCTION sluice_ddl.report RENAME TO away",
          "ALTER FUNCTION sluice_ddl.failed RENAME TO away_as_well",
          "CREATE TABLE made (id int PRIMARY KEY)",
          "DROP TABLE made");
    }
  }

  @Test
  void aRoleWithoutRightsCannotPreventInstallationOrRemoval() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection other = fixture.connect();
        Statement holding = other.createStatement()) {
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      holding.execute("SELECT pg_advisory_lock(hashtext('sluice_ddl'))");
      assertThat(trigger.install()).isEmpty();
      // What everybody may lock, as pg_dump does.
      holding.execute("BEGIN; LOCK TABLE sluice_ddl.task IN ACCESS SHARE MODE");
      fixture.execute("COMMENT ON SCHEMA sluice_ddl IS 'another release'");
      assertThat(trigger.install()).isEmpty();
      trigger.register("sluice_" + fixture.task, false, List.of(), List.of());
      CompletableFuture<Boolean> removal = CompletableFuture.supplyAsync(trigger::remove);
      await().atMost(PATIENCE).until(() -> !trigger.isInstalled());
      holding.execute("ROLLBACK");
      assertThat(removal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(text(fixture, "SELECT to_regnamespace('sluice_ddl') IS NULL")).isEqualTo("t");
    }
  }

  @Test
  void definitionsStayCorrectWhenARelatedTableIsAltered() throws Exception {
    try (SourceFixture fixture =
        new SourceFixture(
            "CREATE SCHEMA old",
            "CREATE SEQUENCE old.numbers",
            "CREATE TYPE old.mood AS ENUM ('a')",
            "CREATE TABLE counted (id int PRIMARY KEY DEFAULT nextval('old.numbers'), m old.mood)",
            "CREATE TABLE old.root (a int, b int, PRIMARY KEY (a, b)) PARTITION BY LIST (a)",
            "CREATE TABLE mid PARTITION OF old.root FOR VALUES IN (1) PARTITION BY HASH (b)",
            "CREATE TABLE leaf PARTITION OF mid FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
            "CREATE TABLE two PARTITION OF old.root FOR VALUES IN (2)",
            "CREATE TABLE three PARTITION OF old.root FOR VALUES IN (3)",
            "CREATE TABLE rest PARTITION OF old.root DEFAULT PARTITION BY HASH (b)",
            "CREATE TABLE rest_leaf PARTITION OF rest FOR VALUES WITH (MODULUS 1, REMAINDER 0)")) {
      DefinitionTrigger trigger = following(fixture, true);
      for (String statement :
          List.of(
              "ALTER SCHEMA old RENAME TO renamed",
              "DROP TABLE two",
              "ALTER TABLE renamed.root DETACH PARTITION three",
              "ALTER TABLE renamed.root DETACH PARTITION mid",
              "ALTER TABLE renamed.root ATTACH PARTITION mid FOR VALUES IN (7)",
              "ALTER TABLE rest RENAME TO others",
              "ALTER TABLE renamed.root RENAME b TO c",
              "ALTER TABLE renamed.root ADD COLUMN d text DEFAULT 'x'",
              "DROP TABLE renamed.root")) {
        fixture.execute(statement);
        assertThat(stale(fixture)).as(statement).isNull();
      }
      trigger.remove();
    }
  }

  @Test
  void aPartitionIsDescribedWhileAnotherSessionAltersItsParent() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE root (id int, v text) PARTITION BY LIST (id)",
                "CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1)");
        Connection other = fixture.connect();
        Statement altering = other.createStatement()) {
      DefinitionTrigger trigger = following(fixture, true);
      other.setAutoCommit(false);
      altering.execute("CREATE TABLE another PARTITION OF root FOR VALUES IN (2)");
      fixture.execute("ALTER TABLE leaf ALTER COLUMN v SET DEFAULT 'x'");
      other.commit();
      assertThat(
              text(
                  fixture,
                  "SELECT definition #>> '{columns,1,default}' FROM sluice_ddl.known"
                      + " WHERE relation = 'leaf'::regclass ORDER BY entry DESC LIMIT 1"))
          .isEqualTo("'x'::text");
      assertThat(stale(fixture)).isNull();
      trigger.remove();
    }
  }

  /** The tables that are others than what is known of them. */
  private static String stale(SourceFixture fixture) throws Exception {
    fixture.execute("SET search_path = pg_catalog, pg_temp");
    try {
      return text(
          fixture,
          """
          SELECT string_agg(newest.relation::regclass::text, ', ') FROM (
            SELECT DISTINCT ON (relation) relation, definition FROM sluice_ddl.known
            ORDER BY relation, entry DESC) newest
          WHERE newest.definition
            IS DISTINCT FROM (sluice_ddl.definitions(ARRAY[newest.relation], false))[1]
          """);
    } finally {
      fixture.execute("RESET search_path");
    }
  }

  @Test
  void aTransactionWithAnOldSnapshotDoesNotDescribeATable() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE t (id int PRIMARY KEY, a text)");
        Connection other = fixture.connect();
        Statement older = other.createStatement()) {
      DefinitionTrigger trigger = following(fixture, false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      other.setAutoCommit(false);
      older.execute("SELECT 1");
      fixture.execute("ALTER TABLE t RENAME COLUMN id TO number");
      older.execute("ALTER TABLE public.t ADD COLUMN b int");
      other.commit();
      assertThat(known(fixture, "t", "columns")).contains("\"number\"").doesNotContain("\"id\"");
      // The next one says all.
      fixture.execute("ALTER TABLE t ADD COLUMN c int");
      assertThat(known(fixture, "t", "columns")).contains("\"number\"", "\"b\"", "\"c\"");
      trigger.remove();
    }
  }

  @Test
  void anotherReleaseIsInstalledWhileAnApplicationAltersTables() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection application = fixture.source.server().open()) {
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThat(trigger.install()).isEmpty();
      fixture.execute("COMMENT ON SCHEMA sluice_ddl IS 'another release'");
      application.setAutoCommit(false);
      try (Statement statement = application.createStatement()) {
        statement.execute("CREATE TABLE public.open_for_long (id int PRIMARY KEY)");
        CompletableFuture<Optional<String>> missing =
            CompletableFuture.supplyAsync(trigger::install);
        assertThat(missing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
      }
    }
  }

  /** A task that follows all tables that are made from here on. */
  private static DefinitionTrigger following(SourceFixture fixture, boolean givesIdentity) {
    fixture.execute("CREATE PUBLICATION sluice_" + fixture.task);
    DefinitionTrigger trigger = fixture.source.definitionTrigger();
    assertThat(trigger.install()).isEmpty();
    trigger.register(
        "sluice_" + fixture.task,
        givesIdentity,
        List.of(new SelectionPattern(SelectionPattern.Says.INCLUDED, ".*", ".*")),
        List.of());
    return trigger;
  }

  private static String known(SourceFixture fixture, String table, String field) throws Exception {
    return text(
        fixture,
        "SELECT definition ->> '%s' FROM sluice_ddl.known WHERE definition ->> 'name' = '%s' ORDER BY entry DESC"
            .formatted(field, table));
  }

  private static String text(SourceFixture fixture, String query) throws Exception {
    try (Statement statement = fixture.connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }

  private static Set<TableId> published(SourceFixture fixture) throws Exception {
    try (Statement statement = fixture.connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT schemaname, tablename FROM pg_publication_tables"
                    + " WHERE pubname <> 'sluice_ddl'")) {
      Set<TableId> tables = new TreeSet<>();
      while (rows.next()) {
        tables.add(new TableId(rows.getString(1), rows.getString(2)));
      }
      return tables;
    }
  }
}
