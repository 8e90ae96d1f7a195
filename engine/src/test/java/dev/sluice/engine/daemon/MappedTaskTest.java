package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.validate.only.OnlyResult;
import dev.sluice.engine.validate.only.TaskValidation;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Filters and transformations through the daemon, in load and in changes, on real servers. */
@ExtendWith(SharedBroker.class)
class MappedTaskTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SEED = Long.getLong("sluice.seed", 20261122L);
  private static final int STATEMENTS = Integer.getInteger("sluice.statements", 450);

  /** Its collation orders otherwise than Java does: a, B, c. */
  private static final String TENANT = "text COLLATE \"en-x-icu\"";

  private static final String RULES =
      """
          - {rule-type: selection, rule-id: "1", rule-name: "1", rule-action: include,
             object-locator: {schema-name: shop, table-name: Orders},
             filters: [
               {filter-type: source, column-name: Tenant, filter-conditions: [
                 {filter-operator: between, start-value: B, end-value: m}]},
               {filter-type: source, column-name: amount, filter-conditions: [
                 {filter-operator: gte, value: "10.5"}, {filter-operator: "null"}]}]}
          - {rule-type: selection, rule-id: "2", rule-name: "2", rule-action: include,
             object-locator: {schema-name: shop, table-name: log},
             filters: [
               {filter-type: source, column-name: a, filter-conditions: [
                 {filter-operator: notbetween, start-value: "3", end-value: "5"}]}]}
          - {rule-type: selection, rule-id: "3", rule-name: "3", rule-action: include,
             object-locator: {schema-name: shop, table-name: part}}
          - {rule-type: transformation, rule-id: "10", rule-name: "10", rule-target: schema,
             rule-action: rename, object-locator: {schema-name: shop}, value: sales}
          - {rule-type: transformation, rule-id: "11", rule-name: "11", rule-target: table,
             rule-action: convert-lowercase, object-locator: {schema-name: shop, table-name: Orders}}
          - {rule-type: transformation, rule-id: "12", rule-name: "12", rule-target: column,
             rule-action: convert-lowercase,
             object-locator: {schema-name: shop, table-name: Orders, column-name: "[TI]%"}}
          - {rule-type: transformation, rule-id: "13", rule-name: "13", rule-target: column,
             rule-action: remove-column,
             object-locator: {schema-name: shop, table-name: "%", column-name: "secret%"}}
          - {rule-type: transformation, rule-id: "14", rule-name: "14", rule-target: column,
             rule-action: add-prefix, value: p_,
             object-locator: {schema-name: shop, table-name: "%", column-name: payload}}
          - {rule-type: transformation, rule-id: "15", rule-name: "15", rule-target: column,
             rule-action: add-column, value: label, expression: "upper($Tenant)||':'||$code",
             data-type: {type: string}, object-locator: {schema-name: shop, table-name: Orders}}
          - {rule-type: transformation, rule-id: "16", rule-name: "16", rule-target: column,
             rule-action: change-data-type, data-type: {type: int8},
             object-locator: {schema-name: shop, table-name: Orders, column-name: Id}}
      """;

  private static final Map<String, String> SAME_ROWS =
      Map.of(
          """
          SELECT "Id", "Tenant", amount, payload, code, upper("Tenant") || ':' || code
          FROM shop."Orders"
          WHERE "Tenant" BETWEEN 'B' AND 'm' AND (amount >= 10.5 OR amount IS NULL)""",
          "SELECT id, tenant, amount, p_payload, code, label FROM sales.orders",
          "SELECT a, b, payload FROM shop.log WHERE a < 3 OR a > 5",
          "SELECT a, b, p_payload FROM sales.log",
          "SELECT k, payload FROM shop.part",
          "SELECT k, p_payload FROM sales.part");

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  private final Random random = new Random(SEED);
  private String name;

  @ParameterizedTest
  @CsvSource({
    "batch, ''",
    "one_by_one, 'TargetMetadata: { BatchApplyEnabled: false }'",
    "lanes, 'TargetMetadata: { ParallelApplyThreads: 2 }'"
  })
  void randomChangesLeaveOnTheTargetWhatAQueryOverTheSourceShows(String mode, String setting)
      throws Exception {
    make(mode);
    for (int i = 0; i < STATEMENTS / 3; i++) {
      onSource(statement());
    }
    TaskConfig config = config(mode, RULES, setting);
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      for (int i = 0; i < STATEMENTS / 3; i++) {
        onSource(statement());
      }
      assertSameRows(running);
    }
    for (int i = 0; i < STATEMENTS / 3; i++) {
      onSource(statement());
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      assertSameRows(running);
      assertThat(TaskValidation.of(config).compare(List.of()).verdict())
          .isEqualTo(OnlyResult.Verdict.EQUAL);
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void aRowThatLeavesTheFilterIsDeletedAndOneThatEntersItIsComplete() throws Exception {
    make("moves");
    onSource(order(1, "c", "20"), order(2, "Z", "20"), order(3, "c", "1"), order(4, "z", "NULL"));
    try (RunningDaemon running = RunningDaemon.start(config("moves", RULES, ""))) {
      running.awaitPhase("replicating");
      assertThat(ids()).containsExactly("1");
      onSource(
          // Comes in with a value of several pages that the log does not repeat; goes out.
          "UPDATE shop.\"Orders\" SET \"Tenant\" = 'd' WHERE \"Id\" = 2",
          "UPDATE shop.\"Orders\" SET amount = 5 WHERE \"Id\" = 1",
          // Comes in and goes out by way of another key.
          "UPDATE shop.\"Orders\" SET \"Id\" = 30, amount = 30 WHERE \"Id\" = 3",
          // Outside all the time: no error, whatever the policies say.
          "UPDATE shop.\"Orders\" SET code = 'other' WHERE \"Id\" = 4",
          "DELETE FROM shop.\"Orders\" WHERE \"Id\" = 4");
      assertSameRows(running);
      assertThat(ids()).containsExactly("2", "30");
      assertThat(onTarget("SELECT count(*) FROM sluice_control.sluice_apply_exceptions"))
          .isEqualTo(List.of("0"));
      onSource("TRUNCATE shop.\"Orders\"");
      assertSameRows(running);
    }
  }

  @Test
  void ddlUsesTheTargetsNames() throws Exception {
    make("shapes");
    onSource(order(1, "c", "20"));
    try (RunningDaemon running = RunningDaemon.start(config("shapes", RULES, ""))) {
      running.awaitPhase("replicating");
      onSource(
          "ALTER TABLE shop.\"Orders\" ADD COLUMN \"Team\" text DEFAULT 'red',"
              + " ADD COLUMN secret_2 text",
          "ALTER TABLE shop.\"Orders\" RENAME COLUMN \"Team\" TO \"Tone\"",
          "UPDATE shop.\"Orders\" SET \"Tone\" = 'blue', secret = 'x' WHERE \"Id\" = 1",
          "ALTER TABLE shop.\"Orders\" DROP COLUMN secret",
          "INSERT INTO shop.\"Orders\" (\"Id\", \"Tenant\", amount) VALUES (2, 'e', 30)");
      assertSameRows(running);
      assertThat(onTarget("SELECT id || tone FROM sales.orders ORDER BY id"))
          .containsExactly("1blue", "2red");
      assertThat(
              onTarget(
                  "SELECT count(*) FROM pg_attribute WHERE attrelid = 'sales.orders'::regclass"
                      + " AND attname LIKE 'secret%'"))
          .containsExactly("0");
    }
  }

  @Test
  void aChangedFilterIsRefusedWhileTheRowsOfTheOldOneAreOnTheTarget() throws Exception {
    make("other");
    try (RunningDaemon running = RunningDaemon.start(config("other", RULES, ""))) {
      running.awaitPhase("replicating");
    }
    TaskConfig changed = config("other", RULES.replace("value: \"10.5\"", "value: \"11\""), "");

    assertThat(TaskChecks.of(changed).findings().problems())
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("table shop.Orders", "Bring the filter back");
    assertThatThrownBy(() -> new TaskDaemon(changed).run())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("shop.Orders")
        .hasMessageContaining("10.5")
        .hasMessageContaining("11");
  }

  @Test
  void aReloadCopiesTheFilteredRowsAndNewTablesWithFiltersWaitForOne() throws Exception {
    make("again");
    onSource(order(1, "c", "20"), order(2, "Z", "20"));
    String rules =
        RULES.replace(
            "object-locator: {schema-name: shop, table-name: Orders},\n       filters",
            "object-locator: {schema-name: shop, table-name: \"O%\"},\n       filters");
    try (RunningDaemon running = RunningDaemon.start(config("again", rules, ""))) {
      running.awaitPhase("replicating");
      onTarget("DELETE FROM sales.orders");
      running.daemon().reload(List.of(new TableId("shop", "Orders")));
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(SQLException.class)
          .untilAsserted(() -> assertThat(ids()).containsExactly("1"));
      onSource(
          "CREATE TABLE shop.\"O2\" (LIKE shop.\"Orders\" INCLUDING ALL)",
          "INSERT INTO shop.\"O2\" SELECT * FROM shop.\"Orders\"");
      assertThat(running.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
      assertSameRows();
      assertThat(onTarget("SELECT to_regclass('sales.\"O2\"')")).containsExactly("null");
    }
  }

  @Test
  void theCheckReportsEachProblemWithItsRule() throws Exception {
    make("check");
    onSource(
        "ALTER TABLE shop.\"Orders\" REPLICA IDENTITY DEFAULT",
        "ALTER TABLE shop.log ALTER COLUMN a TYPE text");
    String rules =
        RULES
            .replace("column-name: amount", "column-name: amuont")
            .replace("column-name: payload", "column-name: k")
            .replace("$code", "$cod");

    TaskChecks.Findings findings = TaskChecks.of(config("check", rules, "")).findings();

    assertThat(findings.problems())
        .extracting(Problem::toString)
        .anyMatch(text -> text.contains("rule 1 filters it") && text.contains("amuont"))
        .anyMatch(text -> text.contains("alter column k, by which it is partitioned"))
        .anyMatch(text -> text.contains("rule 15 computes column label from $cod"));
    assertThat(TaskChecks.of(config("check", RULES, "")).findings().problems())
        .extracting(Problem::toString)
        .anyMatch(text -> text.contains("REPLICA IDENTITY FULL") && text.contains("rule 1"));
  }

  private String statement() {
    int id = random.nextInt(40);
    return switch (random.nextInt(14)) {
      case 0, 1, 2 ->
          "INSERT INTO shop.\"Orders\" VALUES (%d, %s, %s, %s, 's', 'c' || %d) ON CONFLICT DO NOTHING"
              .formatted(id, tenant(), amount(), payload(), random.nextInt(1000));
      case 3, 4 ->
          "UPDATE shop.\"Orders\" SET \"Tenant\" = %s WHERE \"Id\" = %d".formatted(tenant(), id);
      case 5 ->
          "UPDATE shop.\"Orders\" SET amount = %s, secret = 'new' WHERE \"Id\" %% 5 = %d"
              .formatted(amount(), random.nextInt(5));
      case 6 ->
          """
          UPDATE shop."Orders" SET "Id" = %d, "Tenant" = %s WHERE "Id" = %d
            AND NOT EXISTS (SELECT FROM shop."Orders" WHERE "Id" = %d)"""
              .formatted(id + 40, tenant(), id, id + 40);
      case 7 -> "DELETE FROM shop.\"Orders\" WHERE \"Id\" %% 20 = %d".formatted(id % 20);
      case 8 ->
          """
          BEGIN; UPDATE shop."Orders" SET code = 'x' WHERE "Id" = (SELECT min("Id") FROM shop."Orders");
          UPDATE shop."Orders" SET payload = %s WHERE "Id" = %d; COMMIT"""
              .formatted(payload(), id)
              .replace("'x'", "'x" + random.nextInt(100000) + "'");
      case 9 ->
          "INSERT INTO shop.log SELECT %d, 'b', 's' || g, %s FROM generate_series(1, 2) g"
              .formatted(random.nextInt(8), payload());
      case 10 ->
          "UPDATE shop.log SET a = %d, secret = 'h' WHERE ctid = (SELECT min(ctid) FROM shop.log WHERE a = %d)"
              .formatted(random.nextInt(8), random.nextInt(8));
      case 11 -> "DELETE FROM shop.log WHERE a = %d AND secret = 's1'".formatted(random.nextInt(8));
      case 12 ->
          random.nextInt(12) == 0
              ? "TRUNCATE shop.\"Orders\", shop.log"
              : "INSERT INTO shop.part VALUES (%d, %s)".formatted(random.nextInt(20), payload());
      default ->
          "UPDATE shop.part SET k = %d WHERE k = %d"
              .formatted(random.nextInt(20), random.nextInt(20));
    };
  }

  private String tenant() {
    return List.of("'a'", "'A'", "'b'", "'B'", "'c'", "'M'", "'m'", "'n'", "'Z'", "NULL")
        .get(random.nextInt(10));
  }

  private String amount() {
    return List.of("10.5", "10.50", "9", "100", "NULL", "'NaN'").get(random.nextInt(6));
  }

  /** Short, or so long that an update of another column does not repeat it. */
  private String payload() {
    return random.nextBoolean()
        ? "'p" + random.nextInt(10) + "'"
        : "repeat('" + random.nextInt(10) + "', 9000)";
  }

  private static String order(int id, String tenant, String amount) {
    return "INSERT INTO shop.\"Orders\" VALUES (%d, '%s', %s, repeat('%d', 9000), 's', 'c%d')"
        .formatted(id, tenant, amount, id, id);
  }

  private List<String> ids() throws SQLException {
    return onTarget("SELECT id FROM sales.orders ORDER BY id");
  }

  private void assertSameRows(RunningDaemon running) throws Exception {
    assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    assertSameRows();
  }

  private void assertSameRows() throws Exception {
    for (Map.Entry<String, String> same : SAME_ROWS.entrySet()) {
      assertThat(sorted(onTarget(same.getValue())))
          .as(same.getValue())
          .isEqualTo(sorted(rows(SERVERS.source(), same.getKey())));
    }
  }

  private static List<String> sorted(List<String> rows) {
    return rows.stream().sorted().toList();
  }

  private void make(String database) throws SQLException {
    name = database;
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    onSource(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.\"Orders\" (\"Id\" int PRIMARY KEY, \"Tenant\" "
            + TENANT
            + ", amount numeric, payload text, secret text, code text UNIQUE)",
        "ALTER TABLE shop.\"Orders\" ALTER COLUMN payload SET STORAGE EXTERNAL,"
            + " REPLICA IDENTITY FULL",
        "CREATE TABLE shop.log (a int, b text, secret text, payload text)",
        "ALTER TABLE shop.log ALTER COLUMN payload SET STORAGE EXTERNAL, REPLICA IDENTITY FULL",
        "CREATE TABLE shop.part (k int, payload text) PARTITION BY RANGE (k)",
        "CREATE TABLE shop.part_1 PARTITION OF shop.part FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE shop.part_2 PARTITION OF shop.part FOR VALUES FROM (10) TO (20)",
        "ALTER TABLE shop.part_1 REPLICA IDENTITY FULL",
        "ALTER TABLE shop.part_2 REPLICA IDENTITY FULL");
  }

  private TaskConfig config(String task, String rules, String setting) throws Exception {
    return TaskFolder.of(
            folder.resolve(task), task, SERVERS.source(), SERVERS.target(), task, "shop")
        .rules(rules)
        .settings(
            """
            {FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},
             ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1%s},
             ErrorBehavior: {RecoverableErrorInterval: 0.2}%s}
            """
                .formatted(
                    setting.contains("Threads") ? ", BatchApplyPreserveTransaction: false" : "",
                    setting.isEmpty() ? "" : ", " + setting))
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
