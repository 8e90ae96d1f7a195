package dev.sluice.config.mappings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each name that a task gives is turned back to the one it came from, or the task is refused. */
class ReversedMappingsTest {
  private static final List<String> SCHEMAS = List.of("a", "b", "x_a", "a_%", "other");
  private static final List<String> TABLES =
      List.of("item", "goods", "new_item", "new_goods", "item_old", "it%em", "tmp_1", "sold");

  private static String select(String action, String schema, String table) {
    return """
        {"rule-type": "selection", "rule-id": "s%d", "rule-name": "s%d", "rule-action": "%s",
         "object-locator": {"schema-name": "%s", "table-name": "%s"}}"""
        .formatted(
            (action + schema + table).hashCode() & 0xffff,
            (action + schema + table).hashCode() & 0xffff,
            action,
            schema,
            table);
  }

  private static String change(String id, String target, String name, String action, String value) {
    String[] parts = name.split("\\.");
    return """
        {"rule-type": "transformation", "rule-id": "%s", "rule-name": "%s", "rule-target": "%s",
         "object-locator": {"schema-name": "%s"%s}, "rule-action": "%s"%s}"""
        .formatted(
            id,
            id,
            target,
            parts[0],
            parts.length > 1 ? ", \"table-name\": \"" + parts[1] + "\"" : "",
            action,
            value.isEmpty() ? "" : ", \"value\": \"" + value + "\"");
  }

  private static TableMappings mappings(String... rules) {
    return TableMappings.parse(
        "test",
        Stream.of(rules).collect(Collectors.joining(",", "{\"rules\": [", "]}")),
        Optional.empty());
  }

  /** Whatever is selected comes back, and nothing that is not selected becomes it. */
  private static TableMappings turnedBack(String... rules) {
    TableMappings forward = mappings(rules);
    assertThat(forward.irreversible()).isEmpty();
    TableMappings back = forward.reversed();
    List<TableId> all =
        SCHEMAS.stream()
            .flatMap(schema -> TABLES.stream().map(table -> new TableId(schema, table)))
            .toList();
    List<TableId> selected = all.stream().filter(forward::selects).toList();
    // Two tables of one name are refused elsewhere.
    List<TableId> single =
        selected.stream()
            .filter(
                table ->
                    selected.stream()
                            .filter(
                                other -> forward.targetOf(other).equals(forward.targetOf(table)))
                            .count()
                        == 1)
            .toList();
    assertThat(single).isNotEmpty();
    for (TableId table : single) {
      TableId target = forward.targetOf(table);
      assertThat(back.selects(target)).as(target.toString()).isTrue();
      assertThat(back.targetOf(target)).as(target.toString()).isEqualTo(table);
    }
    // A table that comes later on the target never becomes one that has another name there.
    for (TableId later : all) {
      if (back.selects(later)) {
        TableId source = back.targetOf(later);
        if (single.contains(source)) {
          assertThat(forward.targetOf(source)).as(later.toString()).isEqualTo(later);
        }
      }
    }
    return back;
  }

  @Test
  void schemasAndTablesAreTurnedBack() {
    turnedBack(select("include", "a", "%"), change("1", "schema", "a", "rename", "other"));
    turnedBack(select("include", "a", "%"), change("1", "schema", "%", "add-prefix", "x_"));
    turnedBack(
        select("include", "a", "%"),
        select("include", "b", "item"),
        change("1", "schema", "a", "rename", "b"),
        change("2", "schema", "b", "rename", "a"));
    turnedBack(select("include", "%", "%"), change("1", "table", "%.%", "add-prefix", "new_"));
    turnedBack(select("include", "a", "%"), change("1", "table", "a.%", "add-suffix", "_old"));
    turnedBack(
        select("include", "a", "item"), change("1", "table", "a.%", "convert-uppercase", ""));
    turnedBack(select("include", "a[_]%", "%"), change("1", "table", "%.item", "rename", "goods"));
    turnedBack(select("include", "a", "%"), change("1", "table", "a.it[%]em", "rename", "100%"));
  }

  @Test
  void aTableOfTheOldNameIsNoTableOfTheTask() {
    TableMappings back =
        turnedBack(
            select("include", "a", "%"),
            change("1", "schema", "a", "rename", "b"),
            change("2", "table", "a.item", "rename", "parts"));
    assertThat(back.targetOf(new TableId("b", "parts"))).isEqualTo(new TableId("a", "item"));
    assertThat(back.selects(new TableId("b", "item"))).isFalse();
    assertThat(back.targetOf(new TableId("b", "later"))).isEqualTo(new TableId("a", "later"));
    assertThat(back.selects(new TableId("a", "later"))).isFalse();
  }

  @Test
  void tablesThatSwapTheirNamesAreTurnedBack() {
    turnedBack(
        select("include", "a", "%"),
        change("1", "table", "a.item", "rename", "goods"),
        change("2", "table", "a.goods", "rename", "item"));
  }

  @Test
  void aLaterTableWithoutThePrefixIsNotTheTasks() {
    TableMappings back =
        turnedBack(select("include", "a", "%"), change("1", "table", "a.%", "add-prefix", "new_"));
    assertThat(back.selects(new TableId("a", "later"))).isFalse();
    assertThat(back.targetOf(new TableId("a", "new_later"))).isEqualTo(new TableId("a", "later"));
  }

  @Test
  void excludedTablesStayExcluded() {
    TableMappings back =
        turnedBack(
            select("include", "a", "%"),
            select("exclude", "a", "tmp_%"),
            change("1", "table", "a.%", "add-prefix", "new_"));
    assertThat(back.selects(new TableId("a", "new_tmp_1"))).isFalse();
  }

  @Test
  void whatCannotBeTurnedBackHasAReason() {
    refused(
        "both become",
        select("include", "a", "%"),
        select("include", "b", "%"),
        change("1", "schema", "a", "rename", "b"));
    refused("pattern a%", select("include", "a%", "%"), change("1", "schema", "a", "rename", "c"));
    refused(
        "cannot be turned back without their names",
        select("include", "a", "%"),
        change("1", "table", "a.%", "convert-uppercase", ""));
    refused(
        "cannot be turned back without their names",
        select("include", "a", "%"),
        change("1", "table", "a.%", "remove-prefix", "new_"));
    refused(
        "may rename some tables",
        select("include", "a", "%"),
        change("1", "table", "a.it%", "add-prefix", "new_"));
    refused(
        "another rule gives",
        select("include", "a", "%"),
        change("1", "table", "a.item", "rename", "same"),
        change("2", "table", "a.goods", "rename", "same"));
    refused(
        "does not turn it back",
        select("include", "a", "%"),
        select("exclude", "a", "tmp%"),
        change("1", "table", "a.item", "rename", "tmp_item"));
    refused(
        "changes columns",
        select("include", "a", "%"),
        """
        {"rule-type": "transformation", "rule-id": "1", "rule-name": "1", "rule-target": "column",
         "object-locator": {"schema-name": "a", "table-name": "item", "column-name": "id"},
         "rule-action": "remove-column"}""");
  }

  private static void refused(String reason, String... rules) {
    assertThat(mappings(rules).irreversible()).anyMatch(found -> found.contains(reason));
  }
}
