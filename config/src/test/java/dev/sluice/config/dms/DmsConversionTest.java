package dev.sluice.config.dms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.Resources;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.MigrationType;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of AWS as they are, made into task files that are read again by Sluice's own reader. */
class DmsConversionTest {
  private static final Map<String, String> PASSWORDS =
      Map.of("SOURCE_PASSWORD", "one", "TARGET_PASSWORD", "two");

  @TempDir Path folder;

  private Path tasks;
  private Path endpoints;

  @BeforeEach
  void copyAnswers() throws IOException {
    tasks = write("tasks.json", Resources.text("describe-replication-tasks.json"));
    endpoints = write("endpoints.json", Resources.text("describe-endpoints.json"));
  }

  @Test
  void aTaskOfPostgresqlBecomesATaskFileThatIsReadAsTheSameTask() throws IOException {
    TaskFileDraft draft = convert("shop-migration", Optional.of(endpoints));
    TaskConfig config = read(draft);

    assertThat(draft.problems()).isEmpty();
    assertThat(config.task().text()).isEqualTo("shop-migration");
    assertThat(config.migrationType()).isEqualTo(MigrationType.FULL_LOAD_AND_CDC);
    Endpoint source = config.source().endpoint();
    assertThat(source).hasToString("dms user@shop.abc.eu-central-1.rds.amazonaws.com:5433/shop");
    assertThat(source.options()).isEqualTo(Map.of("sslmode", "verify-full"));
    assertThat(source.password().reveal()).isEqualTo("one");
    assertThat(config.target().database()).isEqualTo("shop");
    assertThat(config.target().password().reveal()).isEqualTo("two");
    assertThat(config.tableMappings().selects(new TableId("public", "orders"))).isTrue();
    assertThat(config.tableMappings().selects(new TableId("public", "audit"))).isFalse();
    assertThat(config.taskSettings().get(FullLoadSettings.TARGET_TABLE_PREP_MODE))
        .isEqualTo(FullLoadSettings.PrepMode.DROP_AND_CREATE);
    assertThat(config.taskSettings().get(TargetMetadata.BATCH_APPLY_ENABLED)).isFalse();
    assertThat(config.taskSettings().get(TargetMetadata.LIMITED_SIZE_LOB_MODE)).isTrue();
    assertThat(config.taskSettings().get(ErrorBehavior.DATA_ERROR_POLICY))
        .isEqualTo(ErrorAction.LOG_ERROR);
    assertThat(config.taskSettings().gives(ChangeProcessingTuning.BATCH_SPLIT_SIZE.path()))
        .isTrue();
    // What it does not take is named here, so check has nothing to say of it.
    assertThat(config.taskSettings().notes()).isEmpty();
  }

  @Test
  void eachFieldOfTheTaskIsNamedWithItsValue() {
    TaskFileDraft draft = convert("shop-changes", Optional.empty());
    assertThat(draft.notes())
        .anyMatch(note -> note.startsWith("Status stopped — "))
        .anyMatch(note -> note.startsWith("StopReason Stop Reason NORMAL — "))
        .anyMatch(note -> note.startsWith("LastFailureMessage (empty) — "))
        .anyMatch(note -> note.startsWith("CdcStartPosition 4AF/B00000D0 — not taken"))
        .anyMatch(
            note -> note.startsWith("CdcStopPosition server_time:2024-06-09T12:12:12 — not taken"))
        .anyMatch(note -> note.startsWith("TaskData {\"a\": 1} — not taken"))
        .anyMatch(note -> note.startsWith("ReplicationTaskStats {FullLoadProgressPercent: 100"))
        .anyMatch(note -> note.startsWith("MigrationType cdc — ") && note.contains("resync"));
    assertThat(draft.text()).doesNotContain("\ncdc-start-position");
  }

  @Test
  void aTaskThatRunsIsToBeStoppedBeforeSluiceWritesToTheSameTables() {
    assertThat(convert("shop-migration", Optional.empty()).notes())
        .anyMatch(
            note -> note.startsWith("Status running — stop the DMS task before sluice run begins"));
  }

  @Test
  void aFieldThatDmsHasAddedSinceIsNamedToo() throws IOException {
    write("tasks.json", Files.readString(tasks).replace("\"TaskData\"", "\"NewField\""));
    assertThat(convert("shop-changes", Optional.empty()).notes())
        .contains("NewField {\"a\": 1} — not taken: Sluice does not know this field");
  }

  @Test
  void eachSettingOfTheEndpointsIsNamedAndNoSecretIsShown() {
    TaskFileDraft draft = convert("shop-migration", Optional.of(endpoints));
    assertThat(draft.notes())
        .anyMatch(note -> note.startsWith("source endpoint: SlotName shop_slot — not taken"))
        .anyMatch(note -> note.startsWith("source endpoint: PluginName test_decoding — "))
        .anyMatch(note -> note.startsWith("source endpoint: HeartbeatFrequency 1 — "))
        .anyMatch(note -> note.startsWith("source endpoint: CertificateArn arn:"))
        .anyMatch(
            note -> note.startsWith("source endpoint: SslMode verify-full — taken; the url still"))
        .anyMatch(note -> note.startsWith("source endpoint: AfterConnectScript (value not shown)"))
        .anyMatch(
            note -> note.startsWith("source endpoint: ExtraConnectionAttributes (value not shown)"))
        .anyMatch(note -> note.startsWith("target endpoint: SecretsManagerSecretId arn:"))
        .anyMatch(note -> note.startsWith("target endpoint: SslMode none — "))
        .anyMatch(note -> note.contains("write host, port, user into target.url"));
    assertThat(draft.notes().toString() + draft.text()).doesNotContain("hunter2");
  }

  @Test
  void withoutEndpointsTheUrlsLeadNowhereAndTheNotesSayWhatToWrite() throws IOException {
    TaskFileDraft draft = convert("shop-migration", Optional.empty());
    assertThat(draft.problems()).isEmpty();
    assertThat(read(draft).source().endpoint()).hasToString("user@source.example:5432/database");
    assertThat(draft.notes())
        .anyMatch(
            note ->
                note.startsWith("source endpoint arn:aws:dms:eu-central-1:123456789012:endpoint:6G")
                    && note.contains("write host, port, database, user into source.url"));
  }

  @Test
  void passwordsAreReferencesAndTheNotesSaySo() {
    TaskFileDraft draft = convert("shop-migration", Optional.of(endpoints));
    assertThat(draft.text())
        .contains("password: ${env:SOURCE_PASSWORD}", "password: ${env:TARGET_PASSWORD}");
    assertThat(draft.notes())
        .anyMatch(note -> note.startsWith("passwords — ") && note.contains("SOURCE_PASSWORD"));
  }

  @Test
  void theNotesAreCommentsOfTheFileWhateverIsInThem() throws IOException {
    write(
        "tasks.json",
        Files.readString(tasks)
            .replace("Stop Reason NORMAL", "a\\nb: c\\u2028d\\u0085e\\ufffef\\ud83d\\ude00"));
    TaskFileDraft draft = convert("shop-changes", Optional.empty());
    assertThat(draft.problems()).isEmpty();
    for (String note : draft.notes()) {
      assertThat(draft.text()).contains("#   " + note.substring(0, 10));
    }
    assertThat(read(draft).task().text()).isEqualTo("shop-changes");
  }

  @Test
  void anEngineThatSluiceDoesNotReadIsRefusedByItsName() throws IOException {
    write("endpoints.json", Files.readString(endpoints).replace("\"mysql\"", "\"oracle\""));
    assertThat(problems("stock-migration", Optional.of(endpoints)))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).contains("endpoints.json", "EngineName");
              assertThat(problem.found()).isEqualTo("the source's engine is oracle");
            });
  }

  @Test
  void ofSeveralTasksOneMustBeNamedAndTheMessageListsThem() {
    assertThat(Resources.problemsOf(() -> DmsConversion.of(request(Optional.empty()))))
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.found())
                    .isEqualTo("3 tasks: shop-migration, shop-changes, stock-migration"));
    assertThat(problems("shop-migratoin", Optional.empty()))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.expected())
                  .isEqualTo("one of: shop-migration, shop-changes, stock-migration");
              assertThat(problem.fix()).contains("shop-migration");
            });
  }

  @Test
  void aSingleTaskOfAQueryNeedsNoIdentifier() throws IOException {
    write(
        "tasks.json",
        """
        {"ReplicationTaskIdentifier": "Only-One", "MigrationType": "full-load",
         "TableMappings": "{\\"rules\\": [{\\"rule-type\\": \\"selection\\", \\"rule-id\\": \\"1\\",
           \\"rule-name\\": \\"1\\", \\"rule-action\\": \\"include\\", \\"object-locator\\":
           {\\"schema-name\\": \\"public\\", \\"table-name\\": \\"%\\"}}]}",
         "ReplicationTaskSettings": "{}"}
        """
            .replace("\n   ", ""));
    TaskFileDraft draft = DmsConversion.of(request(Optional.empty()));
    assertThat(draft.problems()).isEmpty();
    assertThat(read(draft).task().text()).isEqualTo("only-one");
    assertThat(draft.notes())
        .contains("ReplicationTaskIdentifier Only-One — the task is called only-one");
  }

  @Test
  void everyProblemOfBothFilesIsReportedAtOnce() throws IOException {
    write(
        "tasks.json",
        """
        {"ReplicationTasks": [{"ReplicationTaskIdentifier": "1st", "MigrationType": "everything",
          "TableMappings": "{\\"rules\\": [", "Status": "ready"}]}
        """);
    write("endpoints.json", "{\"Endpoint\": []}");
    List<Problem> problems =
        Resources.problemsOf(
            () ->
                DmsConversion.of(
                    new DmsConversion.Request(
                        tasks,
                        Optional.empty(),
                        Optional.of(endpoints),
                        Optional.empty(),
                        folder.resolve("task.yaml"))));
    assertThat(problems).extracting(Problem::found).hasSize(4);
    assertThat(problems.toString())
        .contains(
            "\"everything\"",
            "TableMappings of 1st",
            "ReplicationTaskSettings: is missing",
            "Endpoints: is missing");
  }

  @Test
  void theWrongAnswerOfAwsIsRecognised() throws IOException {
    write("tasks.json", Resources.text("describe-endpoints.json"));
    assertThat(problems("shop-migration", Optional.empty()))
        .singleElement()
        .satisfies(problem -> assertThat(problem.fix()).contains("--endpoints"));
  }

  @Test
  void aNameThatSluiceCannotUseIsRefusedAndAnotherOneIsTaken() throws IOException {
    String longName = "a".repeat(41);
    write("tasks.json", Files.readString(tasks).replace("shop-migration", longName));
    assertThat(problems(longName, Optional.empty()))
        .singleElement()
        .satisfies(problem -> assertThat(problem.fix()).contains("--name"));
    TaskFileDraft draft =
        DmsConversion.of(
            new DmsConversion.Request(
                tasks,
                Optional.of(longName),
                Optional.empty(),
                Optional.of("null"),
                folder.resolve("task.yaml")));
    assertThat(read(draft).task().text()).isEqualTo("null");
  }

  @Test
  void whatSluiceRefusesStaysInTheFileAndIsAProblemAtItsPlace() throws IOException {
    write(
        "tasks.json",
        Files.readString(tasks)
            .replace("\\\"SupportLobs\\\": true", "\\\"SupportLobs\\\": false")
            .replace(
                "\\\"TTSettings\\\"",
                "\\\"max_statement_timeout_seconds\\\": 5, \\\"TTSettings\\\""));
    TaskFileDraft draft = convert("shop-migration", Optional.empty());
    assertThat(draft.text()).contains("SupportLobs: false", "max_statement_timeout_seconds: 5");
    assertThat(draft.problems()).hasSize(2);
    assertThat(draft.problems().toString())
        .contains(
            "task.yaml:",
            "task-settings.TargetMetadata.SupportLobs: false is not supported",
            "unknown key \"max_statement_timeout_seconds\"");
    assertThat(Resources.problemsOf(() -> read(draft))).isEqualTo(draft.problems());
  }

  private TaskFileDraft convert(String identifier, Optional<Path> describedEndpoints) {
    return DmsConversion.of(
        new DmsConversion.Request(
            tasks,
            Optional.of(identifier),
            describedEndpoints,
            Optional.empty(),
            folder.resolve("task.yaml")));
  }

  private List<Problem> problems(String identifier, Optional<Path> describedEndpoints) {
    return Resources.problemsOf(() -> convert(identifier, describedEndpoints));
  }

  private DmsConversion.Request request(Optional<String> identifier) {
    return new DmsConversion.Request(
        tasks, identifier, Optional.empty(), Optional.empty(), folder.resolve("task.yaml"));
  }

  private TaskConfig read(TaskFileDraft draft) throws IOException {
    return TaskFile.read(write("task.yaml", draft.text()), PASSWORDS);
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }
}
