package dev.sluice.config.transformation;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

class TransformationsTest {
  private static final TableId TABLE = new TableId("Shop", "Old_orders");

  @ParameterizedTest
  @CsvSource({
    "rename, '\"value\": \"New\"', New, New, New",
    "rename, '\"value\": \"New\", \"old-value\": null', New, New, New",
    "convert-lowercase, '', shop, old_orders, old_price",
    "convert-lowercase, '\"value\": null, \"old-value\": null', shop, old_orders, old_price",
    "convert-uppercase, '', SHOP, OLD_ORDERS, OLD_PRICE",
    "add-prefix, '\"value\": \"x_\"', x_Shop, x_Old_orders, x_Old_price",
    "add-suffix, '\"value\": \"_x\"', Shop_x, Old_orders_x, Old_price_x",
    "remove-prefix, '\"value\": \"Old_\"', Shop, orders, price",
    "remove-suffix, '\"value\": \"e\"', Shop, Old_orders, Old_pric",
    "replace-prefix, '\"old-value\": \"Old_\", \"value\": \"N_\"', Shop, N_orders, N_price",
    "replace-suffix, '\"old-value\": \"e\", \"value\": \"E\"', Shop, Old_orders, Old_pricE"
  })
  void everyActionOnNamesActsOnSchemasTablesAndColumns(
      String action, String value, String schema, String table, String column) {
    String further = value.isEmpty() ? "" : ", " + value;
    TableMappings mappings =
        mappings(
            rule(2, action, "schema", "\"schema-name\": \"S%\"", further),
            rule(3, action, "table", "\"schema-name\": \"Shop\", \"table-name\": \"%\"", further),
            rule(
                4,
                action,
                "column",
                "\"schema-name\": \"%\", \"table-name\": \"Old[_]%\", \"column-name\": \"Old%\"",
                further));

    assertThat(mappings.targetOf(TABLE)).isEqualTo(new TableId(schema, table));
    assertThat(mappings.columns().of(TABLE, "Old_price")).contains(column);
    assertThat(mappings.columns().of(TABLE, "id")).contains("id");
    assertThat(mappings.problemsOf(TABLE, columns("id", "Old_price"), List.of("id"))).isEmpty();
  }

  @Test
  void columnsAreRemovedByNameOrBecauseOthersAreIncluded() {
    TableMappings mappings =
        mappings(
            ofColumn(2, "remove-column", "a", "secret%", ""),
            ofColumn(3, "include-column", "b", "id", ""),
            ofColumn(4, "include-column", "b", "na%", ""));

    assertThat(mappings.columns().of(new TableId("Shop", "a"), "secret_1")).isEmpty();
    assertThat(mappings.columns().of(new TableId("Shop", "a"), "open")).contains("open");
    assertThat(mappings.columns().of(new TableId("Shop", "b"), "name")).contains("name");
    assertThat(mappings.columns().of(new TableId("Shop", "b"), "price")).isEmpty();
    assertThat(mappings.columns().of(new TableId("Shop", "c"), "price")).contains("price");
  }

  @Test
  void typesAreThoseOfPostgres() {
    TableMappings mappings =
        mappings(
            ofColumn(2, "change-data-type", "t", "a", type("\"type\": \"int8\"")),
            ofColumn(3, "change-data-type", "t", "b", type("\"type\": \"string\", \"length\": 50")),
            ofColumn(
                4,
                "change-data-type",
                "t",
                "c",
                type("\"type\": \"numeric\", \"precision\": \"10\", \"scale\": \"2\"")),
            ofColumn(
                5, "change-data-type", "t", "d", type("\"type\": \"datetime\", \"scale\": 3")));

    assertThat(List.of("a", "b", "c", "d", "e"))
        .extracting(column -> mappings.columns().typeOf(new TableId("Shop", "t"), column))
        .containsExactly(
            Optional.of("bigint"),
            Optional.of("character varying(50)"),
            Optional.of("numeric(10,2)"),
            Optional.of("timestamp(3) without time zone"),
            Optional.empty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      value = {
        "$a => \"A\"",
        "$a||'_'||$b => ( ( ( \"A\" )::text || ( '_'::text )::text ) || ( \"B\" )::text )",
        "$a + 2 * $b => ( \"A\" + ( 2 * \"B\" ) )",
        "upper(substr($a, 1, 3)) => upper( ( substr( ( \"A\" )::text , 1 , 3 ) )::text )",
        "ifnull($a, 'none') => coalesce( \"A\" , 'none'::text )",
        "CASE WHEN $a IS NULL OR NOT $b == 1 THEN 'x' ELSE -1 END => CASE WHEN ( ( \"A\" IS NULL )"
            + " OR ( NOT ( \"B\" = 1 ) ) ) THEN 'x'::text ELSE ( - 1 ) END",
        "$AR_M_SOURCE_SCHEMA || $AR_M_SOURCE_TABLE_NAME => ( ( 'Shop'::text )::text || ("
            + " 't''s'::text )::text )"
      })
  void expressionsAreWrittenForPostgres(String expression, String sql) {
    assertThat(
            ColumnExpression.parse(expression)
                .sql(new TableId("Shop", "t's"), name -> name.toUpperCase(java.util.Locale.ROOT)))
        .isEqualTo(sql);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      value = {
        "random() => a different value each time",
        "$AR_H_OPERATION => belongs to the change",
        "operation_indicator('D','U','I') => depends on the change",
        "max($a, $b) => NULL differently",
        "strftime('%Y', $a) => reads any text",
        "pg_sleep(5) => pg_sleep() is not one of: substr, abs",
        "substr($a, -2) => whole numbers from 1",
        "a || 'x' => a column is written $a",
        "$a || => is incomplete",
        "$a $b => \"$b\" is not expected there",
        "($a => \")\" is missing",
        "lower($a, $b) => lower() with 2 arguments",
        "$a; DROP TABLE x => syntax error at \"; DROP TABLE x\""
      })
  void whatMeansSomethingElseOrNothingIsRefused(String expression, String why) {
    assertThatThrownBy(() -> ColumnExpression.parse(expression)).hasMessageContaining(why);
  }

  @Test
  void unsupportedRulesAreReportedTogether() {
    String table = "\"schema-name\": \"Shop\", \"table-name\": \"t\"";
    assertThat(
            problemsOf(
                () ->
                    mappings(
                        rule(2, "remove-column", "table", table, ""),
                        rule(3, "rename", "table", table, ""),
                        ofColumn(4, "data-masking-digits-mask", "t", "a", ""),
                        ofColumn(6, "change-data-type", "t", "a", type("\"type\": \"int3\"")),
                        rule(
                            7,
                            "add-column",
                            "column",
                            table,
                            type("\"type\": \"string\"")
                                + ", \"value\": \"x\", \"expression\": \"random()\""),
                        rule(
                            8,
                            "define-primary-key",
                            "table",
                            table,
                            ", \"primary-key-def\": {\"name\": \"pk\", \"columns\": []}"),
                        rule(9, "renam", "schema", "\"schema-name\": \"Shop\"", ""))))
        .extracting(Problem::found)
        .satisfiesExactly(
            found ->
                assertThat(found)
                    .isEqualTo("rule 2 has the rule-action \"remove-column\" for a table"),
            found -> assertThat(found).isEqualTo("is missing"),
            found ->
                assertThat(found).isEqualTo("rule 4: data-masking-digits-mask is not built yet"),
            found -> assertThat(found).contains("int3"),
            found -> assertThat(found).contains("rule 7: the expression random()"),
            found -> assertThat(found).isEqualTo("a list"),
            found ->
                assertThat(found).isEqualTo("rule 9 has the rule-action \"renam\" for a schema"));
  }

  @Test
  void tablespacesAreNamedAndHaveNoEffect() {
    TableMappings mappings =
        mappings(
            rule(2, "rename", "table-tablespace", "\"data-table-tablespace-name\": \"x\"", ""));

    assertThat(mappings.notes())
        .singleElement()
        .asString()
        .startsWith("rule 2: table-tablespace rules have no effect");
    assertThat(mappings.transforms()).isFalse();
  }

  @Test
  void aSchemaRuleTogetherWithATargetSchemaIsAProblem() {
    String rules =
        rules(rule(2, "rename", "schema", "\"schema-name\": \"Shop\"", ", \"value\": \"x\""));

    assertThat(problemsOf(() -> TableMappings.parse("m", rules, Optional.of("y"))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("rule 2 renames schemas, and TargetMetadata.TargetSchema is y");
  }

  @Test
  void allProblemsOfATableAreReportedWithTheirRules() {
    String longName = "n".repeat(64);
    TableMappings mappings =
        mappings(
            ofColumn(2, "rename", "t", "a", ", \"value\": \"b\""),
            ofColumn(3, "add-prefix", "t", "c", ", \"value\": \"x\""),
            ofColumn(4, "remove-column", "t", "[ck]%", ""),
            ofColumn(5, "rename", "t", "d", ", \"value\": \"" + longName + "\""),
            rule(
                6,
                "add-column",
                "column",
                "\"schema-name\": \"Shop\", \"table-name\": \"t\"",
                type("\"type\": \"string\"") + ", \"value\": \"sum\", \"expression\": \"$none\""),
            rule(
                7,
                "define-primary-key",
                "table",
                "\"schema-name\": \"Shop\", \"table-name\": \"t\"",
                ", \"primary-key-def\": {\"name\": \"pk\", \"columns\": [\"k\"]}"));

    assertThat(
            mappings.problemsOf(
                new TableId("Shop", "t"), columns("a", "b", "c", "d", "k"), List.of("k")))
        .extracting(Problem::found)
        .containsExactlyInAnyOrder(
            "rules 3, 4 all act on column c",
            "rules 4 remove column k, which belongs to the key that identifies its rows",
            "column d would be called \"" + longName + "\", which has 64 bytes",
            "columns [a, b] would all become b",
            "rule 6 computes column sum from $none, which is not replicated",
            "rule 7 defines a primary key with k, which is not replicated");
  }

  @Test
  void aRuleThatMatchesNoColumnIsNamed() {
    TableMappings mappings = mappings(ofColumn(2, "remove-column", "t", "sceret", ""));

    assertThat(mappings.idleRules(Map.of(new TableId("Shop", "t"), List.of("secret"))))
        .containsExactly("rule 2 matches no column of the selected tables: Shop.t.sceret");
  }

  @Test
  void tablesWithTheSameTargetAreFound() {
    TableMappings mappings =
        mappings(
            rule(
                2,
                "convert-lowercase",
                "table",
                "\"schema-name\": \"%\", \"table-name\": \"%\"",
                ""));

    assertThat(mappings.collisions(List.of(new TableId("Shop", "A"), new TableId("Shop", "a"))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("the tables Shop.A and Shop.a would both become Shop.a");
  }

  @Test
  void oneNameForTheKeysOfSeveralTablesIsAProblem() {
    TableMappings mappings =
        mappings(
            rule(
                2,
                "define-primary-key",
                "table",
                "\"schema-name\": \"%\", \"table-name\": \"%\"",
                ", \"primary-key-def\": {\"name\": \"pk\", \"columns\": [\"id\"]}"));

    assertThat(mappings.collisions(List.of(new TableId("Shop", "b"), new TableId("Shop", "a"))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("rule 2 gives the primary keys of Shop.a and Shop.b one name, pk");
  }

  @Test
  void aColumnWithOneValueIsAddedForATableOfSeveralSources() {
    String constant = "\"column-name\": \"tenant\", \"column-value\": \"%s\"";
    TableMappings mappings = mappings(consolidate(2, constant.formatted("eu's")));
    TableId table = new TableId("Shop", "a");

    assertThat(mappings.consolidation(table).orElseThrow().literal()).isEqualTo("'eu''s'");
    assertThat(mappings.problemsOf(table, columns("id", "tenant"), List.of("id")))
        .extracting(Problem::found)
        .containsExactly("columns [tenant, that of rule 2] would all become tenant");
    assertThat(mappings.irreversible())
        .singleElement()
        .asString()
        .contains("rule 2", "changes columns");
    assertThatThrownBy(() -> mappings(consolidate(2, "\"column-name\": \"\"")))
        .hasMessageContaining("column-name")
        .hasMessageContaining("column-value");
    assertThatThrownBy(() -> mappings(consolidate(2, constant.formatted("a\\\\b"))))
        .hasMessageContaining("without a backslash");
  }

  private static String consolidate(int id, String definition) {
    return rule(
        id,
        "consolidate",
        "table",
        "\"schema-name\": \"%\", \"table-name\": \"%\"",
        ", \"consolidate-def\": {%s}".formatted(definition));
  }

  private static Map<String, String> columns(String... names) {
    Map<String, String> types = new LinkedHashMap<>();
    for (String name : names) {
      types.put(name, "integer");
    }
    return types;
  }

  private static TableMappings mappings(String... transformations) {
    return TableMappings.parse("mappings.json", rules(transformations), Optional.empty());
  }

  private static String rules(String... transformations) {
    return """
    {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1",
      "rule-action": "include", "object-locator": {"schema-name": "Shop", "table-name": "%"}}\
    """
        + ", "
        + String.join(", ", transformations)
        + "]}";
  }

  private static String ofColumn(
      int id, String action, String table, String column, String further) {
    return rule(
        id,
        action,
        "column",
        "\"schema-name\": \"Shop\", \"table-name\": \"%s\", \"column-name\": \"%s\""
            .formatted(table, column),
        further);
  }

  private static String rule(int id, String action, String target, String locator, String further) {
    return """
    {"rule-type": "transformation", "rule-id": "%d", "rule-name": "%d", "rule-action": "%s",
     "rule-target": "%s", "object-locator": {%s}%s}\
    """
        .formatted(id, id, action, target, locator, further);
  }

  private static String type(String type) {
    return ", \"data-type\": {" + type + "}";
  }
}
