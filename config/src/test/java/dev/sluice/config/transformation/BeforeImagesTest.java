package dev.sluice.config.transformation;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BeforeImagesTest {
  private static final TableId TABLE = new TableId("Shop", "orders");

  private static final Map<String, String> COLUMNS = new LinkedHashMap<>();

  static {
    COLUMNS.put("id", "text");
    COLUMNS.put("amount", "numeric(10,2)");
    COLUMNS.put("code", "character varying(20)");
    COLUMNS.put("note", "text");
    COLUMNS.put("title", "character varying");
    COLUMNS.put("image", "bytea");
  }

  @ParameterizedTest
  @CsvSource({
    "'', id",
    "pk-only, id",
    "non-lob, id amount code",
    "all, id amount code note title image"
  })
  void theFilterSaysWhichColumnsHaveOne(String filter, String columns) {
    TableMappings mappings =
        mappings(
            images(
                2,
                "orders",
                "\"column-prefix\": \"BI_\""
                    + (filter.isEmpty() ? "" : ", \"column-filter\": \"" + filter + "\"")));

    assertThat(
            COLUMNS.keySet().stream()
                .filter(column -> before(mappings, column).isPresent())
                .toList())
        .containsExactly(columns.split(" "));
    assertThat(mappings.wantsOldRows(TABLE))
        .isEqualTo(filter.equals("non-lob") || filter.equals("all"));
    assertThat(mappings.problemsOf(TABLE, COLUMNS, List.of("id"))).isEmpty();
    assertThat(mappings.mapsColumns()).isTrue();
  }

  @Test
  void beforeImagesAreNamedByTheTargetAndRemovedColumnsHaveNone() {
    TableMappings mappings =
        mappings(
            images(
                2,
                "%",
                "\"column-prefix\": \"was_\", \"column-suffix\": \"_before\","
                    + " \"column-filter\": \"all\""),
            ofColumn(3, "convert-uppercase", "amount", ""),
            ofColumn(4, "remove-column", "note", ""));

    assertThat(before(mappings, "amount")).contains("was_AMOUNT_before");
    assertThat(before(mappings, "code")).contains("was_code_before");
    assertThat(before(mappings, "note")).isEmpty();
    assertThat(mappings.columns().beforeOf(new TableId("other", "t"), "a", "integer", true))
        .isEmpty();
  }

  @Test
  void allProblemsOfRulesAreReportedTogether() {
    assertThat(
            problemsOf(
                () ->
                    mappings(
                        rule(2, "add-before-image-columns", "\"table-name\": \"t\"", ""),
                        images(3, "t", "\"column-filter\": \"all\""),
                        images(4, "t", "\"column-suffix\": \"\", \"column-prefix\": \"\""),
                        images(5, "t", "\"column-prefix\": \"b\", \"column-filter\": \"nonlob\""),
                        images(6, "t", "\"column-prefix\": \"b\", \"filter\": \"all\""))))
        .extracting(Problem::toString)
        .satisfiesExactly(
            text -> assertThat(text).contains("before-image-def", "is missing", "BI_"),
            text ->
                assertThat(text).contains("rule 3 has a before-image-def without prefix", "BI_"),
            text ->
                assertThat(text).contains("rule 4 has a before-image-def without prefix", "BI_"),
            text -> assertThat(text).contains("nonlob", "pk-only, non-lob, all"),
            text -> assertThat(text).contains("unknown key \"filter\"", "column-filter"));
  }

  @Test
  void allProblemsOfATableAreReportedWithTheRule() {
    String prefix = "b".repeat(60);
    TableMappings mappings =
        mappings(
            images(
                2,
                "orders",
                "\"column-prefix\": \"" + prefix + "\", \"column-filter\": \"non-lob\""),
            images(3, "ord%", "\"column-prefix\": \"x\""),
            ofColumn(4, "rename", "note", ", \"value\": \"" + prefix + "id\""));

    assertThat(mappings.problemsOf(TABLE, COLUMNS, List.of("id")))
        .extracting(Problem::found)
        .containsExactlyInAnyOrder(
            "rules 2, 3 all act on its before images",
            "the before image of amount by rule 2 would be called \""
                + prefix
                + "amount\", which has 66 bytes",
            "the before image of code by rule 2 would be called \""
                + prefix
                + "code\", which has 64 bytes",
            "columns [note, the before image of id by rule 2] would all become " + prefix + "id");
    assertThat(mappings.problemsOf(TABLE, COLUMNS, List.of()))
        .extracting(Problem::found)
        .containsExactly("rules 2, 3 all act on its before images");
  }

  @Test
  void theSelectionPatternsNameTablesThatNeedCompleteOldRows() {
    TableMappings mappings =
        mappings(
            images(2, "a", "\"column-prefix\": \"b\""),
            images(3, "o%", "\"column-prefix\": \"b\", \"column-filter\": \"all\""));

    assertThat(mappings.selectionPatterns())
        .extracting(SelectionPattern::says)
        .containsExactly(
            SelectionPattern.Says.INCLUDED,
            SelectionPattern.Says.EXCLUDED,
            SelectionPattern.Says.WHOLE_ROWS);
    assertThat("orders").matches(mappings.selectionPatterns().get(2).table());
  }

  @Test
  void aRuleForATableThatIsNotSelectedIsNamed() {
    TableMappings mappings = mappings(images(2, "odrers", "\"column-prefix\": \"b\""));

    assertThat(mappings.idleRules(Map.of(TABLE, List.of("id"))))
        .containsExactly("rule 2 matches no column of the selected tables: Shop.odrers.%");
  }

  private static Optional<String> before(TableMappings mappings, String column) {
    return mappings.columns().beforeOf(TABLE, column, COLUMNS.get(column), column.equals("id"));
  }

  private static String images(int id, String table, String definition) {
    return rule(
        id,
        "add-before-image-columns",
        "\"table-name\": \"" + table + "\"",
        ", \"before-image-def\": {" + definition + "}");
  }

  private static String ofColumn(int id, String action, String column, String further) {
    return rule(
        id, action, "\"table-name\": \"orders\", \"column-name\": \"" + column + "\"", further);
  }

  private static String rule(int id, String action, String locator, String further) {
    return """
    {"rule-type": "transformation", "rule-id": "%d", "rule-name": "%d", "rule-action": "%s",
     "rule-target": "column", "object-locator": {"schema-name": "Shop", %s}%s}\
    """
        .formatted(id, id, action, locator, further);
  }

  private static TableMappings mappings(String... transformations) {
    return TableMappings.parse(
        "mappings.json",
        """
        {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1",
          "rule-action": "include", "object-locator": {"schema-name": "Shop", "table-name": "%"}},\
        """
            + String.join(", ", transformations)
            + "]}",
        Optional.empty());
  }
}
