package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.dms.DmsConversion;
import dev.sluice.config.dms.TaskFileDraft;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
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

  /** The same article's task, as DMS would return it, with the attributes of its endpoints. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void fromDmsMakesATaskFileOfTheArticlesTask(int run, @TempDir Path folder) throws IOException {
    TaskFileDraft draft = convert(folder, run, "postgres");
    assertThat(draft.problems()).isEmpty();
    TaskConfig config =
        TaskFile.read(
            Files.writeString(folder.resolve("task.yaml"), draft.text()),
            Map.of("SOURCE_PASSWORD", "a", "TARGET_PASSWORD", "b"));
    assertThat(config.taskSettings().get(ChangeProcessingTuning.BATCH_SPLIT_SIZE))
        .isEqualTo(run == 1 ? 15_000 : 18_000);
    assertThat(config.tableMappings().parallelLoad()).hasSize(3);
    assertThat(config.source().endpoint()).hasToString("RDSDB@db2.example.org:50000/RDSDB");
    assertThat(config.source().toString()).contains("Db2Connector");
    assertThat(draft.notes())
        .anyMatch(note -> note.contains("ExtraConnectionAttributes, CurrentLsn scan — not taken"))
        .anyMatch(
            note -> note.contains("ExtraConnectionAttributes, StartFromContext NOW — not taken"));
  }

  @Test
  void fromDmsRefusesTheArticlesTargetAndNamesBothSides(@TempDir Path folder) {
    assertThatThrownBy(() -> convert(folder, 1, "db2"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("the task moves Db2 to Db2");
  }

  private static TaskFileDraft convert(Path folder, int run, String target) throws IOException {
    Path tasks =
        Files.writeString(
            folder.resolve("tasks.json"),
            """
            {"ReplicationTaskIdentifier": "db2", "MigrationType": "full-load-and-cdc",
             "SourceEndpointArn": "s", "TargetEndpointArn": "t",
             "TableMappings": %s, "ReplicationTaskSettings": %s}
            """
                .formatted(
                    resource("table-mappings.json"),
                    resource("task-settings-%d.json".formatted(run))));
    Path endpoints =
        Files.writeString(
            folder.resolve("endpoints.json"),
            """
            {"Endpoints": [
              {"EndpointArn": "s", "EngineName": "db2", "ServerName": "db2.example.org",
               "Port": 50000, "Username": "RDSDB", "DatabaseName": "RDSDB",
               "ExtraConnectionAttributes": "{“CurrentLSN”: “scan”, “StartFromContext”: “NOW”}"},
              {"EndpointArn": "t", "EngineName": "%s", "ServerName": "rds.example.org",
               "Port": 50000, "Username": "RDSDB", "DatabaseName": "RDSDB",
               "ExtraConnectionAttributes": "“WriteBufferSize”=204800;”MaxFileSize”=409600;"}]}
            """
                .formatted(target));
    return DmsConversion.of(
        new DmsConversion.Request(
            tasks,
            Optional.empty(),
            Optional.of(endpoints),
            Optional.empty(),
            folder.resolve("task.yaml")));
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
