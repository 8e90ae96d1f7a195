package dev.sluice.config.mappings;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.Resources;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.transformation.SelectionPattern;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TableMappingsTest {

  @Test
  void theSelectionRuleOfAnArticleSelectsEveryTableOfItsSchema() {
    TableMappings mappings = parse(Resources.text("article-selection.json"));

    assertThat(mappings.selects(new TableId("RDSDB", "STOCK"))).isTrue();
    assertThat(mappings.selects(new TableId("rdsdb", "STOCK"))).isFalse();
    assertThat(mappings.notes()).isEmpty();
  }

  @Test
  void parallelLoadRulesOfAnArticleGiveTheSegments() {
    TableMappings mappings = parse(Resources.text("article-parallel-load.json"));

    assertThat(mappings.notes()).isEmpty();
    assertThat(mappings.parallelLoad())
        .hasSize(3)
        .containsEntry(new TableId("RDSDB", "STOCK"), new ParallelLoad.Partitions("2", List.of()))
        .containsEntry(
            new TableId("RDSDB", "ORDER_LINE"),
            new ParallelLoad.Ranges(
                "3",
                List.of("OL_O_ID", "OL_W_ID", "OL_D_ID"),
                List.of(
                    List.of("1200", "400", "4"),
                    List.of("1800", "600", "6"),
                    List.of("2400", "800", "8"))));
  }

  @Test
  void invalidParallelLoadRulesAreRefusedWithTheirId() {
    assertThat(refused("\"type\": \"subpartitions-auto\"")).isEqualTo("rule 2 has subpartitions");
    assertThat(refused("\"type\": \"range\"")).isEqualTo("the text \"range\"");
    assertThat(
            refused(
                "\"type\": \"ranges\", \"columns\": [\"a\", \"b\"],"
                    + " \"boundaries\": [[1, 2], [3]]"))
        .isEqualTo("rule 2 has a boundary of 1 value");
    assertThat(refused("\"type\": \"ranges\", \"columns\": [\"a\"]")).isEqualTo("is missing");
    assertThat(refused("\"type\": \"partitions-list\", \"partitions\": []")).isEqualTo("a list");
  }

  private static String refused(String settings) {
    List<Problem> problems = problemsOf(() -> parse(parallelLoad(settings)));
    assertThat(problems).hasSize(1);
    return problems.get(0).found();
  }

  private static String parallelLoad(String settings) {
    return rules(
        include(1, "s", "%"),
        """
        {"rule-type": "table-settings", "rule-id": "2", "rule-name": "2",
         "object-locator": {"schema-name": "s", "table-name": "t"}, "parallel-load": {%s}}
        """
            .formatted(settings));
  }

  @Test
  void aRuleGivesATableItsOwnApplySettings() {
    TableMappings mappings =
        parse(
            rules(
                include(1, "s", "%"),
                batchApply(
                    2,
                    "order_line",
                    "\"BatchSplitSize\": 1000, \"BatchApplyTimeoutMax\": 0.5,"
                        + " \"BatchApplyTimeoutMin\": 0, \"BatchApplyMemoryLimit\": 3"),
                batchApply(3, "audit", "\"BatchApplyEnabled\": false")));

    assertThat(mappings.batchApply().of(new TableId("s", "order_line")))
        .contains(
            new BatchApplyOverride(
                false,
                Optional.of(Duration.ZERO),
                Optional.of(Duration.ofMillis(500)),
                Optional.of(DataSize.ofMebibytes(3)),
                OptionalInt.of(1000)));
    assertThat(mappings.batchApply().of(new TableId("s", "audit")).orElseThrow().oneByOne())
        .isTrue();
    assertThat(mappings.batchApply().of(new TableId("s", "orderXline"))).isEmpty();
  }

  @Test
  void allProblemsOfSettingsOfSingleTablesAreReported() {
    assertThat(
            problemsOf(
                () ->
                    parse(
                        rules(
                            include(1, "s", "%"),
                            batchApply(2, "a%", "\"BatchSplitSize\": 1"),
                            batchApply(3, "b", "\"BatchSplitSise\": 1"),
                            batchApply(4, "c", "\"BatchSplitSize\": -1"),
                            batchApply(5, "d", "\"BatchApplyEnabled\": true"),
                            batchApply(
                                6, "e", "\"BatchApplyTimeoutMin\": 2, \"BatchApplyTimeoutMax\": 1"),
                            batchApply(7, "f", "\"BatchSplitSize\": 1"),
                            batchApply(8, "f", "\"BatchSplitSize\": 2"),
                            batchApply(9, "g", "\"MemoryKeepTime\": 2")))))
        .extracting(Problem::found)
        .satisfiesExactly(
            found -> assertThat(found).isEqualTo("the name \"a%\""),
            found -> assertThat(found).isEqualTo("unknown key \"BatchSplitSise\""),
            found -> assertThat(found).isEqualTo("-1"),
            found -> assertThat(found).startsWith("true is not supported"),
            found -> assertThat(found).startsWith("BatchApplyTimeoutMin is 2 s"),
            found -> assertThat(found).isEqualTo("batch-apply for s.f occurs a second time"),
            found -> assertThat(found).isEqualTo("unknown key \"MemoryKeepTime\""));
  }

  @Test
  void settingsOfATableThatIsNotSelectedAreAProblem() {
    assertThat(
            problemsOf(
                () ->
                    parse(
                        rules(
                            include(1, "s", "order%"),
                            batchApply(2, "oders", "\"BatchSplitSize\": 1")))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("batch-apply for s.oders, which no rule selects");
  }

  private static String batchApply(int id, String table, String settings) {
    return """
    {"rule-type": "table-settings", "rule-id": "%d", "rule-name": "%d",
     "object-locator": {"schema-name": "s", "table-name": "%s"}, "batch-apply": {%s}}\
    """
        .formatted(id, id, table, settings);
  }

  @Test
  void anExclusionWinsInAnyOrder() {
    TableMappings mappings =
        parse(rules(selection(1, "exclude", "s", "log[_]%", ""), include(2, "s", "%")));

    assertThat(mappings.selects(new TableId("s", "log_2024"))).isFalse();
    assertThat(mappings.selects(new TableId("s", "logs"))).isTrue();
    assertThat(mappings.selects(new TableId("t", "logs"))).isFalse();
  }

  @Test
  void postgresOwnSchemasAreNeverSelected() {
    TableMappings mappings = parse(rules(include(1, "%", "%")));

    assertThat(mappings.selects(new TableId("pg_catalog", "pg_class"))).isFalse();
    assertThat(mappings.selects(new TableId("information_schema", "sql_parts"))).isFalse();
    assertThat(mappings.selects(new TableId("pgbench", "accounts"))).isTrue();
  }

  @Test
  void explicitTablesAreNamedUnlessExcluded() {
    TableMappings mappings =
        parse(
            rules(
                selection(1, "explicit", "s", "order[_]line", ""),
                selection(2, "explicit", "s", "gone", ""),
                selection(3, "exclude", "s", "gone", "")));

    assertThat(mappings.explicitTables()).containsExactly(new TableId("s", "order_line"));
    assertThat(mappings.selects(new TableId("s", "order_line"))).isTrue();
  }

  @Test
  void anExplicitRuleMustNotHaveAWildcard() {
    assertThat(problemsOf(() -> parse(rules(selection(1, "explicit", "s", "a%", "")))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("the wildcard name \"a%\" in an explicit rule");
  }

  @Test
  void theHighestLoadOrderOfTheMatchingRulesCounts() {
    TableMappings mappings =
        parse(
            rules(
                selection(1, "include", "s", "%", ", \"load-order\": \"2\""),
                selection(2, "include", "s", "big", ", \"load-order\": 7"),
                include(3, "t", "%")));

    assertThat(mappings.loadOrder(new TableId("s", "big"))).hasValue(7);
    assertThat(mappings.loadOrder(new TableId("s", "small"))).hasValue(2);
    assertThat(mappings.loadOrder(new TableId("t", "any"))).isEmpty();
    assertThat(mappings.notes()).hasSize(2);
  }

  @Test
  void theTargetSchemaRenamesAndCollisionsAreFound() {
    TableMappings mappings =
        TableMappings.parse("mappings.json", rules(include(1, "%", "%")), Optional.of("copy"));

    assertThat(mappings.targetOf(new TableId("s", "t"))).isEqualTo(new TableId("copy", "t"));
    assertThat(
            mappings.collisions(
                List.of(new TableId("b", "t"), new TableId("a", "t"), new TableId("a", "u"))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("the tables a.t and b.t would both become copy.t");
    TableId unchanged = new TableId("s", "t");
    assertThat(parse(rules(include(1, "%", "%"))).targetOf(unchanged)).isEqualTo(unchanged);
  }

  @Test
  void aRuleIsForTablesUnlessItHasAnotherTableType() {
    TableMappings mappings =
        parse(
            rules(
                include(1, "a", "%"),
                typed(2, "include", "b", "%", "all", ""),
                typed(3, "include", "a", "v%", "view", ""),
                selection(4, "exclude", "b", "t%", ""),
                typed(5, "exclude", "a", "v_old", "view", "")));
    TableMappings views = mappings.ofViews();

    assertThat(mappings.includesViews()).isTrue();
    assertThat(views.selects(new TableId("a", "v1"))).isTrue();
    assertThat(views.selects(new TableId("a", "other"))).isFalse();
    assertThat(views.selects(new TableId("b", "t1"))).isTrue();
    assertThat(mappings.selects(new TableId("b", "t1"))).isFalse();
    assertThat(views.selects(new TableId("a", "v_old"))).isFalse();
    assertThat(mappings.selects(new TableId("a", "v_old"))).isTrue();
    assertThat(views.selects(new TableId("pg_catalog", "v"))).isFalse();
    assertThat(mappings.selection())
        .isEqualTo(
            "include a.%, include tables and views b.%, include views a.v%, exclude b.t%,"
                + " exclude views a.v_old");
    assertThat(parse(rules(include(1, "a", "%"))).includesViews()).isFalse();
  }

  @Test
  void filtersAndLoadOrderOfViewsComeFromTheirRules() {
    TableMappings mappings =
        parse(
            rules(
                include(1, "a", "%"),
                typed(
                    2,
                    "include",
                    "a",
                    "v",
                    "view",
                    """
                    , "load-order": 3, "filters": [{"filter-type": "source", "column-name": "n",
                      "filter-conditions": [{"filter-operator": "gte", "value": "7"}]}]\
                    """)));
    TableId view = new TableId("a", "v");

    assertThat(mappings.filter(view)).isEmpty();
    assertThat(mappings.loadOrder(view)).isEmpty();
    assertThat(mappings.ofViews().filter(view)).isPresent();
    assertThat(mappings.cutAt(1).ofViews().loadOrder(view)).hasValue(3);
    assertThat(mappings.selectionPatterns())
        .extracting(SelectionPattern::says)
        .containsExactly(SelectionPattern.Says.INCLUDED, SelectionPattern.Says.EXCLUDED);
  }

  @Test
  void noRuleSelectsSluicesOwnSchemas() {
    TableMappings mappings =
        parse(
                """
                {"rules": [
                  {"rule-type": "selection", "rule-id": 1, "rule-name": "1", "rule-action": "include",
                   "object-locator": {"schema-name": "%", "table-name": "%", "table-type": "all"}},
                  {"rule-type": "selection", "rule-id": 2, "rule-name": "2", "rule-action": "explicit",
                   "object-locator": {"schema-name": "sluice[_]control", "table-name": "checkpoint"}}]}\
                """)
            .withControlSchema("ops [_%] \\ |.*");
    for (String schema :
        List.of(
            "sluice_control", "sluice_ddl", "sluice_moved", "sluice_cutover", "ops [_%] \\ |.*")) {
      TableId table = new TableId(schema, "checkpoint");
      assertThat(mappings.selects(table)).as(schema).isFalse();
      assertThat(mappings.ofViews().selects(table)).as(schema).isFalse();
      assertThat(mappings.selectionPatterns())
          .anySatisfy(
              pattern -> {
                assertThat(pattern.says()).isEqualTo(SelectionPattern.Says.EXCLUDED);
                assertThat(schema).matches(pattern.schema());
                assertThat("checkpoint").matches(pattern.table());
              });
    }
    assertThat(mappings.isInControlSchema(new TableId("ops [_%] \\ |.*", "mine"))).isTrue();
    for (String schema : List.of("sluice", "xsluice_control", "sluice_controls", "ops")) {
      assertThat(mappings.selects(new TableId(schema, "orders"))).as(schema).isTrue();
      assertThat(mappings.isInControlSchema(new TableId(schema, "orders"))).as(schema).isFalse();
      assertThat(mappings.selectionPatterns())
          .filteredOn(pattern -> pattern.says() == SelectionPattern.Says.EXCLUDED)
          .noneSatisfy(pattern -> assertThat(schema).matches(pattern.schema()));
    }
  }

  @Test
  void anUnknownTableTypeIsRefused() {
    assertThat(problemsOf(() -> parse(rules(typed(9, "include", "a", "%", "views", "")))))
        .singleElement()
        .extracting(Problem::found)
        .asString()
        .contains("views");
  }

  @Test
  void anEmptyListOfFiltersIsNoFilter() {
    assertThat(parse(rules(selection(1, "include", "s", "t", ", \"filters\": []"))).notes())
        .isEmpty();
  }

  @Test
  void aTablesLobSettingsOverrideTheTasksLimit() {
    TableMappings mappings =
        parse(
                rules(
                    selection(1, "include", "s", "%", ""),
                    lobSettings(2, "whole", "\"mode\": \"unlimited\", \"bulk-max-size\": \"64\""),
                    lobSettings(3, "short", "\"mode\": \"limited\", \"bulk-max-size\": \"2\"")))
            .cutAt(32);
    assertThat(mappings.lobLimits().of(new TableId("s", "whole"))).isZero();
    assertThat(mappings.lobLimits().of(new TableId("s", "short"))).isEqualTo(2 * 1024);
    assertThat(mappings.lobLimits().of(new TableId("s", "other"))).isEqualTo(32 * 1024);
    assertThat(mappings.cutAt(0).lobLimits().cuts()).isTrue();
  }

  @Test
  void unsupportedLobSettingsAreRefused() {
    assertThat(
            problemsOf(
                () ->
                    parse(
                        rules(
                            selection(1, "include", "s", "%", ""),
                            lobSettings(2, "a", "\"mode\": \"none\""),
                            lobSettings(3, "b", "\"mode\": \"limited\""),
                            lobSettings(4, "c", "\"mode\": \"inline\"")))))
        .extracting(Problem::found)
        .satisfiesExactly(
            none -> assertThat(none).contains("rule 2 skips LOB columns"),
            limited ->
                assertThat(limited).contains("rule 3 cuts values, but has no valid bulk-max-size"),
            unknown -> assertThat(unknown).contains("inline"));
  }

  private static String lobSettings(int id, String table, String settings) {
    return """
    {"rule-type": "table-settings", "rule-id": "%d", "rule-name": "%d",
     "object-locator": {"schema-name": "s", "table-name": "%s"}, "lob-settings": {%s}}
    """
        .formatted(id, id, table, settings);
  }

  @Test
  void aRuleThatComparesTheResultsOfFunctionsIsRefused() {
    String rule =
        """
        {"rule-type": "validation", "rule-id": "4", "rule-name": "4", "rule-target": "column",
         "rule-action": "override-validation-function",
         "object-locator": {"schema-name": "s", "table-name": "t", "column-name": "c"},
         "source-function": "REPLACE(${column-name}, chr(0), chr(32))",
         "target-function": "${column-name}"}
        """;

    assertThat(problemsOf(() -> parse(rules(selection(1, "include", "s", "%", ""), rule))))
        .singleElement()
        .asString()
        .contains("rule 4 compares the results of functions");
  }

  @Test
  void severalMistakesAreReportedTogether() {
    String mistaken =
        """
        {"rules": [
          {"rule-type": "selction", "rule-id": "1"},
          {"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action": "includ",
           "object-locator": {"schema-name": "a[", "tabel-name": "t"}, "load-order": "first"}
        ]}
        """;

    assertThat(problemsOf(() -> parse(mistaken)))
        .extracting(problem -> problem.thing() + ": " + problem.found() + " → " + problem.fix())
        .containsExactlyInAnyOrder(
            "mappings.json:2:17 rules[0].rule-type: unknown rule-type \"selction\""
                + " → Did you mean \"selection\"?",
            "mappings.json:3:41 rules[1].rule-id: rule-id 1 occurs a second time"
                + " → Give this rule another id",
            "mappings.json:3:79 rules[1].rule-action: the text \"includ\""
                + " → Did you mean \"include\"?",
            "mappings.json:4:78 rules[1].load-order: load-order first"
                + " → Write a number; tables with higher numbers are loaded first",
            "mappings.json:4:38 rules[1].object-locator.schema-name: the name \"a[\": the bracket ["
                + " is not closed → Close the bracket; for the character [ itself write [[]",
            "mappings.json:4:22 rules[1].object-locator.table-name: is missing → Add"
                + " \"table-name\"",
            "mappings.json:4:44 rules[1].object-locator.tabel-name: unknown key \"tabel-name\""
                + " → Did you mean \"table-name\"?");
  }

  @Test
  void rulesThatIncludeNothingAreAProblem() {
    assertThat(problemsOf(() -> parse("{\"rules\": []}"))).hasSize(1);
    assertThat(problemsOf(() -> parse(rules(selection(1, "exclude", "s", "t", ""))))).hasSize(1);
  }

  private static TableMappings parse(String json) {
    return TableMappings.parse("mappings.json", json, Optional.empty());
  }

  private static String rules(String... rules) {
    return "{\"rules\": [" + String.join(", ", rules) + "]}";
  }

  private static String include(int id, String schema, String table) {
    return selection(id, "include", schema, table, "");
  }

  private static String typed(
      int id, String action, String schema, String table, String type, String further) {
    String name = "\"table-name\": \"%s\"".formatted(table);
    return selection(id, action, schema, table, further)
        .replace(name, name + ", \"table-type\": \"%s\"".formatted(type));
  }

  private static String selection(
      int id, String action, String schema, String table, String further) {
    return "{\"rule-type\": \"selection\", \"rule-id\": \"%d\", \"rule-name\": \"%d\","
            .formatted(id, id)
        + " \"rule-action\": \"%s\", \"object-locator\": {\"schema-name\": \"%s\","
            .formatted(action, schema)
        + " \"table-name\": \"%s\"}%s}".formatted(table, further);
  }
}
