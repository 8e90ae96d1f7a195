package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.engine.check.TypeChecks;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.engine.validate.ComparedTable;
import dev.sluice.engine.validate.TableComparison;
import dev.sluice.sink.control.schema.EpochFence;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Filters and transformations of table mappings in a full load, on real servers. */
class MappedLoadTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String INCLUDE =
      """
      {"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "include",
       "object-locator": {"schema-name": "app", "table-name": "%"}}\
      """;

  private TwoDatabases databases;

  @BeforeEach
  void makeDatabases() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource("CREATE SCHEMA app");
  }

  @AfterEach
  void closeDatabases() throws Exception {
    databases.close();
  }

  @Test
  void onlyTheRowsThatPassAFilterAreLoadedAndCompared() throws Exception {
    databases.onSource(
        "CREATE TABLE app.t (id int PRIMARY KEY, tenant text, amount numeric)",
        "INSERT INTO app.t VALUES (1, 'a', 10), (2, 'a', 9.99), (3, 'b', 100), (4, NULL, 100),"
            + " (5, 'a', 10.00), (6, 'a', NULL)");
    TableMappings mappings =
        mappings(
            """
            {"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "include",
             "object-locator": {"schema-name": "app", "table-name": "t"}, "filters": [
              {"filter-type": "source", "column-name": "tenant", "filter-conditions": [
                {"filter-operator": "eq", "value": "a"}, {"filter-operator": "null"}]},
              {"filter-type": "source", "column-name": "amount", "filter-conditions": [
                {"filter-operator": "gte", "value": "10"}]}]}\
            """);

    load(mappings, PrepMode.DROP_AND_CREATE, false, "t");

    assertThat(databases.targetRows("SELECT id FROM app.t ORDER BY id"))
        .containsExactly("1", "4", "5");
    assertThat(compared(mappings, "t")).allMatch(ComparedTable::isEqual);
    databases.onTarget("INSERT INTO app.t VALUES (2, 'a', 9.99)");
    assertThat(compared(mappings, "t")).extracting(ComparedTable::extra).containsExactly(1L);
  }

  @Test
  void tablesAreCreatedAsTheRulesDefineThem() throws Exception {
    databases.onSource(
        "CREATE TABLE app.\"Orders\" (\"Id\" int GENERATED ALWAYS AS IDENTITY, a text, b text,"
            + " secret text, \"Number\" int, price numeric(10,2) NOT NULL, twice numeric GENERATED"
            + " ALWAYS AS (price * 2) STORED, PRIMARY KEY (\"Number\", \"Id\"))",
        "INSERT INTO app.\"Orders\" (a, b, secret, \"Number\", price)"
            + " SELECT 'a' || g, 'b' || g, 's', g % 7, g FROM generate_series(1, 100) g",
        "CREATE TABLE app.part (k int, note text) PARTITION BY RANGE (k)",
        "CREATE TABLE app.part_1 PARTITION OF app.part FOR VALUES FROM (0) TO (10)",
        "INSERT INTO app.part SELECT g % 10, 'n' || g FROM generate_series(1, 30) g");
    TableMappings mappings =
        mappings(
            INCLUDE,
            rule(2, "rename", "schema", null, null, ", \"value\": \"Sales\""),
            rule(3, "convert-lowercase", "table", "Ord%", null, ""),
            rule(4, "rename", "column", "Orders", "a", ", \"value\": \"b\""),
            rule(5, "rename", "column", "Orders", "b", ", \"value\": \"a\""),
            rule(6, "remove-column", "column", "Orders", "secret", ""),
            rule(7, "add-prefix", "column", "Orders", "Number", ", \"value\": \"order_\""),
            rule(8, "rename", "column", "Orders", "price", ", \"value\": \"Price\""),
            rule(9, "change-data-type", "column", "Orders", "Number", type("int8")),
            rule(
                10,
                "add-column",
                "column",
                "Orders",
                null,
                type("string")
                    + ", \"value\": \"full\", \"expression\": \"upper($a)||'-'||$b||$Number\""),
            rule(11, "rename", "column", "part", "note", ", \"value\": \"remark\""));

    load(mappings, PrepMode.DROP_AND_CREATE, true, "Orders", "part");

    String rows = "SELECT %s FROM %s ORDER BY 1, 2";
    assertThat(
            databases.targetRows(
                rows.formatted(
                    "\"Id\", b, a, \"order_Number\", \"Price\", twice, \"full\"",
                    "\"Sales\".orders")))
        .isEqualTo(
            databases.sourceRows(
                rows.formatted(
                    "\"Id\", a, b, \"Number\", price, twice, upper(a) || '-' || b || \"Number\"",
                    "app.\"Orders\"")));
    assertThat(databases.targetRows(rows.formatted("k, remark", "\"Sales\".part")))
        .isEqualTo(databases.sourceRows(rows.formatted("k, note", "app.part")));
    assertThat(
            databases.targetRows(
                """
                SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', '
                  ORDER BY a.attnum), max(pg_get_constraintdef(c.oid))
                FROM pg_attribute a JOIN pg_constraint c ON c.conrelid = a.attrelid AND contype = 'p'
                WHERE attrelid = '"Sales".orders'::regclass AND attnum > 0 AND NOT attisdropped\
                """))
        .containsExactly(
            "Id integer, b text, a text, order_Number bigint, Price numeric(10,2), twice numeric,"
                + " full text | PRIMARY KEY (\"order_Number\", \"Id\")");
    assertThat(compared(mappings, "Orders", "part")).allMatch(ComparedTable::isEqual);
    SequenceCopy.copy(databases.source(), databases.target(), tables("Orders"), mappings);
    databases.onTarget("INSERT INTO \"Sales\".orders (\"order_Number\", \"Price\") VALUES (1, 1)");
    assertThat(databases.targetRows("SELECT max(\"Id\") FROM \"Sales\".orders"))
        .containsExactly("101");
  }

  @Test
  void indexesUseTheNewNamesAndConstraintsOfRenamedColumnsAreReportedAsSkipped() throws Exception {
    databases.onSource(
        "CREATE TABLE app.t (id int PRIMARY KEY, a text CHECK (a <> ''), b int, c int)",
        "CREATE INDEX by_a ON app.t (lower(a)) WHERE b > 0",
        "CREATE INDEX by_c ON app.t (c)",
        "CREATE TABLE app.u (id int PRIMARY KEY CHECK (id > 0), t int REFERENCES app.t)",
        "INSERT INTO app.t VALUES (1, 'a', 1, 1)",
        "INSERT INTO app.u VALUES (1, 1)");
    TableMappings mappings =
        mappings(
            INCLUDE,
            rule(2, "rename", "column", "t", "a", ", \"value\": \"x\""),
            rule(3, "remove-column", "column", "t", "c", ""));

    load(mappings, PrepMode.DROP_AND_CREATE, true, "t", "u");
    try (TableCompletion constraints =
        PlannedConstraints.begin(
            databases.source(),
            databases.target(),
            tables("t", "u"),
            mappings,
            databases.completion(true),
            EpochFence.NONE)) {
      assertThat(constraints.await(PATIENCE)).isTrue();
    }

    assertThat(
            databases.targetRows(
                "SELECT indexdef FROM pg_indexes WHERE schemaname = 'app' AND indexname LIKE"
                    + " 'by%'"))
        .containsExactly("CREATE INDEX by_a ON app.t USING btree (lower(x)) WHERE (b > 0)");
    assertThat(
            databases.targetRows(
                "SELECT conname FROM pg_constraint WHERE connamespace = 'app'::regnamespace"
                    + " AND contype IN ('c', 'f')"))
        .containsExactly("u_id_check");
    assertThat(
            databases.targetRows(
                "SELECT name, state FROM sluice_control.completion_step"
                    + " WHERE kind IN ('CHECK', 'FOREIGN_KEY') ORDER BY name"))
        .containsExactly(
            "app.t.t_a_check | skipped", "app.u.u_id_check | done", "app.u.u_t_fkey | skipped");
  }

  @Test
  void aDefinedKeyReplacesTheSourcesWhichStaysUnique() throws Exception {
    databases.onSource(
        "CREATE TABLE app.t (id int PRIMARY KEY, a int, b int)",
        "CREATE TABLE app.u (a int, b int)",
        "INSERT INTO app.t VALUES (1, 1, 1)");
    TableMappings mappings =
        mappings(
            INCLUDE,
            rule(2, "rename", "column", "t", "a", ", \"value\": \"x\""),
            rule(
                3,
                "define-primary-key",
                "table",
                "t",
                null,
                ", \"primary-key-def\": {\"name\": \"The Key\", \"columns\": [\"b\", \"a\"]}"),
            rule(
                4,
                "define-primary-key",
                "table",
                "u",
                null,
                ", \"primary-key-def\": {\"name\": \"k\", \"columns\": [\"b\", \"a\"]}"));

    load(mappings, PrepMode.DROP_AND_CREATE, true, "t", "u");

    assertThat(
            databases.targetRows(
                """
                SELECT conrelid::regclass, contype, pg_get_constraintdef(oid) FROM pg_constraint
                WHERE connamespace = 'app'::regnamespace AND contype IN ('p', 'u')
                ORDER BY 1, 2\
                """))
        .containsExactly(
            "app.t | p | PRIMARY KEY (b, x)",
            "app.t | u | UNIQUE (id)",
            "app.u | p | PRIMARY KEY (b, a)");
  }

  @Test
  void beforeImageColumnsAreCreatedAndNullInLoadedRows() throws Exception {
    databases.onSource(
        "CREATE DOMAIN app.filled AS int DEFAULT 7",
        "CREATE TABLE app.t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a app.filled,"
            + " b varchar(9) NOT NULL DEFAULT 'x', c text,"
            + " twice int GENERATED ALWAYS AS (a * 2) STORED)",
        "INSERT INTO app.t (c) VALUES ('c')",
        "CREATE TABLE app.part (k int PRIMARY KEY, n text) PARTITION BY RANGE (k)",
        "CREATE TABLE app.part_1 PARTITION OF app.part DEFAULT",
        "INSERT INTO app.part VALUES (1, 'one')",
        "CREATE TABLE app.log (a int)");
    TableMappings mappings =
        mappings(
            INCLUDE,
            rule(
                2,
                "add-before-image-columns",
                "column",
                "%",
                null,
                ", \"before-image-def\": {\"column-prefix\": \"B \", \"column-filter\":"
                    + " \"non-lob\"}"),
            rule(3, "rename", "column", "t", "b", ", \"value\": \"d\""),
            rule(4, "change-data-type", "column", "t", "id", type("int8")),
            rule(
                5,
                "define-primary-key",
                "table",
                "t",
                null,
                ", \"primary-key-def\": {\"name\": \"k\", \"columns\": [\"b\"]}"));

    load(mappings, PrepMode.DROP_AND_CREATE, true, "t", "part", "log");

    assertThat(
            databases.targetRows(
                """
                SELECT a.attrelid::regclass, string_agg(a.attname || ' '
                    || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
                    || a.attidentity::text, ', ' ORDER BY a.attname COLLATE "C")
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')
                  AND a.attnum > 0 AND NOT a.attisdropped AND (a.attname LIKE 'B %' OR c.relname = 'log')
                GROUP BY a.attrelid ORDER BY a.attrelid::regclass::text\
                """))
        .containsExactly(
            "app.log | a integer false",
            "app.part | B k integer false",
            "app.part_1 | B k integer false",
            "app.t | B a app.filled false, B d character varying(9) false, B id bigint false");
    assertThat(
            databases.targetRows(
                "SELECT id, a, d, c, twice, \"B id\", \"B a\", \"B d\" FROM app.t"))
        .containsExactly("1 | 7 | x | c | 14 | null | null | null");
    assertThat(databases.targetRows("SELECT k, n, \"B k\" FROM app.part"))
        .containsExactly("1 | one | null");
    assertThat(compared(mappings, "t", "part", "log")).allMatch(ComparedTable::isEqual);
  }

  @Test
  void anExistingTargetTableNeedsTheColumnsOfTheRules() throws Exception {
    databases.onSource("CREATE TABLE app.t (id int PRIMARY KEY, a text, n int)");
    databases.onTarget(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (id int PRIMARY KEY, a text, n int,"
            + " other text GENERATED ALWAYS AS (a || 'y') STORED)");
    TableMappings mappings =
        mappings(
            INCLUDE,
            rule(2, "rename", "column", "t", "a", ", \"value\": \"x\""),
            rule(3, "change-data-type", "column", "t", "n", type("int8")),
            added(4, "sum", "$n + 1", "int8"),
            added(5, "other", "$a||'z'", "string"));

    assertThatThrownBy(() -> load(mappings, PrepMode.TRUNCATE_BEFORE_LOAD, false, "t"))
        .isInstanceOf(SluiceException.Fatal.class)
        .satisfies(
            e ->
                assertThat(((SluiceException.Fatal) e).problems())
                    .extracting(Problem::found)
                    .containsExactly("has no column \"x\" that can be written"));
    databases.onTarget("ALTER TABLE app.t RENAME COLUMN a TO x");
    assertThat(types(mappings, false))
        .extracting(Problem::found)
        .satisfiesExactly(
            met -> assertThat(met).contains("n is integer, but a rule changes its type to bigint"),
            met -> assertThat(met).isEqualTo("rule 4 adds column sum, but it does not exist there"),
            met ->
                assertThat(met)
                    .startsWith(
                        "rule 5 adds column other, but it is text, generated as (x || 'y'"));
  }

  @Test
  void typesAndExpressionsThatCannotBeCreatedAreReportedBeforeTheLoad() throws Exception {
    databases.onSource("CREATE TABLE app.t (id int PRIMARY KEY, a text, n bigint, at timestamptz)");
    TableMappings mappings =
        mappings(
            INCLUDE,
            rule(2, "change-data-type", "column", "t", "n", type("int4")),
            added(3, "moved", "'at '||$at", "string"),
            added(4, "wrong", "$a + 1", "string"),
            added(5, "fine", "$a||$n", "string"));

    assertThat(types(mappings, true))
        .extracting(Problem::found)
        .satisfiesExactly(
            met ->
                assertThat(met)
                    .contains("from bigint to integer")
                    .contains("would change some values"),
            met -> assertThat(met).contains("rule 3").contains("is not immutable"),
            met -> assertThat(met).contains("rule 4").contains("operator does not exist"));
  }

  private List<Problem> types(TableMappings mappings, boolean created) {
    return TypeChecks.check(
            databases.source(),
            databases.target(),
            Map.of(table("t"), mappings.targetOf(table("t"))),
            mappings,
            created)
        .problems();
  }

  private List<ComparedTable> compared(TableMappings mappings, String... names) {
    return new TableComparison(databases.source(), databases.target(), mappings)
        .compare(tables(names));
  }

  private void load(TableMappings mappings, PrepMode mode, boolean keysAfter, String... names)
      throws Exception {
    FullLoad load =
        new FullLoad(
            databases.route(mappings),
            tables(names),
            TaskSettings.DEFAULTS
                .with(FullLoadSettings.TARGET_TABLE_PREP_MODE, mode)
                .with(FullLoadSettings.CREATE_PK_AFTER_FULL_LOAD, keysAfter)
                .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 3)
                .with(FullLoadSettings.COMMIT_RATE, 1000),
            databases.completion(true));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    try (Connection connection = databases.connectToSource()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT pg_export_snapshot()")) {
        row.next();
        load.load(plan, row.getString(1));
      }
    }
    try (TableCompletion completion = load.completion()) {
      assertThat(completion.await(PATIENCE)).isTrue();
    }
  }

  private static List<TableId> tables(String... names) {
    return Arrays.stream(names).map(TwoDatabases::table).collect(Collectors.toList());
  }

  private static TableMappings mappings(String... rules) {
    return TableMappings.parse(
        "mappings", "{\"rules\": [" + String.join(", ", rules) + "]}", Optional.empty());
  }

  private static String added(int id, String name, String expression, String type) {
    return rule(
        id,
        "add-column",
        "column",
        "t",
        null,
        type(type) + ", \"value\": \"%s\", \"expression\": \"%s\"".formatted(name, expression));
  }

  private static String rule(
      int id, String action, String target, String table, String column, String further) {
    return """
    {"rule-type": "transformation", "rule-id": "%d", "rule-name": "%d", "rule-action": "%s",
     "rule-target": "%s", "object-locator": {"schema-name": "app"%s%s}%s}\
    """
        .formatted(
            id,
            id,
            action,
            target,
            table == null ? "" : ", \"table-name\": \"" + table + "\"",
            column == null ? "" : ", \"column-name\": \"" + column + "\"",
            further);
  }

  private static String type(String type) {
    return ", \"data-type\": {\"type\": \"" + type + "\"}";
  }
}
