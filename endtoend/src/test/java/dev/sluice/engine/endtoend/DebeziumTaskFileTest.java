package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Task files whose source is a Debezium connector, as they are read. */
class DebeziumTaskFileTest {
  private static final String DB2 =
      """
      task: db2
      migration-type: full-load-and-cdc
      source:
        type: debezium
        url: debezium://user@db2.example.org/RDSDB
        password: ${env:DB2_PASSWORD}
        debezium:
          connector-folder: /opt/debezium-connector-db2
          properties:
            connector.class: io.debezium.connector.db2.Db2Connector
            column.exclude.list: ${env:EXCLUDED}
      target:
        type: postgresql
        url: postgresql://user@127.0.0.1/target
      """;

  private static final Map<String, String> ENVIRONMENT =
      Map.of("DB2_PASSWORD", "very-secret", "EXCLUDED", "also-secret");

  /** The settings and mappings of AWS's article on a migration from Db2, as they stand there. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theFilesOfADmsTaskWithADb2SourceAreRead(int run, @TempDir Path folder) throws IOException {
    String task =
        DB2
            + "table-mappings: "
            + resource("table-mappings.json")
            + "\ntask-settings: "
            + resource("task-settings-%d.json".formatted(run));
    TaskConfig config = read(folder, task);
    assertThat(config.taskSettings().get(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS)).isEqualTo(49);
    assertThat(config.taskSettings().get(ChangeProcessingTuning.BATCH_SPLIT_SIZE))
        .isEqualTo(run == 1 ? 15_000 : 18_000);
    assertThat(config.tableMappings().parallelLoad()).hasSize(3);
    assertThat(config.source().endpoint().port()).isEqualTo(50_000);
    assertThat(config.source().endpoint().database()).isEqualTo("RDSDB");
    assertThat(config.source().toString())
        .contains("Db2Connector", "column.exclude.list")
        .doesNotContain("secret");
  }

  @Test
  void allProblemsOfTheSectionAreNamedAtOnceAndNoSecret(@TempDir Path folder) {
    String task =
        DB2.replace("connector-folder:", "connector-fold:")
                .replace(
                    "column.exclude.list:",
                    "snapshot.mode: never\n      topic.prefix: mine\n      decimal.handling.mode:"
                        + " ${env:DB2_PASSWORD}\n      database.password: plain\n     "
                        + " snapshot.locking.mode: none\n      transforms: route\n     "
                        + " column.exclude.list:")
            + "table-mappings: {rules: [{rule-type: selection, rule-id: '1', rule-name: '1',"
            + " rule-action: include, object-locator: {schema-name: A, table-name: '%'}}]}";
    assertThatThrownBy(() -> read(folder, task))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("unknown key \"connector-fold\"")
        .hasMessageContaining("snapshot.mode")
        .hasMessageContaining("topic.prefix")
        .hasMessageContaining("decimal.handling.mode")
        .hasMessageContaining("database.password")
        .hasMessageContaining("snapshot.locking.mode")
        .hasMessageContaining("transforms")
        .satisfies(
            failure ->
                assertThat(failure.getMessage())
                    .doesNotContain("secret")
                    .doesNotContain("\"plain\""));
  }

  private static TaskConfig read(Path folder, String text) throws IOException {
    return TaskFile.read(Files.writeString(folder.resolve("task.yaml"), text), ENVIRONMENT);
  }

  private static String resource(String name) throws IOException {
    try (var stream = DebeziumTaskFileTest.class.getResourceAsStream("/db2/" + name)) {
      return new String(stream.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
  }
}
