package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.postgres.definition.DefinitionReader;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.engine.validate.ComparedTable;
import dev.sluice.engine.validate.TableComparison;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

public class FullLoadTest {
  public static final String ALL_OF_APP =
      """
      {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action":
        "include", "object-locator": {"schema-name": "app", "table-name": "%"}}]}
      """;

  private static final String COLUMN_DEFINITIONS =
      """
      SELECT n.nspname, c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod),
             a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::regcollation,
             pg_get_expr(d.adbin, d.adrelid), pg_get_expr(c.relpartbound, c.oid),
             pg_get_partkeydef(c.oid)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE n.nspname IN ('app', 'kinds') AND c.relkind IN ('r', 'p', 'c')
      ORDER BY n.nspname, c.relname, a.attname
      """;

  private static final String KEYS =
      """
      SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text, i.indisunique, pg_get_indexdef(indexrelid)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE c.relnamespace = 'app'::regnamespace ORDER BY 1, 2
      """;

  private static final String SEQUENCES =
      """
      SELECT schemaname, sequencename, data_type, start_value, min_value, max_value, increment_by,
             cycle, cache_size
      FROM pg_sequences WHERE schemaname = 'app' ORDER BY 1, 2
      """;

  private TwoDatabases databases;

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void createsTheTablesAsTheyAreOnTheSourceAndLoadsEveryRow(Direction direction)
      throws SQLException {
    databases = new TwoDatabases(direction);
    databases.onSource(WideSchema.STATEMENTS);

    LoadOutcome outcome = load(PrepMode.DROP_AND_CREATE, WideSchema.TABLES);

    assertThat(outcome).isInstanceOf(LoadOutcome.Loaded.class);
    assertEqual(WideSchema.TABLES);
    for (String definitions : List.of(COLUMN_DEFINITIONS, KEYS, SEQUENCES)) {
      assertThat(databases.targetRows(definitions))
          .isNotEmpty()
          .isEqualTo(databases.sourceRows(definitions));
    }
  }

  @Test
  void createsTheSameTablesAgainOverThoseOfAnEarlierLoad() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource(WideSchema.STATEMENTS);
    load(PrepMode.DROP_AND_CREATE, WideSchema.TABLES);

    load(PrepMode.DROP_AND_CREATE, WideSchema.TABLES);

    assertEqual(WideSchema.TABLES);
    assertThat(databases.targetRows(SEQUENCES)).isEqualTo(databases.sourceRows(SEQUENCES));
  }

  @Test
  void createsKeysAfterTheLoadIfTheSettingsSaySo() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(WideSchema.STATEMENTS);
    FullLoad load = fullLoad(WideSchema.TABLES, settings(PrepMode.DROP_AND_CREATE, true, 100));
    LoadPlan plan = load.plan();

    load.prepare(plan, LoadAttempt.FIRST);
    assertThat(databases.targetRows(KEYS)).isEmpty();
    load(load, plan);

    assertThat(databases.targetRows(KEYS)).isEqualTo(databases.sourceRows(KEYS));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 50_000})
  void loadsTheSameRowsWhateverTheCommitRate(int commitRate) throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource(WideSchema.STATEMENTS);
    List<TableId> tables = List.of(table("wide"), table("identities"), table("measurement"));
    FullLoad load = fullLoad(tables, settings(PrepMode.DROP_AND_CREATE, false, commitRate));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);

    load(load, plan);

    assertEqual(tables);
  }

  @Test
  void commitsBinaryRowsInStepsToo() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY, b text)");
    databases.onSource("INSERT INTO app.t SELECT i, 'row ' || i FROM generate_series(1, 1000) i");
    List<TableId> tables = List.of(table("t"));
    FullLoad load = fullLoad(tables, settings(PrepMode.DROP_AND_CREATE, false, 100));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);

    load(load, plan);

    assertEqual(tables);
    assertThat(databases.targetRows("SELECT count(DISTINCT xmin::text) FROM app.t"))
        .containsExactly("10");
  }

  @Test
  void codeOfTheSourcesUsersRunsOnTheTargetOnlyWithConsent() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE FUNCTION app.twice(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS"
            + " 'BEGIN PERFORM lo_from_bytea(0, ''written by the loader''); RETURN n * 2; END'",
        "CREATE TABLE app.t (a int PRIMARY KEY,"
            + " b int GENERATED ALWAYS AS (app.twice(a)) STORED)",
        "INSERT INTO app.t (a) VALUES (1), (2)");
    List<TableId> tables = List.of(table("t"));
    CompletionSettings consenting = databases.completion(true);
    FullLoad refused =
        fullLoad(
            tables,
            settings(PrepMode.DROP_AND_CREATE, false, 100),
            new CompletionSettings(
                consenting.journal(), consenting.threads(), consenting.memory(), true, false));
    LoadPlan plan = refused.plan();
    assertThatThrownBy(() -> refused.requireConsent(plan))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("app.twice(integer)")
        .hasMessageContaining("generated column b of app.t")
        .hasMessageContaining("run-source-code: true");
    // The definitions are checked when they are used, too: some may be new.
    assertThatThrownBy(() -> refused.prepare(plan, LoadAttempt.FIRST))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("app.twice(integer)");
    assertThat(databases.targetRows("SELECT to_regclass('app.t') IS NULL")).containsExactly("t");
    assertThat(databases.targetRows("SELECT to_regproc('app.twice') IS NULL")).containsExactly("t");

    load(PrepMode.DROP_AND_CREATE, tables);

    assertEqual(tables);
    assertThat(databases.targetRows("SELECT count(*) FROM pg_largeobject_metadata"))
        .containsExactly("2");
  }

  @Test
  void everyPlaceWhereATargetEvaluatesCodeIsFoundAndNoOther() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE FUNCTION app.own(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1'",
        "CREATE FUNCTION app.is_own(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true'",
        "CREATE FUNCTION app.equals(int, int) RETURNS boolean IMMUTABLE LANGUAGE sql AS"
            + " 'SELECT $1 = $2'",
        "CREATE OPERATOR app.=== (FUNCTION = app.equals, LEFTARG = int, RIGHTARG = int)",
        "CREATE DOMAIN app.small AS int CHECK (app.is_own(VALUE))",
        "CREATE TYPE app.pair AS (a app.small[], b int)",
        "CREATE FUNCTION app.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE DOMAIN app.code AS text CHECK (length(VALUE) < 10 AND VALUE ~ '^[a-z]*$')",
        "CREATE TABLE app.harmless (a serial PRIMARY KEY, b app.code,"
            + " c timestamptz DEFAULT clock_timestamp() CHECK (c <= now() + interval '1 day'),"
            + " d int GENERATED ALWAYS AS (a * 2) STORED, e date CHECK (e > current_date - 9))",
        "CREATE INDEX ON app.harmless (lower(b)) WHERE a > 3",
        "CREATE TRIGGER fires BEFORE INSERT ON app.harmless FOR EACH ROW EXECUTE FUNCTION app.fire()",
        "CREATE FUNCTION app.fire_as_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS"
            + " 'BEGIN RETURN NEW; END'",
        "CREATE TABLE app.triggered (a int)",
        "CREATE TRIGGER fires BEFORE INSERT ON app.triggered FOR EACH ROW"
            + " EXECUTE FUNCTION app.fire_as_owner()",
        "CREATE TABLE app.defaulted (a int DEFAULT app.own(1))",
        "CREATE TABLE app.computed (a int, b int GENERATED ALWAYS AS (app.own(a)) STORED)",
        "CREATE TABLE app.checked (a int CONSTRAINT by_operator CHECK (a OPERATOR(app.===) 1),"
            + " b text CONSTRAINT reads CHECK (pg_read_file(b) <> ''),"
            + " c int CONSTRAINT casts CHECK (c::app.small > 0))",
        "CREATE TABLE app.indexed (a int, b int)",
        "CREATE INDEX by_expression ON app.indexed (app.own(a))",
        "CREATE INDEX by_predicate ON app.indexed (a) WHERE app.own(b) > 1",
        "CREATE STATISTICS app.sampled ON (app.own(a)), b FROM app.indexed",
        "CREATE TABLE app.parted (a int, b int) PARTITION BY LIST (app.own(a))",
        "CREATE TABLE app.part PARTITION OF app.parted FOR VALUES IN (1)",
        "ALTER TABLE app.part ADD CONSTRAINT of_part CHECK (app.own(b) > 0)",
        "CREATE TABLE app.typed (a app.pair[])");

    // Triggers come last; what is built in and immutable, or stored, or of the clock, is let by.
    assertThat(databases.source().codeThatNeedsConsent(List.of(table("harmless")))).isEmpty();
    // It would be there for a generated column that is added later.
    assertThat(found("defaulted")).contains("app.own(integer)", "default of column a");
    assertThat(found("computed")).contains("generated column b of app.computed");
    assertThat(found("checked"))
        .contains("app.equals(integer,integer)", "constraint by_operator of app.checked")
        .contains("pg_read_file(text)", "constraint reads of app.checked")
        .contains("app.is_own(integer)", "constraint casts, by domain app.small of app.checked");
    assertThat(found("indexed"))
        .contains("index by_expression of app.indexed", "index by_predicate of app.indexed")
        .contains("statistics sampled of app.indexed");
    assertThat(found("parted"))
        .contains("the partition key of app.parted", "constraint of_part of app.part");
    // After the cutover it would run with the loader's rights, whichever user fires it.
    assertThat(found("triggered")).contains("app.fire_as_owner()", "trigger fires", "DEFINER");
    assertThat(found("typed")).contains("column a, by domain app.small of app.typed");
  }

  /** Statements that create the table on a target version that the test's servers do not have. */
  private String statementsOf(String table) throws SQLException {
    try (Connection connection = databases.sourceServer().connect()) {
      return new DefinitionReader(connection, name -> name, 15, true)
          .tables(List.of(table("above"), table("below"))).tables().stream()
              .filter(statement -> statement.thing().contains(table))
              .toList()
              .toString();
    }
  }

  private String found(String table) {
    return databases.source().codeThatNeedsConsent(List.of(table(table))).toString();
  }

  @Test
  void givesTablesTheTargetSchema() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource(WideSchema.STATEMENTS);
    TableMappings mappings =
        TableMappings.parse("mappings", ALL_OF_APP, Optional.of("other \"schema\""));
    FullLoad load =
        new FullLoad(
            databases.route(mappings),
            WideSchema.TABLES,
            settings(PrepMode.DROP_AND_CREATE, false, 1000),
            databases.completion(true));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);

    load(load, plan);

    assertThat(
            new TableComparison(databases.source(), databases.target(), mappings)
                .compare(WideSchema.TABLES))
        .allMatch(ComparedTable::isEqual);
    SequenceCopy.copy(databases.source(), databases.target(), WideSchema.TABLES, mappings);
    databases.onTarget("INSERT INTO \"other \"\"schema\"\"\".wide (words) VALUES ('by default')");
    assertThat(databases.targetRows("SELECT to_regnamespace('app')")).containsExactly("null");
  }

  @Test
  void loadsWhatTheSnapshotShowsAndNotWhatCameAfterIt() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
    databases.onSource("INSERT INTO app.t VALUES (1), (2)");
    FullLoad load = fullLoad(List.of(table("t")), settings(PrepMode.DO_NOTHING, false, 1000));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      databases.onSource("INSERT INTO app.t VALUES (3)", "DELETE FROM app.t WHERE a = 1");

      load.load(plan, snapshot.name());
    }

    assertThat(databases.targetRows("SELECT a FROM app.t ORDER BY a")).containsExactly("1", "2");
  }

  @Test
  void reportsTheProgressOfEachTable() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(WideSchema.STATEMENTS);
    FullLoad load = fullLoad(WideSchema.TABLES, settings(PrepMode.DROP_AND_CREATE, false, 1000));
    assertThat(load.progress()).isEmpty();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);

    load(load, plan);

    assertThat(load.progress()).hasSize(WideSchema.TABLES.size());
    LoadProgress plain =
        load.progress().stream().filter(p -> p.table().equals(table("plain"))).findAny().get();
    assertThat(plain.rows()).isEqualTo(5000);
    assertThat(plain.bytes()).isGreaterThan(5000 * 20);
    assertThat(plain.state().words()).isEqualTo("Table completed");
    assertThat(plain.ended().get()).isAfterOrEqualTo(plain.started().get());
  }

  @Test
  void sortsTablesByLoadOrderAndThenBySize() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.small AS SELECT 1 AS a",
        "CREATE TABLE app.large AS SELECT generate_series(1, 10000) AS a",
        "CREATE TABLE app.first AS SELECT 1 AS a");
    TableMappings mappings =
        TableMappings.parse(
            "mappings",
            """
            {"rules": [
              {"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "include",
               "object-locator": {"schema-name": "app", "table-name": "%"}},
              {"rule-type": "selection", "rule-id": "2", "rule-name": "2", "rule-action": "include",
               "object-locator": {"schema-name": "app", "table-name": "first"}, "load-order": 2}]}
            """,
            Optional.empty());
    FullLoad load =
        new FullLoad(
            databases.route(mappings),
            List.of(table("small"), table("large"), table("first")),
            TaskSettings.DEFAULTS,
            databases.completion(true));

    assertThat(load.plan().names()).containsExactly(table("first"), table("large"), table("small"));
  }

  @Test
  void doesNotLoadTheRowsOfAnInheritingTable() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onBoth(
        "CREATE SCHEMA app",
        "CREATE TABLE app.parent (a int PRIMARY KEY)",
        "CREATE TABLE app.child (b int) INHERITS (app.parent)");
    databases.onSource("INSERT INTO app.parent VALUES (1)", "INSERT INTO app.child VALUES (2, 2)");
    databases.onTarget("INSERT INTO app.child VALUES (9, 9)");

    load(PrepMode.TRUNCATE_BEFORE_LOAD, List.of(table("parent")));

    assertThat(databases.targetRows("SELECT a FROM app.parent ORDER BY a"))
        .containsExactly("1", "9");
    assertEqual(List.of(table("parent")));
  }

  @Test
  void createsAnInheritingTableWhoseGeneratedColumnIsItsParents() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    String columns = "(a int, b int GENERATED ALWAYS AS (a + 1) STORED)";
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.above " + columns,
        "CREATE TABLE app.below " + columns,
        "ALTER TABLE app.below INHERIT app.above",
        "INSERT INTO app.above VALUES (1)",
        "INSERT INTO app.below VALUES (2)");

    load(PrepMode.DROP_AND_CREATE, List.of(table("above"), table("below")));

    assertThat(statementsOf("below")).contains("INHERITS").doesNotContain("GENERATED");
    databases.onTarget("INSERT INTO app.below VALUES (3)");
    assertThat(databases.targetRows("SELECT b FROM app.above ORDER BY b"))
        .containsExactly("2", "3", "4");
  }

  @Nested
  class WhenTheSourceTableChanges {

    @ParameterizedTest
    @ValueSource(
        strings = {
          "TRUNCATE app.t",
          "ALTER TABLE app.t ALTER COLUMN b TYPE bigint",
          "ALTER TABLE app.t ADD COLUMN c int DEFAULT 1",
          "ALTER TABLE app.t DROP COLUMN b",
          "ALTER TABLE app.t RENAME COLUMN b TO c",
          "VACUUM FULL app.t",
          "CLUSTER app.t USING t_pkey",
          "DROP TABLE app.t",
          "ALTER TABLE app.t RENAME TO u",
          "DROP TABLE app.t; CREATE TABLE app.t (a int PRIMARY KEY, b int)",
        })
    void afterTheSnapshotTheLoadSaysThatItIsToBeginAgain(String statement) throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY, b int)");
      databases.onSource("INSERT INTO app.t SELECT i, i FROM generate_series(1, 100) i");
      FullLoad load = fullLoad(List.of(table("t")), settings(PrepMode.DO_NOTHING, false, 1000));
      LoadPlan plan = load.plan();
      load.prepare(plan, LoadAttempt.FIRST);
      try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
        databases.onSource(statement.split("; "));

        LoadOutcome outcome = load.load(plan, snapshot.name());

        assertThat(outcome).isInstanceOf(LoadOutcome.SourceChanged.class);
        assertThat(((LoadOutcome.SourceChanged) outcome).change().table()).isEqualTo(table("t"));
      }
    }

    @Test
    void betweenRecordAndSnapshotTheLoadSaysSoToo() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY, b int)");
      FullLoad load = fullLoad(List.of(table("t")), settings(PrepMode.DO_NOTHING, false, 1000));
      LoadPlan plan = load.plan();
      databases.onSource("ALTER TABLE app.t DROP COLUMN b");

      assertThat(load(load, plan)).isInstanceOf(LoadOutcome.SourceChanged.class);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "CREATE TABLE app.p2 PARTITION OF app.p FOR VALUES IN (2)",
          "ALTER TABLE app.p DETACH PARTITION app.p1",
          "TRUNCATE app.p1",
        })
    void aPartitionThatComesGoesOrIsTruncatedIsNoticed(String statement) throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth(
          "CREATE SCHEMA app",
          "CREATE TABLE app.p (a int PRIMARY KEY) PARTITION BY LIST (a)",
          "CREATE TABLE app.p1 PARTITION OF app.p FOR VALUES IN (1)");
      FullLoad load = fullLoad(List.of(table("p")), settings(PrepMode.DO_NOTHING, false, 1000));
      LoadPlan plan = load.plan();
      try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
        databases.onSource(statement);

        assertThat(load.load(plan, snapshot.name())).isInstanceOf(LoadOutcome.SourceChanged.class);
      }
    }

    @Test
    void theFirstPartitionOfATableIsNoticed() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onSource("CREATE SCHEMA app", "CREATE TABLE app.p (a int) PARTITION BY LIST (a)");
      FullLoad load = fullLoad(List.of(table("p")), settings(PrepMode.DROP_AND_CREATE, false, 9));
      LoadPlan plan = load.plan();
      load.prepare(plan, LoadAttempt.FIRST);
      assertThat(load(load, plan)).isInstanceOf(LoadOutcome.Loaded.class);

      databases.onSource(
          "CREATE TABLE app.p1 PARTITION OF app.p FOR VALUES IN (1)",
          "INSERT INTO app.p VALUES (1)");

      assertThat(load(load, plan)).isInstanceOf(LoadOutcome.SourceChanged.class);
    }

    @Test
    void anAttemptAfterABrokenOneBeginsWithEmptyTables() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
      databases.onSource("INSERT INTO app.t VALUES (1), (2)");
      FullLoad load = fullLoad(List.of(table("t")), settings(PrepMode.DO_NOTHING, false, 1));
      load.prepare(load.plan(), LoadAttempt.FIRST);
      databases.onTarget("INSERT INTO app.t VALUES (1), (7)");

      LoadPlan again = load.plan();
      load.prepare(again, LoadAttempt.AGAIN);
      load(load, again);

      assertEqual(List.of(table("t")));
    }

    @Test
    void aLockOnAnotherPartitionDoesNotHoldUpTheOneThatIsRead() throws Exception {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth(
          "CREATE SCHEMA app",
          "CREATE TABLE app.p (a int PRIMARY KEY) PARTITION BY LIST (a)",
          "CREATE TABLE app.p1 PARTITION OF app.p FOR VALUES IN (1)",
          "CREATE TABLE app.p2 PARTITION OF app.p FOR VALUES IN (2)");
      databases.onSource("INSERT INTO app.p VALUES (1), (2)");
      FullLoad load = fullLoad(List.of(table("p")), settings(PrepMode.DO_NOTHING, false, 1000));
      LoadPlan plan = load.plan();
      try (TwoDatabases.Snapshot snapshot = databases.new Snapshot();
          Connection blocker = databases.connectToSource();
          Statement statement = blocker.createStatement()) {
        blocker.setAutoCommit(false);
        statement.execute("LOCK TABLE app.p2 IN ACCESS EXCLUSIVE MODE");
        Thread loading = new Thread(() -> load.load(plan, snapshot.name()));
        loading.start();

        while (databases.targetRows("SELECT a FROM app.p").isEmpty()) {
          Thread.sleep(10);
        }

        blocker.commit();
        loading.join();
      }
      assertEqual(List.of(table("p")));
    }

    @Test
    void whatWasReadIsFreeForDefinitionsAgainWhileOthersAreRead() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth(
          "CREATE SCHEMA app",
          "CREATE TABLE app.t1 (a int PRIMARY KEY)",
          "CREATE TABLE app.t2 (a int PRIMARY KEY)");
      databases.onSource("INSERT INTO app.t1 SELECT generate_series(1, 10000)");
      FullLoad load =
          fullLoad(
              List.of(table("t1"), table("t2")),
              TaskSettings.DEFAULTS
                  .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 1)
                  .with(FullLoadSettings.COMMIT_RATE, 1000));
      LoadPlan plan = load.plan();
      try (TwoDatabases.Snapshot snapshot = databases.new Snapshot();
          Connection blocker = databases.connectToSource();
          Statement statement = blocker.createStatement()) {
        blocker.setAutoCommit(false);
        statement.execute("LOCK TABLE app.t2 IN ACCESS EXCLUSIVE MODE");
        Thread loading = new Thread(() -> load.load(plan, snapshot.name()));
        loading.start();
        while (load.progress().isEmpty() || load.progress().get(0).ended().isEmpty()) {
          Thread.onSpinWait();
        }

        // Waits for no lock of the load's, else this times out.
        databases.onSource("SET lock_timeout = '60s'", "ALTER TABLE app.t1 ADD COLUMN b int");

        blocker.commit();
        loading.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      assertThat(load.progress()).allMatch(table -> table.state() == LoadState.COMPLETED);
    }
  }

  @Nested
  class WhenItCannotBe {

    @Test
    void everyTargetTableThatHasRowsIsNamed() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth(
          "CREATE SCHEMA app",
          "CREATE TABLE app.empty (a int)",
          "CREATE TABLE app.one (a int)",
          "CREATE TABLE app.two (a int)");
      databases.onTarget("INSERT INTO app.one VALUES (1)", "INSERT INTO app.two VALUES (1)");
      FullLoad load =
          fullLoad(
              List.of(table("empty"), table("one"), table("two")),
              settings(PrepMode.DO_NOTHING, false, 1000));
      LoadPlan plan = load.plan();

      assertThatThrownBy(() -> load.prepare(plan, LoadAttempt.FIRST))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("app.one (1 row), app.two (1 row)")
          .hasMessageContaining("TRUNCATE_BEFORE_LOAD")
          .hasMessageNotContaining("app.empty");
      assertThat(databases.targetRows("SELECT count(*) FROM app.one")).containsExactly("1");
    }

    @Test
    void everyMissingTargetTableAndColumnIsNamed() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onSource("CREATE SCHEMA app", "CREATE TABLE app.t (a int, b int, c int)");
      databases.onSource("CREATE TABLE app.u (a int)");
      databases.onTarget(
          "CREATE SCHEMA app",
          "CREATE TABLE app.t (a int, c int GENERATED ALWAYS AS (a + 1) STORED)");
      FullLoad load =
          fullLoad(
              List.of(table("t"), table("u")), settings(PrepMode.TRUNCATE_BEFORE_LOAD, false, 10));
      assertThatThrownBy(() -> load.prepare(load.plan(), LoadAttempt.FIRST))
          .hasMessageContaining("target table app.u: is not there");

      FullLoad one =
          fullLoad(List.of(table("t")), settings(PrepMode.TRUNCATE_BEFORE_LOAD, false, 10));
      assertThatThrownBy(() -> one.prepare(one.plan(), LoadAttempt.FIRST))
          .hasMessageContaining("ADD COLUMN \"b\" integer")
          .hasMessageContaining("no column \"c\" that can be written");
    }

    @Test
    void aSourceTableThatIsGoneIsNamedAndLookedUpAnew() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);

      assertThatThrownBy(() -> fullLoad(List.of(table("gone")), TaskSettings.DEFAULTS).plan())
          .isInstanceOf(SluiceException.Overtaken.class)
          .hasMessageContaining("since its tables were listed: [app.gone]");
    }

    @Test
    void rowsThatRowSecurityWouldHideAreAFailureAndNotLost() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
      databases.onSource(
          "DROP ROLE IF EXISTS reader",
          "CREATE ROLE reader LOGIN",
          "GRANT USAGE ON SCHEMA app TO reader",
          "GRANT SELECT ON app.t TO reader",
          "INSERT INTO app.t VALUES (1), (2)",
          "ALTER TABLE app.t ENABLE ROW LEVEL SECURITY",
          "CREATE POLICY odd ON app.t USING (a % 2 = 1)");
      FullLoad load =
          new FullLoad(
              new LoadRoute(databases.sourceAs("reader"), databases.target(), mappings()),
              List.of(table("t")),
              TaskSettings.DEFAULTS,
              databases.completion(true));
      LoadPlan plan = load.plan();
      load.prepare(plan, LoadAttempt.FIRST);

      assertThatThrownBy(() -> load(load, plan))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("app.t")
          .hasMessageContaining("row-level security");
      databases.onSource("DROP OWNED BY reader", "DROP ROLE reader");
    }

    @Test
    void aRowThatTheTargetRefusesEndsTheLoadOfAllTables() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onSource(
          "CREATE SCHEMA app",
          "CREATE TABLE app.bad (a text)",
          "INSERT INTO app.bad VALUES ('fits'), ('does not fit')",
          "CREATE TABLE app.good AS SELECT generate_series(1, 100) AS a");
      databases.onTarget(
          "CREATE SCHEMA app",
          "CREATE TABLE app.bad (a varchar(4))",
          "CREATE TABLE app.good (a int)");
      FullLoad load = fullLoad(List.of(table("bad"), table("good")), TaskSettings.DEFAULTS);
      LoadPlan plan = load.plan();

      assertThatThrownBy(() -> load(load, plan))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("load app.bad")
          .hasMessageContaining("value too long");
      assertThat(load.progress().stream().filter(p -> p.table().equals(table("bad"))))
          .allMatch(p -> p.state() == LoadState.ERROR);
    }

    @Test
    void aSnapshotThatIsGoneCanBeTriedAgain() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
      FullLoad load = fullLoad(List.of(table("t")), TaskSettings.DEFAULTS);
      LoadPlan plan = load.plan();

      assertThatThrownBy(() -> load.load(plan, "00000003-00000002-1"))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("00000003-00000002-1");
    }

    @Test
    void aStopEndsALoadThatWaitsForALock() throws Exception {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
      FullLoad load = fullLoad(List.of(table("t")), TaskSettings.DEFAULTS);
      LoadPlan plan = load.plan();
      try (TwoDatabases.Snapshot snapshot = databases.new Snapshot();
          Connection blocker = databases.connectToSource();
          Statement statement = blocker.createStatement()) {
        blocker.setAutoCommit(false);
        statement.execute("LOCK TABLE app.t IN ACCESS EXCLUSIVE MODE");
        Thread stopper =
            new Thread(
                () -> {
                  while (load.progress().stream().noneMatch(p -> p.started().isPresent())) {
                    Thread.onSpinWait();
                  }
                  load.stop();
                });
        stopper.start();

        assertThat(load.load(plan, snapshot.name())).isInstanceOf(LoadOutcome.Stopped.class);
        stopper.join();
      }
    }

    @Test
    void whatDependsOnATableThatIsToBeDroppedIsNamed() throws SQLException {
      databases = new TwoDatabases(Direction.TO_NEWER);
      databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
      databases.onTarget("CREATE VIEW app.seen AS SELECT * FROM app.t");
      FullLoad load =
          fullLoad(List.of(table("t")), settings(PrepMode.DROP_AND_CREATE, false, 1000));

      assertThatThrownBy(() -> load.prepare(load.plan(), LoadAttempt.FIRST))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("view app.seen depends on table app.t");
    }
  }

  @Test
  void emptiesTablesUnderForeignKeysFromInsideAndOutside() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    String[] tables = {
      "CREATE SCHEMA app",
      "CREATE TABLE app.grandparent (a int PRIMARY KEY)",
      "CREATE TABLE app.parent (a int PRIMARY KEY REFERENCES app.grandparent)",
      "CREATE TABLE app.child (a int REFERENCES app.parent)",
      "CREATE TABLE app.other (a int PRIMARY KEY)",
      "CREATE TABLE app.other_child (a int REFERENCES app.other)",
      "INSERT INTO app.grandparent VALUES (1)",
      "INSERT INTO app.parent VALUES (1)",
      "INSERT INTO app.other VALUES (1)",
      "INSERT INTO app.other_child VALUES (1)"
    };
    databases.onBoth(tables);
    // Of the task are all but app.child, which references one that references another.
    List<TableId> selected =
        List.of(table("grandparent"), table("parent"), table("other"), table("other_child"));

    load(PrepMode.TRUNCATE_BEFORE_LOAD, selected);

    assertEqual(selected);
  }

  private LoadOutcome load(PrepMode mode, List<TableId> tables) throws SQLException {
    FullLoad load = fullLoad(tables, settings(mode, false, 1000));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    return load(load, plan);
  }

  private LoadOutcome load(FullLoad load, LoadPlan plan) throws SQLException {
    LoadOutcome outcome;
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      outcome = load.load(plan, snapshot.name());
    }
    try (TableCompletion completion = load.completion()) {
      if (outcome instanceof LoadOutcome.Loaded) {
        assertThat(completion.await(Duration.ofMinutes(5))).isTrue();
      }
      return outcome;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private FullLoad fullLoad(List<TableId> tables, TaskSettings settings) {
    return fullLoad(tables, settings, databases.completion(true));
  }

  private FullLoad fullLoad(
      List<TableId> tables, TaskSettings settings, CompletionSettings completion) {
    return new FullLoad(databases.route(mappings()), tables, settings, completion);
  }

  private static TableMappings mappings() {
    return TableMappings.parse("mappings", ALL_OF_APP, Optional.empty());
  }

  private static TaskSettings settings(PrepMode mode, boolean keysAfter, int commitRate) {
    return TaskSettings.DEFAULTS
        .with(FullLoadSettings.TARGET_TABLE_PREP_MODE, mode)
        .with(FullLoadSettings.CREATE_PK_AFTER_FULL_LOAD, keysAfter)
        .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 3)
        .with(FullLoadSettings.COMMIT_RATE, commitRate);
  }

  private void assertEqual(List<TableId> tables) {
    List<ComparedTable> compared =
        new TableComparison(databases.source(), databases.target(), mappings()).compare(tables);
    assertThat(compared).hasSize(tables.size()).allMatch(ComparedTable::isEqual);
    assertThat(IntStream.range(0, tables.size()).mapToObj(i -> compared.get(i).table()))
        .isEqualTo(tables);
  }
}
