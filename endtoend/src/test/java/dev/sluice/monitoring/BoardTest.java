package dev.sluice.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds Grafana's board to the list of metrics, and to what makes it easy to import. */
class BoardTest {
  // Tests run in the module's folder.
  private static final Path ROOT = Path.of("..");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)}?");
  private static final Set<String> OF_GRAFANA = Set.of("__rate_interval");
  private static final int COLUMNS = 24;

  private static Board board;

  @BeforeAll
  static void read() throws Exception {
    board = Board.read(ROOT);
  }

  @Test
  void everyMetricAndLabelOfAPanelExists() {
    KnownSeries series = new KnownSeries();
    assertThat(board.expressions("shop")).hasSizeGreaterThan(30);
    assertThat(board.expressions("shop").stream().flatMap(text -> series.unknown(text).stream()))
        .isEmpty();
  }

  @Test
  void everySeriesIsOfTheChosenTask() {
    assertThat(board.expressions("chosen"))
        .allSatisfy(
            text ->
                assertThat(Expression.of(text).selectors())
                    .allSatisfy(
                        selector ->
                            assertThat(selector.matched()).containsEntry("task", "chosen")));
  }

  @Test
  void itsAddressIsFixedAndDataSourceAndTaskAreChosenInIt() {
    assertThat(board.tree().path("uid").asText()).isEqualTo("sluice-task");
    assertThat(board.tree().path("title").asText()).isEqualTo("Sluice");
    assertThat(board.tree().path("id").isMissingNode()).isTrue();
    List<String> variables = new ArrayList<>();
    board.tree().at("/templating/list").forEach(each -> variables.add(each.path("name").asText()));
    assertThat(variables).containsExactly("datasource", "task");
    assertThat(board.tree().at("/templating/list/0/type").asText()).isEqualTo("datasource");
    assertThat(board.tree().at("/templating/list/1/query/query").asText())
        .isEqualTo("label_values(sluice_up, task)");
    assertThat(board.plots())
        .allSatisfy(
            panel -> {
              assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
              for (JsonNode target : panel.path("targets")) {
                assertThat(target.at("/datasource/uid").asText()).isEqualTo("${datasource}");
                Matcher variable = VARIABLE.matcher(target.path("expr").asText());
                while (variable.find()) {
                  assertThat(Stream.concat(variables.stream(), OF_GRAFANA.stream()))
                      .contains(variable.group(1));
                }
              }
            });
  }

  /** Labels in legends are those that the expression keeps. */
  @Test
  void everyLegendNamesALabelOfItsSeries() {
    Pattern label = Pattern.compile("\\{\\{(\\w+)}}");
    KnownSeries series = new KnownSeries();
    for (JsonNode panel : board.plots()) {
      for (JsonNode target : panel.path("targets")) {
        Matcher legend = label.matcher(target.path("legendFormat").asText());
        String expression =
            target.path("expr").asText().replace("$__rate_interval", "5m").replace("$task", "a");
        while (legend.find()) {
          assertThat(series.unknown("sum by (" + legend.group(1) + ") (" + expression + ")"))
              .isEmpty();
        }
      }
    }
  }

  @Test
  void panelsHaveATitleAndAMeaningAndDoNotOverlap() {
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> taken = new HashSet<>();
    for (JsonNode panel : board.tree().path("panels")) {
      assertThat(ids.add(panel.path("id").asInt())).isTrue();
      assertThat(panel.path("title").asText()).isNotEmpty();
      JsonNode at = panel.path("gridPos");
      assertThat(at.path("x").asInt() + at.path("w").asInt()).isLessThanOrEqualTo(COLUMNS);
      for (int x = 0; x < at.path("w").asInt(); x++) {
        for (int y = 0; y < at.path("h").asInt(); y++) {
          assertThat(taken.add(List.of(at.path("x").asInt() + x, at.path("y").asInt() + y)))
              .as(panel.path("title").asText())
              .isTrue();
        }
      }
    }
    assertThat(board.plots())
        .allSatisfy(panel -> assertThat(panel.path("description").asText()).endsWith("."));
  }

  /** Each expression as a rule that records it. */
  @Test
  void promtoolTakesEveryExpression(@TempDir Path folder) throws Exception {
    List<Map<String, String>> rules = new ArrayList<>();
    for (String expression : board.expressions("shop")) {
      rules.add(Map.of("record", "board:panel" + rules.size(), "expr", expression));
    }
    Map<String, ?> file = Map.of("groups", List.of(Map.of("name", "board", "rules", rules)));
    // JSON is YAML.
    Files.writeString(folder.resolve("board.yaml"), new ObjectMapper().writeValueAsString(file));
    PrometheusProgram.promtool(folder, "check", "rules", "board.yaml");
  }
}
