package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Before-image columns through the daemon, on real servers. */
@ExtendWith(SharedBroker.class)
class BeforeImageTaskTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String RULES =
      """
          - {rule-type: selection, rule-id: "1", rule-name: "1", rule-action: include,
             object-locator: {schema-name: shop, table-name: "%"}}
          - {rule-type: transformation, rule-id: "2", rule-name: "2", rule-target: column,
             rule-action: add-before-image-columns,
             object-locator: {schema-name: shop, table-name: "order%"},
             before-image-def: {column-prefix: BI_, column-filter: all}}
          - {rule-type: transformation, rule-id: "3", rule-name: "3", rule-target: column,
             rule-action: add-before-image-columns,
             object-locator: {schema-name: shop, table-name: "item%"},
             before-image-def: {column-suffix: _was}}
          - {rule-type: transformation, rule-id: "4", rule-name: "4", rule-target: column,
             rule-action: convert-uppercase,
             object-locator: {schema-name: shop, table-name: item, column-name: "%"}}
          - {rule-type: transformation, rule-id: "5", rule-name: "5", rule-target: column,
             rule-action: add-before-image-columns,
             object-locator: {schema-name: shop, table-name: "part"},
             before-image-def: {column-prefix: BI_, column-filter: non-lob}}
      """;

  private static final String ORDERS =
      "SELECT id, \"BI_id\", amount, \"BI_amount\", left(note, 1) || length(note),"
          + " left(\"BI_note\", 1) || length(\"BI_note\") FROM shop.orders ORDER BY id";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  private String name;

  @Test
  void beforeImagesAreKeptFromTheLoadToTheCutover() throws Exception {
    make("whole");
    onSource(
        "INSERT INTO shop.orders SELECT g, g, repeat('a', 9000) FROM generate_series(1, 5) g",
        "INSERT INTO shop.item VALUES (1, 'one'), (2, 'two')",
        "INSERT INTO shop.part VALUES (1, 'one', 1), (11, 'eleven', 1)",
        "INSERT INTO shop.log VALUES (1)");
    TaskConfig config = config(RULES, "DROP_AND_CREATE");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      assertThat(onTarget(ORDERS))
          .containsExactly(
              "1 | null | 1 | null | a9000 | null",
              "2 | null | 2 | null | a9000 | null",
              "3 | null | 3 | null | a9000 | null",
              "4 | null | 4 | null | a9000 | null",
              "5 | null | 5 | null | a9000 | null");
      onSource(
          // A large value that does not change is not in the log's new row.
          "UPDATE shop.orders SET amount = 10 WHERE id = 1",
          "BEGIN; UPDATE shop.orders SET amount = 20 WHERE id = 2;"
              + " UPDATE shop.orders SET amount = 21, note = 'b' WHERE id = 2; COMMIT",
          "UPDATE shop.orders SET id = 30 WHERE id = 3",
          "BEGIN; DELETE FROM shop.orders WHERE id = 4; INSERT INTO shop.orders VALUES (4, 44, 'c'); COMMIT",
          "BEGIN; INSERT INTO shop.orders VALUES (6, 6, 'd'); UPDATE shop.orders SET amount = NULL"
              + " WHERE id = 6; COMMIT",
          "UPDATE shop.item SET id = 20, name = 'zwei' WHERE id = 2",
          "UPDATE shop.item SET name = 'eins' WHERE id = 1",
          "UPDATE shop.part SET a = 'uno', b = 2 WHERE k = 1",
          // Into another partition: the log has a DELETE and an INSERT.
          "UPDATE shop.part SET k = 2 WHERE k = 11");
      fence(running);
      assertThat(onTarget(ORDERS))
          .containsExactly(
              "1 | 1 | 10 | 1 | a9000 | a9000",
              "2 | 2 | 21 | 20 | b1 | a9000",
              "4 | null | 44 | null | c1 | null",
              "5 | null | 5 | null | a9000 | null",
              "6 | 6 | null | 6 | d1 | d1",
              "30 | 3 | 3 | 3 | a9000 | a9000");
      assertThat(onTarget("SELECT \"ID\", \"ID_was\", \"NAME\" FROM shop.item ORDER BY 1"))
          .containsExactly("1 | 1 | eins", "20 | 2 | zwei");
      assertThat(onTarget("SELECT k, \"BI_k\", a, b, \"BI_b\" FROM shop.part ORDER BY 1"))
          .containsExactly("1 | 1 | uno | 2 | 1", "2 | null | eleven | 1 | null");

      onSource("UPDATE shop.orders SET amount = 11 WHERE id = 1");
      fence(running);
      assertThat(running.daemon().reload(List.of(new TableId("shop", "orders"))).success())
          .isTrue();
      await().atMost(PATIENCE).until(() -> running.daemon().status().suspended().isEmpty());
      assertThat(onTarget("SELECT count(*) FROM shop.orders WHERE \"BI_id\" IS NOT NULL"))
          .containsExactly("0");
      onSource("UPDATE shop.orders SET amount = 12 WHERE id = 1");
      fence(running);
      assertThat(onTarget(ORDERS).get(0)).isEqualTo("1 | 1 | 12 | 11 | a9000 | a9000");
    }
    onSource("UPDATE shop.orders SET amount = 13 WHERE id = 1");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      fence(running);
      assertThat(onTarget(ORDERS).get(0)).isEqualTo("1 | 1 | 13 | 12 | a9000 | a9000");
      Outcome cutover = running.daemon().cutover(PATIENCE);
      assertThat(cutover.success()).as(cutover.toString()).isTrue();
    }
  }

  @Test
  void alteredAndNewTablesHaveThemTooAsLongAsTheRuleExists() throws Exception {
    make("shapes");
    onSource("INSERT INTO shop.orders VALUES (1, 1, 'a')", "INSERT INTO shop.item VALUES (1, 'a')");
    try (RunningDaemon running = RunningDaemon.start(config(RULES, "DROP_AND_CREATE"))) {
      running.awaitPhase("replicating");
      onSource(
          "ALTER TABLE shop.orders ADD COLUMN more int DEFAULT 7",
          "UPDATE shop.orders SET more = 8",
          "ALTER TABLE shop.orders RENAME COLUMN amount TO price",
          "ALTER TABLE shop.orders DROP COLUMN note",
          "ALTER TABLE shop.orders ALTER COLUMN more TYPE bigint",
          "ALTER TABLE shop.orders REPLICA IDENTITY DEFAULT",
          "UPDATE shop.orders SET price = 2",
          "CREATE TABLE shop.orders_2 (id int PRIMARY KEY, a text DEFAULT 'x')",
          "INSERT INTO shop.orders_2 VALUES (1)",
          "UPDATE shop.orders_2 SET id = 2, a = 'y'",
          "ALTER TABLE shop.orders_2 RENAME TO item_2",
          "UPDATE shop.item_2 SET id = 3, a = 'z'",
          "CREATE TABLE shop.\"order parts\" (k int PRIMARY KEY, a text) PARTITION BY RANGE (k)",
          "CREATE TABLE shop.leaf PARTITION OF shop.\"order parts\" DEFAULT",
          "INSERT INTO shop.\"order parts\" VALUES (1, 'a')",
          "UPDATE shop.\"order parts\" SET a = 'b'");
      fence(running);
      assertThat(
              onTarget(
                  "SELECT id, \"BI_id\", price, \"BI_price\", more, \"BI_more\" FROM shop.orders"))
          .containsExactly("1 | 1 | 2 | 1 | 8 | 8");
      assertThat(
              onTarget(
                  "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', '"
                      + " ORDER BY attname) FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped"
                      + " AND attrelid = 'shop.orders'::regclass"))
          .containsExactly(
              "BI_id integer, BI_more bigint, BI_price integer, id integer, more bigint,"
                  + " price integer");
      assertThat(onTarget("SELECT id, id_was, a FROM shop.item_2")).containsExactly("3 | 2 | z");
      assertThat(onTarget("SELECT k, \"BI_k\", a, \"BI_a\" FROM shop.\"order parts\""))
          .containsExactly("1 | 1 | b | a");
    }
    onSource("UPDATE shop.orders SET price = 3");
    String fewer = RULES.replace("column-filter: all", "column-filter: pk-only");
    try (RunningDaemon running = RunningDaemon.start(config(fewer, "DROP_AND_CREATE"))) {
      running.awaitPhase("replicating");
      fence(running);
      assertThat(onTarget("SELECT row_to_json(o) FROM shop.orders o"))
          .singleElement()
          .asString()
          .contains("\"BI_id\":1", "\"price\":3")
          .doesNotContain("BI_price", "BI_more");
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void withoutEventTriggersColumnsAreDetectedByTheRows() throws Exception {
    make("humble");
    onSource(
        "CREATE ROLE humble LOGIN REPLICATION",
        "GRANT ALL ON SCHEMA shop TO humble; GRANT CREATE ON DATABASE humble TO humble",
        "ALTER TABLE shop.orders OWNER TO humble",
        "INSERT INTO shop.orders VALUES (1, 1, 'a')");
    TaskConfig config =
        folder(RULES.replace("table-name: \"%\"}", "table-name: orders}"), "DROP_AND_CREATE")
            .replacing(
                "postgres@127.0.0.1:" + SERVERS.source().port(),
                "humble@127.0.0.1:" + SERVERS.source().port())
            .config();
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      onSource("ALTER TABLE shop.orders ADD COLUMN more int", "UPDATE shop.orders SET more = 8");
      fence(running);
      onSource(
          "ALTER TABLE shop.orders RENAME COLUMN amount TO price",
          "UPDATE shop.orders SET price = 2");
      fence(running);
      onSource("ALTER TABLE shop.orders DROP COLUMN note", "UPDATE shop.orders SET more = 9");
      fence(running);
      assertThat(onTarget("SELECT row_to_json(o) FROM shop.orders o"))
          .singleElement()
          .asString()
          .contains("\"id\":1", "\"BI_id\":1", "\"price\":2", "\"BI_price\":2")
          .contains("\"more\":9", "\"BI_more\":8")
          .doesNotContain("note", "amount");
    }
  }

  @Test
  void theCheckReportsWhatTheTargetLacks() throws Exception {
    make("check");
    onSource("ALTER TABLE shop.item REPLICA IDENTITY DEFAULT");
    onTarget("CREATE SCHEMA shop");
    onTarget(
        "CREATE TABLE shop.orders (id int PRIMARY KEY, amount int, note text, \"BI_id\" text)");
    onTarget("CREATE TABLE shop.item (\"ID\" int PRIMARY KEY, \"NAME\" text, \"ID_was\" int)");

    TaskChecks.Findings findings =
        TaskChecks.of(
                config(
                    RULES.replace(
                        "{schema-name: shop, table-name: \"%\"}",
                        "{schema-name: shop, table-name: \"[oi]%\"}"),
                    "DO_NOTHING"))
            .findings();

    assertThat(findings.problems())
        .extracting(Problem::toString)
        .satisfiesExactlyInAnyOrder(
            text -> assertThat(text).contains("before-image column BI_id is of type text"),
            text -> assertThat(text).contains("shop.orders", "has no column BI_amount", "integer"),
            text -> assertThat(text).contains("shop.orders", "has no column BI_note"));
  }

  private static void fence(RunningDaemon running) throws Exception {
    Outcome outcome = running.daemon().fence(PATIENCE);
    assertThat(outcome.success()).as(outcome.toString()).isTrue();
  }

  private void make(String database) throws SQLException {
    name = database;
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    onSource(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.orders (id int PRIMARY KEY, amount int, note text)",
        "ALTER TABLE shop.orders ALTER COLUMN note SET STORAGE EXTERNAL",
        "CREATE TABLE shop.item (id int PRIMARY KEY, name text)",
        "CREATE TABLE shop.part (k int PRIMARY KEY, a text, b int) PARTITION BY RANGE (k)",
        "CREATE TABLE shop.part_1 PARTITION OF shop.part FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE shop.part_2 PARTITION OF shop.part FOR VALUES FROM (10) TO (20)",
        "CREATE TABLE shop.log (a int)");
  }

  private TaskConfig config(String rules, String mode) throws Exception {
    return folder(rules, mode).config();
  }

  /** REPLICA IDENTITY FULL is given where a rule needs it. */
  private TaskFolder folder(String rules, String mode) throws Exception {
    return TaskFolder.of(
            folder.resolve(name), name, SERVERS.source(), SERVERS.target(), name, "shop")
        .replacing("  type: postgresql\n", "  type: postgresql\n  replica-identity-full: true\n")
        .rules(rules)
        .settings(
            """
            {FullLoadSettings: {TargetTablePrepMode: %s},
             ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},
             ErrorBehavior: {RecoverableErrorInterval: 0.2}}
            """
                .formatted(mode));
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
    return Sql.rows(SERVERS.target(), name, sql);
  }
}
