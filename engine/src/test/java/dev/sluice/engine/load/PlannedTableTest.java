package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.load.log.LoadedTable;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlannedTableTest {
  private static final TableId TABLE = new TableId("app", "t");

  @Test
  void isKeptUnderTheSameRules() {
    assertThat(keptAfterOtherRules("")).isTrue();
  }

  @Test
  void isKeptIfOnlyTheRulesOfAnotherTableChange() {
    assertThat(keptAfterOtherRules(ofColumn("\"rename\", \"value\": \"x\"", "u", "b"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"rename\", \"value\": \"x\"",
        "\"remove-column\"",
        "\"change-data-type\", \"data-type\": {\"type\": \"int8\"}",
        "\"add-column\", \"value\": \"sum\", \"expression\": \"$a+1\","
            + " \"data-type\": {\"type\": \"int4\"}",
        "\"add-before-image-columns\", \"before-image-def\": {\"column-prefix\": \"was_\"}"
      })
  void isLoadedAgainIfARuleMakesOtherColumns(String rule) {
    assertThat(keptAfterOtherRules(ofColumn(rule, "t", "b"))).isFalse();
  }

  @Test
  void isLoadedAgainIfItGoesIntoAnotherTable() {
    assertThat(
            keptAfterOtherRules(
                """
                , {"rule-type": "transformation", "rule-id": "2", "rule-name": "2",
                   "rule-target": "table", "rule-action": "rename", "value": "other",
                   "object-locator": {"schema-name": "app", "table-name": "t"}}
                """))
        .isFalse();
  }

  @Test
  void isLoadedAgainIfItsFilterChanges() {
    assertThat(kept(selecting("b", "1"), selecting("b", "1"))).isTrue();
    assertThat(kept(selecting("b", "1"), selecting("b", "2"))).isFalse();
  }

  private static String ofColumn(String rule, String table, String column) {
    return """
        , {"rule-type": "transformation", "rule-id": "2", "rule-name": "2",
           "rule-target": "column", "rule-action": %s,
           "object-locator": {"schema-name": "app", "table-name": "%s"%s}}
        """
        .formatted(
            rule,
            table,
            rule.contains("add-column") ? "" : ", \"column-name\": \"" + column + "\"");
  }

  private static boolean keptAfterOtherRules(String more) {
    return kept(mappings("", ""), mappings("", more));
  }

  private static TableMappings selecting(String column, String value) {
    return mappings(
        """
        , "filters": [{"filter-type": "source", "column-name": "%s", "filter-conditions":
            [{"filter-operator": "eq", "value": "%s"}]}]
        """
            .formatted(column, value),
        "");
  }

  private static TableMappings mappings(String filters, String more) {
    return TableMappings.parse(
        "mappings",
        """
        {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action":
          "include", "object-locator": {"schema-name": "app", "table-name": "%"}
        """
            + filters
            + "}"
            + more
            + "]}",
        Optional.empty());
  }

  private static boolean kept(TableMappings before, TableMappings now) {
    String shape = planned(before).shape();
    return planned(now)
        .keeping(
            Optional.of(new LoadedTable(TABLE, shape, new Position(1), 1, 1)), Optional.empty())
        .kept()
        .isPresent();
  }

  private static PlannedTable planned(TableMappings mappings) {
    return PlannedTable.of(
        new RecordedTable(
            TABLE,
            7,
            List.of(new TableColumn("a", "integer", false), new TableColumn("b", "integer", false)),
            List.of("a"),
            false,
            List.of(new RecordedLeaf(TABLE, 7, 8, List.of("1 a", "2 b"), 0, 0, true))),
        mappings,
        List.of(new Segment(TABLE, 0, TABLE, new SegmentRange.Whole())));
  }
}
