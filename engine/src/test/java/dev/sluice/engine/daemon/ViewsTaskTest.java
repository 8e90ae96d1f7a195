package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.status.TableStatus;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.validate.only.TaskValidation;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Views of the source that a task loads into tables, through the daemon, on real servers. */
@ExtendWith(SharedBroker.class)
class ViewsTaskTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String TABLES =
      """
          - {rule-type: selection, rule-id: "1", rule-name: "1", rule-action: include,
             object-locator: {schema-name: shop, table-name: "%"}}
      """;

  private static final String RULES =
      TABLES
          + """
              - {rule-type: selection, rule-id: "2", rule-name: "2", rule-action: include,
                 object-locator: {schema-name: shop, table-name: "v[_]%", table-type: all}}
              - {rule-type: selection, rule-id: "3", rule-name: "3", rule-action: explicit,
                 object-locator: {schema-name: shop, table-name: Cheap, table-type: view},
                 filters: [{filter-type: source, column-name: price, filter-conditions: [
                   {filter-operator: lte, value: "10"}]}]}
              - {rule-type: selection, rule-id: "4", rule-name: "4", rule-action: exclude,
                 object-locator: {schema-name: shop, table-name: v_excluded, table-type: view}}
              - {rule-type: transformation, rule-id: "10", rule-name: "10", rule-target: schema,
                 rule-action: rename, object-locator: {schema-name: shop}, value: sales}
              - {rule-type: transformation, rule-id: "11", rule-name: "11", rule-target: table,
                 rule-action: rename, value: bargain,
                 object-locator: {schema-name: shop, table-name: Cheap}}
              - {rule-type: transformation, rule-id: "12", rule-name: "12", rule-target: column,
                 rule-action: remove-column,
                 object-locator: {schema-name: shop, table-name: Cheap, column-name: secret}}
              - {rule-type: transformation, rule-id: "13", rule-name: "13", rule-target: column,
                 rule-action: rename, value: title,
                 object-locator: {schema-name: shop, table-name: Cheap, column-name: name}}
          """;

  private static final String COLUMNS =
      """
      SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped\
      """;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  private String name;

  @Test
  void viewsAreLoadedIntoTablesInTheTablesSnapshotAndNotFollowed() throws Exception {
    make("loaded");
    TaskConfig config = config("full-load-and-cdc", RULES, "DROP_AND_CREATE");
    List<String> bargains;
    try (RunningDaemon running = startUnderTraffic(config)) {
      running.awaitPhase("replicating");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();

      // Both were read while rows came in, and by different connections.
      assertThat(onTarget("SELECT n FROM sales.v_count"))
          .isEqualTo(onTarget("SELECT count(*) FROM sales.v_price"));
      assertThat(onTarget(COLUMNS.formatted("sales.v_price")))
          .containsExactly("id integer, price numeric(10,2), twice double precision, kind text");
      assertThat(
              onTarget(
                  "SELECT adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef"
                      + " WHERE adrelid = 'sales.v_price'::regclass"))
          .containsExactly("4 | 'none'::text");
      assertThat(onTarget("SELECT kind, n FROM sales.v_kind ORDER BY kind"))
          .containsExactly("k0 | 33", "k1 | 34", "k2 | 33");
      assertThat(onTarget("SELECT indexdef FROM pg_indexes WHERE tablename = 'v_kind'"))
          .containsExactly("CREATE UNIQUE INDEX v_kind_kind ON sales.v_kind USING btree (kind)");
      assertThat(onTarget(COLUMNS.formatted("sales.bargain")))
          .containsExactly("id integer, title text, price numeric(10,2)");
      bargains = onTarget("SELECT * FROM sales.bargain ORDER BY id");
      assertThat(bargains).hasSize(10).first().isEqualTo("1 | item 1 | 1.00");
      assertThat(onTarget("SELECT relname FROM pg_class WHERE relname ~ 'excluded|hidden'"))
          .isEmpty();
      assertThat(
              onTarget(
                  "SELECT DISTINCT relkind FROM pg_class WHERE relnamespace = 'sales'::regnamespace"
                      + " AND relkind <> 'i'"))
          .containsExactly("r");
      assertThat(
              rows(
                  SERVERS.source(),
                  "SELECT tablename FROM pg_publication_tables WHERE schemaname = 'shop'"))
          .containsExactly("item");
      assertThat(running.daemon().status().tables())
          .filteredOn(table -> table.table().equals("Cheap"))
          .extracting(TableStatus::fullLoadRows)
          .containsExactly(10L);

      onSource(
          "UPDATE shop.item SET price = 1, name = 'cheap now'",
          "REFRESH MATERIALIZED VIEW shop.v_kind",
          "CREATE VIEW shop.v_later AS SELECT 1 AS a",
          "ALTER VIEW shop.v_price RENAME TO v_was_price",
          "DROP VIEW shop.v_count",
          "ALTER TABLE shop.item ADD COLUMN more int DEFAULT 5",
          "INSERT INTO shop.item (id, name, price) VALUES (-1, 'last', 0)");
      assertSameItems(running);
      assertThat(onTarget("SELECT * FROM sales.bargain ORDER BY id")).isEqualTo(bargains);
      assertThat(onTarget("SELECT to_regclass('sales.v_later'), to_regclass('sales.v_count')"))
          .containsExactly("null | sales.v_count");

      Outcome refused = running.daemon().reload(List.of(new TableId("shop", "Cheap")));
      assertThat(refused.success()).isFalse();
      assertThat(refused.toString()).contains("view shop.Cheap: is loaded once");
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      assertSameItems(running);
      assertThat(onTarget("SELECT * FROM sales.bargain ORDER BY id")).isEqualTo(bargains);
      assertThat(TaskChecks.of(config).findings().problems()).isEmpty();
      assertThat(TaskChecks.of(config).findings().notes())
          .anyMatch(note -> note.startsWith("views, ignored, since the load is complete"));
      assertThat(TaskValidation.of(config).compare(List.of()).lines())
          .hasSize(2)
          .anyMatch(line -> line.startsWith("equal: 1 table"));
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void aLoadOfOnlyViewsFillsExistingTables() throws Exception {
    make("alone");
    String rules = RULES.replace(TABLES, "");
    onTarget("CREATE SCHEMA sales");
    onTarget("CREATE TABLE sales.v_price (id int, price numeric, twice float8, kind text)");
    onTarget("CREATE TABLE sales.v_kind (kind text PRIMARY KEY, n bigint)");
    onTarget("CREATE TABLE sales.v_count (n bigint)");
    TaskConfig config = config("full-load", rules, "TRUNCATE_BEFORE_LOAD");
    assertThat(TaskChecks.of(config).findings().problems())
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("sales.bargain");
    onTarget("CREATE TABLE sales.bargain (id int, title text, price numeric)");
    onTarget("INSERT INTO sales.bargain VALUES (0, 'was there', 0)");

    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitEnd();
    }

    assertThat(onTarget("SELECT * FROM sales.bargain ORDER BY id"))
        .isEqualTo(
            rows(
                SERVERS.source(),
                "SELECT id, name, price FROM shop.\"Cheap\" WHERE price <= 10 ORDER BY id"));
    assertThat(onTarget("SELECT count(*) FROM sales.v_price")).containsExactly("100");
    assertThat(onTarget("SELECT to_regclass('sales.item')")).containsExactly("null");
  }

  @Test
  void aViewWhoseQueryFailsStopsTheLoadWithItsNameAndTheServersError() throws Exception {
    make("failing");
    onSource("CREATE VIEW shop.v_failing AS SELECT 1 / (id - 50) AS n FROM shop.item");
    TaskConfig config = config("full-load-and-cdc", RULES, "DROP_AND_CREATE");

    assertThatThrownBy(() -> new TaskDaemon(config).run())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("shop.v_failing")
        .hasMessageContaining("division by zero");

    onSource(
        "DROP VIEW shop.v_failing",
        "CREATE MATERIALIZED VIEW shop.v_empty AS SELECT id FROM shop.item WITH NO DATA");
    assertThatThrownBy(() -> new TaskDaemon(config).run())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("shop.v_empty")
        .hasMessageContaining("has not been populated");
  }

  @Test
  void theCheckNamesViewsAndTheirProblems() throws Exception {
    make("check");
    TaskConfig both = config("full-load-and-cdc", RULES, "DROP_AND_CREATE");
    assertThat(TaskChecks.of(both).findings().problems()).isEmpty();
    assertThat(TaskChecks.of(both).findings().notes())
        .filteredOn(note -> note.contains("view"))
        .containsExactly(
            "views, loaded once into tables but not replicated, so that their rows stay as they"
                + " were at the load: [shop.Cheap, shop.v_count, shop.v_kind, shop.v_price]");
    assertThat(TaskChecks.of(both).findings().summary()).startsWith("1 table and 4 views of ");
    TaskChecks.Findings following =
        TaskChecks.of(config("cdc", RULES, "DROP_AND_CREATE")).findings();
    assertThat(following.notes())
        .anyMatch(note -> note.startsWith("views, ignored, since migration-type cdc"));

    onSource(
        "DO $$ BEGIN CREATE ROLE reads LOGIN SUPERUSER; END $$",
        "ALTER ROLE reads NOSUPERUSER REPLICATION",
        "GRANT CREATE ON DATABASE \"check\" TO reads",
        "GRANT USAGE ON SCHEMA shop TO reads",
        "ALTER TABLE shop.item OWNER TO reads",
        "GRANT SELECT ON shop.v_kind, shop.v_count, shop.\"Cheap\" TO reads",
        "DROP VIEW shop.\"Cheap\"",
        "CREATE VIEW shop.v_x AS SELECT 1 AS a",
        "GRANT SELECT ON shop.v_x TO reads");
    String rules =
        RULES
            + """
                - {rule-type: transformation, rule-id: "20", rule-name: "20", rule-target: table,
                   rule-action: rename, value: item,
                   object-locator: {schema-name: shop, table-name: v_x}}
                - {rule-type: table-settings, rule-id: "21", rule-name: "21",
                   object-locator: {schema-name: shop, table-name: v_kind},
                   batch-apply: {BatchSplitSize: 10}}
            """;
    TaskConfig refused = config("full-load-and-cdc", rules, "DROP_AND_CREATE", "reads");

    assertThat(TaskChecks.of(refused).findings().problems())
        .extracting(Problem::toString)
        .anyMatch(text -> text.contains("view shop.v_price") && text.contains("may not read it"))
        .anyMatch(text -> text.contains("view shop.Cheap") && text.contains("does not exist"))
        .anyMatch(text -> text.contains("shop.item and shop.v_x would both become sales.item"))
        .anyMatch(text -> text.contains("batch-apply for shop.v_kind"))
        .hasSize(4);
  }

  private void make(String database) throws SQLException {
    name = database;
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    onSource(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.item (id int PRIMARY KEY, name text, price numeric(10,2))",
        "INSERT INTO shop.item SELECT i, 'item ' || i, i FROM generate_series(1, 100) i",
        """
        CREATE VIEW shop.v_price AS
        SELECT id, price, (price * 2)::float8 AS twice, 'k' || id % 3 AS kind FROM shop.item\
        """,
        "ALTER VIEW shop.v_price ALTER COLUMN kind SET DEFAULT 'none'",
        "CREATE VIEW shop.v_count AS SELECT count(*) AS n FROM shop.item",
        "CREATE MATERIALIZED VIEW shop.v_kind AS"
            + " SELECT kind, count(*) AS n FROM shop.v_price GROUP BY kind",
        "CREATE UNIQUE INDEX v_kind_kind ON shop.v_kind (kind)",
        "CREATE VIEW shop.\"Cheap\" AS SELECT id, name, 'hidden'::text AS secret, price"
            + " FROM shop.item",
        "CREATE VIEW shop.v_excluded AS SELECT 1 AS a",
        "CREATE VIEW shop.hidden AS SELECT 1 AS a");
  }

  /** Rows come in until the load is over. */
  private RunningDaemon startUnderTraffic(TaskConfig config) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Thread traffic =
        new Thread(
            () -> {
              try (Connection connection = SERVERS.source().connect(name);
                  Statement statement = connection.createStatement()) {
                for (int id = 1000; !over.get(); id++) {
                  statement.execute(
                      "INSERT INTO shop.item VALUES (%d, 'meanwhile', 500); SELECT pg_sleep(0.005)"
                          .formatted(id));
                }
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            },
            "traffic");
    traffic.start();
    RunningDaemon running = RunningDaemon.start(config);
    try {
      running.awaitPhase("replicating");
      return running;
    } catch (RuntimeException | Error e) {
      running.close();
      throw e;
    } finally {
      over.set(true);
      traffic.join();
    }
  }

  private void assertSameItems(RunningDaemon running) throws Exception {
    assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    assertThat(onTarget("SELECT * FROM sales.item ORDER BY id"))
        .isEqualTo(rows(SERVERS.source(), "SELECT * FROM shop.item ORDER BY id"));
  }

  private TaskConfig config(String type, String rules, String mode) throws Exception {
    return config(type, rules, mode, "postgres");
  }

  private TaskConfig config(String type, String rules, String mode, String user) throws Exception {
    return TaskFolder.of(
            folder.resolve(name), name, SERVERS.source(), SERVERS.target(), name, "shop")
        .replacing("full-load-and-cdc", type)
        .replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:")
        .replacing("postgres@", user + "@")
        .rules(rules)
        .settings(
            """
            {FullLoadSettings: {TargetTablePrepMode: %s},
             ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},
             ErrorBehavior: {RecoverableErrorInterval: 0.2}}
            """
                .formatted(mode))
        .config();
  }

  private void onSource(String... statements) throws SQLException {
    try (Connection connection = SERVERS.source().connect(name);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private List<String> onTarget(String sql) throws SQLException {
    return rows(SERVERS.target(), sql);
  }

  private List<String> rows(EmbeddedPostgres server, String sql) throws SQLException {
    return Sql.rows(server, name, sql);
  }
}
