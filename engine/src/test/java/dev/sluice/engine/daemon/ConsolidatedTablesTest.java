package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.validate.only.OnlyResult;
import dev.sluice.engine.validate.only.TaskValidation;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tables of several sources in one table of the target, on real servers. */
@ExtendWith(SharedBroker.class)
class ConsolidatedTablesTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  private static final String TARGET = "all_rows";

  /** The tables with their columns, without what the target adds; the first one orders them. */
  private static final Map<String, String> TABLES =
      Map.of(
          "customer", "id, email, mood, phone, shown",
          "sale", "id, customer, amount",
          "visit", "day, number",
          "bill", "id");

  @BeforeAll
  static void createTarget() throws SQLException {
    SERVERS.target().createDatabase(TARGET);
  }

  @Test
  void theTablesOfEachSourceBecomePartitionsOfOneAfterItsCutover() throws Exception {
    make("eu");
    make("us");
    TaskConfig eu = config("eu", true);
    TaskConfig us = config("us", true);
    try (RunningDaemon ofEu = RunningDaemon.start(eu);
        RunningDaemon ofUs = RunningDaemon.start(us)) {
      ofEu.awaitPhase("replicating");
      ofUs.awaitPhase("replicating");
      for (String source : List.of("eu", "us")) {
        onSource(
            source,
            "INSERT INTO shop.customer (email, mood) VALUES ('c', 'sad')",
            "UPDATE shop.customer SET email = 'd' WHERE email = 'a'",
            "INSERT INTO shop.sale (customer, amount) VALUES (1, 7)",
            "UPDATE shop.visit SET number = 99 WHERE day = 5",
            "ALTER TABLE shop.customer ADD COLUMN phone text DEFAULT 'none'");
      }
      onSource("eu", "DELETE FROM shop.customer WHERE email = 'b'", "TRUNCATE shop.sale");
      assertThat(ofUs.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(TaskValidation.of(us).compare(List.of()).verdict())
          .isEqualTo(OnlyResult.Verdict.EQUAL);
      assertThat(ofEu.cutover(PATIENCE).success()).isTrue();
    }
    for (String table : TABLES.keySet()) {
      onTarget(
          "CREATE TABLE shop.%1$s (LIKE shop_eu.%1$s INCLUDING DEFAULTS INCLUDING GENERATED)"
                  .formatted(table)
              + " PARTITION BY LIST (tenant)");
      onTarget("ALTER TABLE shop.%s ALTER COLUMN tenant DROP DEFAULT".formatted(table));
    }
    onTarget("ALTER TABLE shop.customer ADD UNIQUE (tenant, id)");
    attach("eu");
    try (RunningDaemon ofUs = RunningDaemon.start(us)) {
      ofUs.awaitPhase("replicating");
      onSource("us", "INSERT INTO shop.customer (email, mood) VALUES ('f', 'glad')");
      assertThat(ofUs.cutover(PATIENCE).success()).isTrue();
    }
    attach("us");

    for (String source : List.of("eu", "us")) {
      for (Map.Entry<String, String> table : TABLES.entrySet()) {
        assertThat(
                onTarget(
                    "SELECT %s FROM shop.%s WHERE tenant = '%s' ORDER BY 1"
                        .formatted(table.getValue(), table.getKey(), source)))
            .as(source + "'s " + table.getKey())
            .isEqualTo(
                Sql.rows(
                    SERVERS.source(),
                    source,
                    "SELECT %s FROM shop.%s ORDER BY 1"
                        .formatted(table.getValue(), table.getKey())));
      }
    }
    // Numbers go on for each source, and keys and foreign keys hold within it.
    onTarget(
        "INSERT INTO shop.customer (id, email, mood, tenant)"
            + " VALUES (nextval('shop_eu.customer_id_seq'), 'e', 'glad', 'eu')");
    assertThat(onTarget("SELECT id, phone FROM shop.customer WHERE email = 'e'"))
        .containsExactly("4 | none");
    assertThatThrownBy(
            () -> onTarget("INSERT INTO shop.sale (id, customer, tenant) VALUES (9, 99, 'eu')"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("foreign key");
    assertThatThrownBy(() -> onTarget("UPDATE shop_us.sale SET tenant = 'eu'"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("partition");
    assertThat(onTarget("SELECT count(*) FROM shop.bill")).containsExactly("0");
  }

  @Test
  void theCheckNamesATableWithoutTheColumn() throws Exception {
    make("fr");
    onTarget("CREATE SCHEMA IF NOT EXISTS shop_fr");
    onTarget("CREATE TYPE shop_fr.mood AS ENUM ('sad', 'glad')");
    onTarget(
        "CREATE TABLE shop_fr.sale (id bigint PRIMARY KEY, customer int, amount numeric,"
            + " tenant text NOT NULL DEFAULT 'de')");

    List<String> problems =
        TaskChecks.of(config("fr", false)).findings().problems().stream()
            .map(Problem::toString)
            .toList();

    assertThat(problems)
        .anyMatch(
            text ->
                text.contains("shop_fr.sale: has no column tenant that is fr in each new row")
                    && text.contains("ALTER COLUMN \"tenant\" SET DEFAULT 'fr'"));
    onTarget("ALTER TABLE shop_fr.sale ALTER COLUMN tenant SET DEFAULT 'fr'");
    assertThat(TaskChecks.of(config("fr", false)).findings().problems())
        .extracting(Problem::toString)
        .noneMatch(text -> text.contains("shop_fr.sale"));
  }

  private static final String RULES =
      """
          - {rule-type: selection, rule-id: "1", rule-name: "1", rule-action: include,
             object-locator: {schema-name: shop, table-name: "%%"}}
          - {rule-type: transformation, rule-id: "2", rule-name: "2", rule-target: schema,
             rule-action: rename, object-locator: {schema-name: shop}, value: shop_%1$s}
          - {rule-type: transformation, rule-id: "3", rule-name: "3", rule-target: table,
             rule-action: consolidate, object-locator: {schema-name: shop, table-name: "%%"},
             consolidate-def: {column-name: tenant, column-value: "%1$s"}}
      """;

  private TaskConfig config(String source, boolean creates) throws Exception {
    return TaskFolder.of(
            folder.resolve(source), source, SERVERS.source(), SERVERS.target(), TARGET, "shop")
        .replacing("/" + TARGET, "/" + source)
        .rules(RULES.formatted(source))
        .replacing("migration-type", "run-source-code: true\nmigration-type")
        .settings(
            """
            {FullLoadSettings: {TargetTablePrepMode: %s},
             ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"""
                .formatted(creates ? "DROP_AND_CREATE" : "DO_NOTHING"))
        .config();
  }

  private static void attach(String source) throws SQLException {
    for (String table : TABLES.keySet()) {
      onTarget(
          "ALTER TABLE shop.%1$s ATTACH PARTITION shop_%2$s.%1$s FOR VALUES IN ('%2$s')"
              .formatted(table, source));
    }
  }

  /** The databases; every source has the same keys. */
  private void make(String source) throws SQLException {
    SERVERS.source().createDatabase(source);
    onSource(
        source,
        "CREATE SCHEMA shop",
        "CREATE TYPE shop.mood AS ENUM ('sad', 'glad')",
        "CREATE TABLE shop.customer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
            + " email text NOT NULL UNIQUE, mood shop.mood,"
            + " shown text GENERATED ALWAYS AS (upper(email)) STORED)",
        "CREATE TABLE shop.sale (id bigserial PRIMARY KEY,"
            + " customer int REFERENCES shop.customer, amount numeric)",
        "CREATE TABLE shop.visit (day int, number int, PRIMARY KEY (day, number))"
            + " PARTITION BY RANGE (day)",
        "CREATE TABLE shop.visit_1 PARTITION OF shop.visit FOR VALUES FROM (0) TO (10)",
        "INSERT INTO shop.visit SELECT day, day FROM generate_series(0, 9) day",
        "INSERT INTO shop.customer (email, mood) VALUES ('a', 'sad'), ('b', 'glad')",
        "INSERT INTO shop.sale (customer, amount) VALUES (1, 1), (2, 2)");
    if (source.equals("eu")) {
      onSource(source, "DELETE FROM shop.sale WHERE customer = 2");
    }
    onSource(
        source,
        "CREATE TABLE shop.bill (id int PRIMARY KEY)",
        "CREATE FUNCTION shop.bill() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN INSERT INTO shop.bill VALUES (NEW.id); RETURN NEW; END'",
        "CREATE TRIGGER billed AFTER INSERT ON shop.customer FOR EACH ROW"
            + " WHEN (NEW.email = 'e') EXECUTE FUNCTION shop.bill()");
  }

  private static void onSource(String source, String... statements) throws SQLException {
    try (Connection connection = SERVERS.source().connect(source);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> onTarget(String sql) throws SQLException {
    if (sql.startsWith("SELECT")) {
      return Sql.rows(SERVERS.target(), TARGET, sql);
    }
    try (Connection connection = SERVERS.target().connect(TARGET);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return List.of();
    }
  }
}
