package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DefinitionTriggerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void newTablesAreFollowedAsTheSelectionRulesSay() throws Exception {
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
  void theTriggersServeAsLongAsATaskUsesThem() {
    try (SourceFixture fixture = new SourceFixture()) {
      DefinitionTrigger one = new DefinitionTrigger(fixture.source.connections(), "one");
      DefinitionTrigger other = new DefinitionTrigger(fixture.source.connections(), "other");
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
  void theLastTaskLeavesWithoutHinderingAnApplicationThatAltersTables() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection application = fixture.source.connections().open()) {
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
  void anApplicationsStatementGoesOnAlsoWhereTheFailureCannotBeReported() throws Exception {
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
  void anotherReleaseIsInstalledWhileAnApplicationAltersTables() throws Exception {
    try (SourceFixture fixture = new SourceFixture();
        Connection application = fixture.source.connections().open()) {
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

  private static Set<TableId> published(SourceFixture fixture) throws Exception {
    try (Statement statement = fixture.connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT schemaname, tablename FROM pg_publication_tables")) {
      Set<TableId> tables = new TreeSet<>();
      while (rows.next()) {
        tables.add(new TableId(rows.getString(1), rows.getString(2)));
      }
      return tables;
    }
  }
}
