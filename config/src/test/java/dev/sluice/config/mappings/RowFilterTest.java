package dev.sluice.config.mappings;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowFilterTest {
  private static final TableId TABLE = new TableId("s", "t");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"filter-operator\": \"eq\", \"value\": \"1\"} | (\"c\" = '1')",
        "{\"filter-operator\": \"noteq\", \"value\": \"a'b\"} | (\"c\" <> 'a''b')",
        "{\"filter-operator\": \"gte\", \"value\": 7} | (\"c\" >= '7')",
        "{\"filter-operator\": \"lte\", \"value\": \"7\"} | (\"c\" <= '7')",
        "{\"filter-operator\": \"ste\", \"value\": \"a\\\\b\"} | (\"c\" <= E'a\\\\b')",
        "{\"filter-operator\": \"between\", \"start-value\": \"1\", \"end-value\": \"9\"} | (\"c\""
            + " BETWEEN '1' AND '9')",
        "{\"filter-operator\": \"notbetween\", \"start-value\": \"1\", \"end-value\": \"9\"} |"
            + " (\"c\" NOT BETWEEN '1' AND '9')",
        "{\"filter-operator\": \"null\"} | (\"c\" IS NULL)",
        "{\"filter-operator\": \"notnull\", \"value\": \"\"} | (\"c\" IS NOT NULL)"
      })
  void everyOperatorIsPostgresOwn(String condition, String sql) {
    assertThat(filter("[" + filterOn("c", condition) + "]").orElseThrow().condition())
        .isEqualTo("(" + sql + ")");
  }

  @Test
  void aRowPassesIfEachFilterHasATrueCondition() {
    String either =
        "{\"filter-operator\": \"eq\", \"value\": \"1\"}, {\"filter-operator\": \"null\"}";
    String other = "{\"filter-operator\": \"gte\", \"value\": \"x\"}";

    assertThat(
            filter("[" + filterOn("a", either) + ", " + filterOn("b\\\"q", other) + "]")
                .orElseThrow()
                .condition())
        .isEqualTo("((\"a\" = '1' OR \"a\" IS NULL) AND (\"b\"\"q\" >= 'x'))");
  }

  @Test
  void allProblemsOfFiltersAreReportedTogether() {
    String filters =
        """
        [{"filter-type": "target", "column-name": "a", "filter-conditions": []},
         {"filter-type": "source", "filter-conditions": [{"filter-operator": "like", "value": "1"}]},
         {"filter-type": "source", "column-name": "b", "filter-conditions": [
           {"filter-operator": "between", "start-value": "1"}]},
         {"filter-type": "source", "column-name": "c", "filter-conditions": [
           {"filter-operator": "noteq", "value": "1"}, {"filter-operator": "eq", "value": "2"}]}]\
        """;

    assertThat(problemsOf(() -> filter(filters)))
        .extracting(Problem::found)
        .containsExactly(
            "the text \"target\"",
            "rule 7 has a filter without conditions",
            "is missing",
            "the text \"like\"",
            "is missing",
            "rule 7 has noteq or notbetween together with other conditions in one filter");
  }

  @Test
  void anExcludingRuleMustNotHaveAFilter() {
    String exclude =
        """
        {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "include",
          "object-locator": {"schema-name": "s", "table-name": "%"}},
          {"rule-type": "selection", "rule-id": "2", "rule-name": "2", "rule-action": "exclude",
          "object-locator": {"schema-name": "s", "table-name": "t"}, "filters": [{"filter-type":
          "source", "column-name": "a", "filter-conditions": [{"filter-operator": "null"}]}]}]}\
        """;

    assertThat(problemsOf(() -> TableMappings.parse("m", exclude, Optional.empty())))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("rule 2 excludes tables and has filters");
  }

  @Test
  void rulesWithDifferentFiltersForOneTableAreAProblem() {
    TableMappings mappings =
        TableMappings.parse(
            "m",
            """
            {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action":
              "include", "object-locator": {"schema-name": "s", "table-name": "%"}},
              {"rule-type": "selection", "rule-id": "2", "rule-name": "2", "rule-action": "include",
              "object-locator": {"schema-name": "s", "table-name": "t"}, "filters": [{"filter-type":
              "source", "column-name": "a", "filter-conditions": [{"filter-operator": "null"}]}]}]}\
            """,
            Optional.empty());

    assertThat(mappings.problemsOf(TABLE, java.util.Map.of("a", "integer"), java.util.List.of()))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("rules [1, 2] include it with different filters");
    assertThat(
            mappings.problemsOf(
                new TableId("s", "u"), java.util.Map.of("a", "integer"), java.util.List.of()))
        .isEmpty();
  }

  private static String filterOn(String column, String conditions) {
    return "{\"filter-type\": \"source\", \"column-name\": \"%s\", \"filter-conditions\": [%s]}"
        .formatted(column, conditions);
  }

  private static Optional<RowFilter> filter(String filters) {
    return TableMappings.parse(
            "mappings.json",
            """
            {"rules": [{"rule-type": "selection", "rule-id": "7", "rule-name": "7",
              "rule-action": "include", "object-locator": {"schema-name": "s", "table-name": "t"},
              "filters": %s}]}\
            """
                .formatted(filters),
            Optional.empty())
        .filter(TABLE);
  }
}
