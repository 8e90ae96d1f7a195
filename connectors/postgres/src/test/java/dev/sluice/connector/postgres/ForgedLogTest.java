package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What roles of the source can put into its log, and what is believed of it. */
class ForgedLogTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final DataSize LARGEST_VALUE = DataSize.ofMebibytes(1);

  private static final String FORGED =
      """
      {"format": 2, "command": "DROP TABLE", "plainCasts": true, "changes": [
        {"before": {"relation": 1, "schema": "public", "name": "a", "columns": [],
                    "root": {"relation": 1, "schema": "public", "name": "a"}},
         "after": null, "rewritten": false, "tasks": {"%s": "follows"}}]}
      """;

  @Test
  void whateverARoleWithoutRightsWritesIntoTheLogIsIgnored() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE a (id int PRIMARY KEY)",
                "CREATE TABLE last (id int PRIMARY KEY)",
                "DROP ROLE IF EXISTS mallory",
                "CREATE ROLE mallory",
                "CREATE SCHEMA own AUTHORIZATION mallory",
                "CREATE SCHEMA report AUTHORIZATION mallory");
        JournalReader reader = fixture.reader();
        Connection connection = fixture.connect();
        Statement mallory = connection.createStatement()) {
      String forged = FORGED.formatted(fixture.task);
      DefinitionTrigger trigger = following(fixture, "a", "last");
      try (Capture capture = started(fixture)) {
        mallory.execute("SET SESSION AUTHORIZATION mallory");
        for (String prefix :
            List.of(
                fixture.source.prefixes().fence(),
                fixture.source.prefixes().progress(),
                "sluice.ddl",
                "sluice_ddl.report",
                "")) {
          for (String transactional : List.of("true", "false")) {
            for (String content :
                List.of(
                    "''",
                    "'no number'",
                    "'9223372036854775807'",
                    "'-1'",
                    "'[]'",
                    "'" + forged + "'",
                    "'\\x00'::bytea",
                    "'\\xff00fec0'::bytea")) {
              mallory.execute(
                  "SELECT pg_logical_emit_message(%s, '%s', %s)"
                      .formatted(transactional, prefix, content));
            }
          }
        }
        mallory.execute(
            "SELECT pg_logical_emit_message(false, repeat('sluice.', 1000000), ''),"
                + " pg_logical_emit_message(true, '%1$s', repeat('x', 100000000)),"
                    .formatted(fixture.source.prefixes().fence())
                + " pg_logical_emit_message(false, '%1$s', repeat('9', 100000000))"
                    .formatted(fixture.source.prefixes().progress()));
        // Tables of its own, by the names that the event triggers' have.
        mallory.execute(
            "CREATE TABLE own.report (entry int PRIMARY KEY, content text);"
                + "CREATE TABLE report.sluice_ddl (entry int PRIMARY KEY, content text);"
                + "INSERT INTO own.report VALUES (1, '%1$s');".formatted(forged)
                + "INSERT INTO report.sluice_ddl VALUES (1, '%1$s')".formatted(forged));
        fixture.execute("INSERT INTO last VALUES (1)");
        List<Transaction> read = reader.read(2);
        assertThat(read.get(0).changes())
            .extracting(change -> change.getClass().getSimpleName())
            .containsExactly("Definition", "Definition", "RowChange", "RowChange");
        assertThat(read.get(1).changes())
            .singleElement()
            .satisfies(
                change ->
                    assertThat(((RowChange) change).schema().table())
                        .isEqualTo(SourceFixture.table("last")));
        Position fence = fixture.source.log().emitFence();
        assertThat(reader.read(1).get(0).changes())
            .containsExactly(
                new Message(
                    fixture.source.prefixes().fence(),
                    fence.toString().getBytes(StandardCharsets.US_ASCII)));
        assertThat(capture.failure()).isEmpty();
        assertThat(fixture.source.ownMessages().ignored()).isEqualTo(2 * 2 * 8 + 2);
        assertThat(capture.progress().lastCommit().orElseThrow().toString()).startsWith("20");
      }
      trigger.remove();
      fixture.execute("DROP OWNED BY mallory; DROP ROLE mallory");
    }
  }

  @Test
  void onlyTheOwnerWritesOrSuppressesReports() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "DROP ROLE IF EXISTS eve",
                "CREATE ROLE eve",
                "GRANT pg_write_all_data, pg_read_all_data TO eve",
                "CREATE SCHEMA own AUTHORIZATION eve",
                "CREATE TABLE own.v (id int PRIMARY KEY, v int)",
                "ALTER TABLE own.v OWNER TO eve");
        JournalReader reader = fixture.reader();
        Connection connection = fixture.connect();
        Statement eve = connection.createStatement()) {
      DefinitionTrigger trigger = following(fixture, "own.v");
      try (Capture capture = started(fixture)) {
        eve.execute("SET SESSION AUTHORIZATION eve");
        for (String refused :
            List.of(
                "INSERT INTO sluice_ddl.report (content) VALUES ('{}')",
                "INSERT INTO sluice_ddl.known (relation, entry, definition) VALUES (1, 1, '{}')",
                "UPDATE sluice_ddl.known SET definition = '{}'",
                "SELECT sluice_ddl.tell('{}')",
                "INSERT INTO sluice_ddl.reporting VALUES (pg_current_xact_id())",
                "INSERT INTO sluice_ddl.rewritten VALUES (pg_current_xact_id(), 1)",
                "DELETE FROM sluice_ddl.home",
                "DELETE FROM sluice_ddl.task",
                "UPDATE sluice_ddl.task SET selection = '[]'",
                "UPDATE sluice_ddl.followed SET until = '0/1'",
                "DELETE FROM sluice_ddl.published",
                "DELETE FROM sluice_ddl.full_identity",
                "SELECT sluice_ddl.failed('x', 'y', '{1}')",
                "SELECT sluice_ddl.report('{1}', 'x', true, '{1}')",
                "SELECT sluice_ddl.take_up('0', 1)",
                "SELECT sluice_ddl.forget(1)")) {
          assertThatThrownBy(() -> eve.execute(refused))
              .as(refused)
              .isInstanceOfSatisfying(
                  SQLException.class, error -> assertThat(error.getSQLState()).isEqualTo("42501"));
        }
        // Whom the owner lets, for a task of his own.
        fixture.execute("GRANT DELETE ON sluice_ddl.task, sluice_ddl.known TO eve");
        eve.execute("DELETE FROM sluice_ddl.task WHERE false");
        assertThatThrownBy(() -> eve.execute("DELETE FROM sluice_ddl.known WHERE false"))
            .hasMessageContaining("only Sluice writes to sluice_ddl.known");
        // Settings that an earlier release believed, and names that hide those of the server.
        eve.execute("SET sluice.busy = 'on'; SET sluice.rewritten = 'nonsense'");
        eve.execute(
            "CREATE DOMAIN own.text AS pg_catalog.text CHECK (VALUE = 'none');"
                + "CREATE FUNCTION own.strpos(pg_catalog.text, pg_catalog.text) RETURNS int"
                + " LANGUAGE sql AS 'SELECT 0'");
        eve.execute("SET search_path = own, pg_catalog");
        eve.execute("SET standard_conforming_strings = off; SET quote_all_identifiers = on");
        eve.execute("ALTER TABLE own.v ALTER v TYPE bigint USING v * 1000");
        DefinitionChanges changes = definition(reader.read(1).get(0));
        assertThat(changes.changes()).singleElement().matches(change -> change.rewritten());
        assertThat(changes.plainCasts()).isFalse();
        assertThat(capture.failure()).isEmpty();
      }
      trigger.remove();
      fixture.execute("DROP OWNED BY eve; DROP ROLE eve");
    }
  }

  @Test
  void aCastIsPlainOnlyIfTheClientSentASingleStatement() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE a (id int PRIMARY KEY, v int)",
                "CREATE TABLE other (id int PRIMARY KEY, v int)",
                "CREATE FUNCTION times() RETURNS int LANGUAGE plpgsql AS"
                    + " 'BEGIN ALTER TABLE a ALTER v TYPE bigint USING v * 1000; RETURN 1; END'",
                "CREATE FUNCTION back() RETURNS int LANGUAGE plpgsql AS"
                    + " 'BEGIN ALTER TABLE a ALTER v TYPE int; RETURN 1; END'",
                "INSERT INTO other VALUES (1, 1)",
                "CREATE TYPE pair AS (v int)",
                "CREATE FUNCTION paired(int) RETURNS pair LANGUAGE sql AS 'SELECT ROW($1)::pair'",
                "CREATE CAST (int AS pair) WITH FUNCTION paired(int) AS ASSIGNMENT");
        JournalReader reader = fixture.reader()) {
      DefinitionTrigger trigger = following(fixture, "a", "other");
      try (Capture capture = started(fixture)) {
        assertThat(plain(fixture, reader, "ALTER TABLE a ALTER v TYPE bigint")).isTrue();
        assertThat(
                plain(
                    fixture,
                    reader,
                    " alter\ttable If Exists ONLY\npublic.\"a\" ALTER v TYPE int ;"))
            .isTrue();
        assertThat(plain(fixture, reader, "VALUES (times()) /* alter */")).isFalse();
        assertThat(plain(fixture, reader, "VALUES (back()) -- ALTER TABLE a ALTER v TYPE int"))
            .isFalse();
        assertThat(plain(fixture, reader, "ALTER TABLE other ADD CHECK (times() = 1)")).isFalse();
        assertThat(plain(fixture, reader, "DO 'BEGIN ALTER TABLE a ALTER v TYPE int; END'"))
            .isFalse();
        assertThat(plain(fixture, reader, "ALTER TABLE a ALTER v TYPE bigint USING v")).isFalse();
        assertThat(plain(fixture, reader, "ALTER TABLE a ALTER v TYPE int, DROP id")).isTrue();
        assertThat(plain(fixture, reader, "ALTER TABLE a ALTER v TYPE pair")).isFalse();
        assertThat(capture.failure()).isEmpty();
      }
      for (String query :
          List.of(
              "ALTER TABLE a ALTER v TYPE int; SELECT times()",
              "ALTER TABLE other ALTER v TYPE int",
              "ALTER TABLE own.a ALTER v TYPE int",
              "ALTER TABLE \"a",
              "ALTER TABLE U&\"a\" ALTER v TYPE int",
              "ALTER TABLE a.b.c.d ALTER v TYPE int",
              "ALTER TABLE ALL IN TABLESPACE a SET TABLESPACE b",
              "/* ALTER TABLE a */ SELECT 1",
              "")) {
        assertThat(
                text(
                    fixture,
                    "SELECT sluice_ddl.alters_only($x$"
                        + query
                        + "$x$, ARRAY['a'::regclass::oid])"))
            .as(query)
            .isEqualTo("f");
      }
      trigger.remove();
    }
  }

  @Test
  void aTableWhoseDefinitionIsTooLargeForTheLogIsNotReplicated() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)");
        JournalReader reader = fixture.reader()) {
      DefinitionTrigger trigger = following(fixture, "a");
      try (Capture capture = started(fixture)) {
        fixture.execute(
            "DO $$ BEGIN FOR i IN 1..9 LOOP"
                + " EXECUTE format('ALTER TABLE a ADD v%s text DEFAULT %L', i, repeat('x', 300000));"
                + " END LOOP; END $$",
            "DROP TABLE a");
        List<Transaction> read = reader.read(2);
        assertThat(read.get(0).changes())
            .last()
            .satisfies(
                change ->
                    assertThat(((Definition) change).changes().changes().get(0).obstacle())
                        .contains("definition is too large"));
        assertThat(definition(read.get(1)).changes())
            .singleElement()
            .matches(change -> change.drops());
        assertThat(capture.failure()).isEmpty();
      }
      trigger.remove();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE SCHEMA sluice_ddl AUTHORIZATION carol",
        "CREATE SCHEMA sluice_ddl; CREATE TABLE sluice_ddl.report (entry int, content text);"
            + " ALTER TABLE sluice_ddl.report OWNER TO carol",
        "CREATE SCHEMA sluice_ddl; GRANT CREATE ON SCHEMA sluice_ddl TO carol",
        "CREATE PUBLICATION sluice_ddl; ALTER PUBLICATION sluice_ddl OWNER TO carol"
      })
  void objectsOfAnotherRoleWithTheTriggersNamesAreNamedAndKept(String made) throws Exception {
    try (SourceFixture fixture =
        new SourceFixture("DROP ROLE IF EXISTS carol", "CREATE ROLE carol")) {
      fixture.execute("GRANT CREATE ON DATABASE " + fixture.task + " TO carol", made);
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThatThrownBy(trigger::install)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("sluice_ddl")
          .hasMessageContaining("role carol")
          .hasMessageNotContaining("DROP");
      assertThat(trigger.isInstalled()).isFalse();
      fixture.execute("DROP OWNED BY carol CASCADE; DROP ROLE carol");
    }
  }

  @Test
  void aSlotOlderThanTheTriggersIsReadWithoutThemUntilItHasPassedThem() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY)");
        JournalReader reader = fixture.reader()) {
      fixture.prepare().close();
      fixture.execute("INSERT INTO a VALUES (0)");
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      assertThat(trigger.install().orElseThrow()).contains("sluice_" + fixture.task);
      try (Capture capture = fixture.start()) {
        assertThat(reader.read(1)).hasSize(1);
        await()
            .atMost(PATIENCE)
            .pollInterval(1, TimeUnit.SECONDS)
            .until(
                () -> {
                  // The slot moves at what a checkpoint writes, once that is acknowledged.
                  fixture.execute("CHECKPOINT");
                  fixture.source.log().emitFence();
                  return trigger.install().isEmpty();
                });
        assertThat(capture.failure()).isEmpty();
      }
      trigger.register(
          "sluice_" + fixture.task, false, everything(), List.of(SourceFixture.table("a")));
      reader.poll(Duration.ofMillis(100));
      try (Capture capture = started(fixture)) {
        fixture.execute("ALTER TABLE a ADD COLUMN v int");
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    reader.poll(Duration.ofMillis(100)).stream()
                        .flatMap(transaction -> transaction.changes().stream())
                        .anyMatch(Definition.class::isInstance));
        assertThat(capture.failure()).isEmpty();
      }
      trigger.remove();
    }
  }

  private static boolean plain(SourceFixture fixture, JournalReader reader, String statement) {
    fixture.execute(statement);
    return definition(reader.read(1).get(0)).plainCasts();
  }

  private static DefinitionChanges definition(Transaction transaction) {
    Optional<ChangeEvent> found =
        transaction.changes().stream().filter(Definition.class::isInstance).findFirst();
    return ((Definition) found.orElseThrow()).changes();
  }

  private static List<SelectionPattern> everything() {
    return List.of(new SelectionPattern(SelectionPattern.Says.INCLUDED, ".*", ".*"));
  }

  /** Installs the triggers, publishes the tables and makes the slot. */
  private static DefinitionTrigger following(SourceFixture fixture, String... tables) {
    DefinitionTrigger trigger = fixture.source.definitionTrigger();
    assertThat(trigger.install()).isEmpty();
    fixture.prepare().close();
    trigger.register(
        "sluice_" + fixture.task,
        false,
        everything(),
        List.of(tables).stream()
            .map(
                table ->
                    table.startsWith("own.")
                        ? new dev.sluice.config.TableId("own", table.substring(4))
                        : SourceFixture.table(table))
            .toList());
    return trigger;
  }

  private static Capture started(SourceFixture fixture) {
    return fixture.startWithTriggers(LARGEST_VALUE);
  }

  private static String text(SourceFixture fixture, String query) throws Exception {
    try (Statement statement = fixture.connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
