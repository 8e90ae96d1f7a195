package dev.sluice.config.task;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FallbackSectionTest {
  private static final String MAPPINGS =
      """
      table-mappings:
        rules:
          - {rule-type: selection, rule-id: 1, rule-name: all, rule-action: include,
             object-locator: {schema-name: public, table-name: "%"}}
      """;
  private static final String TASK =
      """
      task: orders-1
      migration-type: full-load-and-cdc
      source: {type: postgresql, url: "postgresql://reader@old/shop?sslmode=require", password: one,
               reads-all: true}
      target: {type: postgresql, url: "postgresql://loader@new:5433/sales", password: two}
      http: 127.0.0.1:9000
      """;

  @TempDir Path folder;

  @Test
  void theWayBackIsATaskWithSourceAndTargetExchanged() throws IOException {
    TaskConfig forward = read(TASK + MAPPINGS + "fallback: {user: back, password: three}\n");
    TaskConfig back = forward.reversed();
    assertThat(back.task()).isEqualTo(new TaskName("orders-1_fallback"));
    assertThat(back.migrationType()).isEqualTo(MigrationType.CDC);
    assertThat(back.source())
        .isEqualTo(
            new TypesForTests.Config(
                new Endpoint("new", 5433, "sales", "loader", Secret.of("two"), Map.of()),
                "sluice_orders_1_fallback",
                true));
    assertThat(back.target())
        .isEqualTo(
            new Endpoint(
                "old", 5432, "shop", "back", Secret.of("three"), Map.of("sslmode", "require")));
    assertThat(back.dataDir()).isEqualTo(folder.resolve("data/orders-1-fallback"));
    assertThat(back.http()).isEqualTo(new HttpAddress("127.0.0.1", 9001));
    assertThat(back.forward()).contains(forward);
    assertThat(back.fallback()).isEmpty();
    assertThat(back.cutover()).isEqualTo(CutoverConfig.NONE);
    assertThat(back.files().readAgain().home()).isEqualTo(back.home());
    assertThat(back.toString()).doesNotContain("one", "two", "three");
  }

  @Test
  void theSectionNamesItsReaderItsFolderItsAddressAndItsHooks() throws IOException {
    TaskConfig back =
        read(TASK
                + MAPPINGS
                + """
                fallback:
                  user: back
                  reader: {user: log, password: four}
                  data-dir: elsewhere
                  http: 127.0.0.1:0
                  http-origins: ["https://back.example.org"]
                  hooks:
                    - exec: {name: point, switch: [./point]}
                """)
            .reversed();
    assertThat(back.source().endpoint().user()).isEqualTo("log");
    assertThat(back.source().endpoint().password()).isEqualTo(Secret.of("four"));
    assertThat(back.target().password()).isEqualTo(Secret.NONE);
    assertThat(back.dataDir()).isEqualTo(folder.resolve("elsewhere"));
    assertThat(back.http().port()).isZero();
    assertThat(back.httpOrigins()).hasToString("[https://back.example.org]");
    assertThat(back.cutover().hooks()).hasSize(1);
    TaskHome home = TaskFile.readFallbackHome(folder.resolve("task.yaml"));
    assertThat(home).isEqualTo(back.home());
  }

  @Test
  void aFileWithoutTheSectionHasNoWayBack() throws IOException {
    assertThat(read(TASK + MAPPINGS).fallback()).isEqualTo(Optional.empty());
    Path file = folder.resolve("task.yaml");
    assertThatThrownBy(() -> TaskFile.readFallback(file, Map.of()))
        .hasMessageContaining("no section fallback");
    assertThatThrownBy(() -> TaskFile.readFallbackHome(file))
        .hasMessageContaining("no section fallback");
  }

  @Test
  void renamedTablesAreTurnedBack() throws IOException {
    String rules =
        "    - {rule-type: transformation, rule-id: 2, rule-name: r, rule-target: table,"
            + " object-locator: {schema-name: public, table-name: item}, rule-action: rename,"
            + " value: goods}\n"
            + "    - {rule-type: transformation, rule-id: 3, rule-name: s, rule-target: schema,"
            + " object-locator: {schema-name: public}, rule-action: add-suffix,"
            + " value: _new}\n";
    TaskConfig back = read(TASK + MAPPINGS + rules + "fallback: {user: back}\n").reversed();
    TableId goods = new TableId("public_new", "goods");
    assertThat(back.tableMappings().selects(goods)).isTrue();
    assertThat(back.tableMappings().targetOf(goods)).isEqualTo(new TableId("public", "item"));
    assertThat(back.tableMappings().selects(new TableId("public", "item"))).isFalse();
  }

  @Test
  void whatCannotBeTurnedBackIsRefusedByName() throws IOException {
    String section = "fallback: {user: back}\n";
    assertThat(found(TASK + MAPPINGS + "fallback: {user: reader}\n"))
        .singleElement()
        .asString()
        .contains("fallback.user", "the user of section source");
    assertThat(found(TASK + MAPPINGS + "fallback: {user: back, data-dir: data/orders-1}\n"))
        .singleElement()
        .asString()
        .contains("fallback.data-dir");
    assertThat(found(TASK + MAPPINGS + "fallback: {}\n"))
        .singleElement()
        .asString()
        .contains("user");
    assertThat(
            found(
                TASK.replace("full-load-and-cdc", "full-load").replace("http", "data-dir: d\nhttp")
                    + MAPPINGS
                    + section))
        .singleElement()
        .asString()
        .contains("migration-type");
    assertThat(found(TASK.replace("orders-1", "o".repeat(32)) + MAPPINGS + section))
        .singleElement()
        .asString()
        .contains("no room for _fallback");
    String rule =
        "    - {rule-type: transformation, rule-id: 2, rule-name: r, rule-target: table,"
            + " object-locator: {schema-name: public, table-name: item%}, rule-action: rename,"
            + " value: items}\n";
    assertThat(found(TASK + MAPPINGS + rule + section))
        .singleElement()
        .asString()
        .contains("transformation rules", "public.item%", "no way back", "rule 2");
    String filtered =
        MAPPINGS.replace(
            "table-name: \"%\"}}",
            "table-name: \"%\"}, filters: [{filter-type: source, column-name: id,"
                + " filter-conditions: [{filter-operator: gte, value: \"5\"}]}]}");
    assertThat(found(TASK + filtered + section))
        .singleElement()
        .asString()
        .contains("row filters", "no way back");
    assertThat(
            found(
                TASK
                    + MAPPINGS
                    + "task-settings: {TargetMetadata: {TargetSchema: sales,"
                    + " LimitedSizeLobMode: true}}\n"
                    + section))
        .hasSize(2)
        .anyMatch(problem -> problem.contains("TargetSchema sales has no way back"))
        .anyMatch(problem -> problem.contains("values are cut"));
  }

  @Test
  void preventionOfLoopsNeedsAWayBack() throws IOException {
    String settings =
        "task-settings: {LoopbackPreventionSettings: {EnableLoopbackPrevention: true,"
            + " SourceSchema: one, TargetSchema: two}}\n";
    assertThat(found(TASK + MAPPINGS + settings))
        .singleElement()
        .asString()
        .contains("without a section fallback");
    TaskConfig config = read(TASK + MAPPINGS + settings + "fallback: {user: back}\n");
    assertThat(config.taskSettings().preventsLoopback()).isTrue();
    assertThat(config.taskSettings().notes())
        .anyMatch(note -> note.contains("SourceSchema") && note.contains("no change goes round"));
  }

  private TaskConfig read(String text) throws IOException {
    return TaskFile.read(Files.writeString(folder.resolve("task.yaml"), text), Map.of());
  }

  private List<String> found(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("task.yaml"), text);
    return problemsOf(() -> TaskFile.read(file, Map.of())).stream().map(Problem::toString).toList();
  }
}
