package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DefinitionTriggerTest {

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
