package dev.sluice.config.task;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.LeastWindowTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningSettingsTest {
  @TempDir Path folder;

  private RunningSettings running;

  @BeforeEach
  void start() throws IOException {
    running = RunningSettings.of(files("{ChangeProcessingTuning: {BatchApplyTimeoutMax: 5}}", ""));
  }

  @Test
  void aTunedSettingIsNamedWithOrWithoutItsSection() {
    RunningSettings tuned =
        running.tuned(
            Map.of("BatchSplitSize", "1000", "ChangeProcessingTuning.BatchApplyTimeoutMin", "0.1"));

    assertThat(tuned.inEffect().get(ChangeProcessingTuning.BATCH_SPLIT_SIZE)).isEqualTo(1000);
    assertThat(tuned.inEffect().get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN))
        .isEqualTo(LeastWindowTime.of(Duration.ofMillis(100)));
    assertThat(running.changesTo(tuned))
        .hasToString(
            "[ChangeProcessingTuning.BatchApplyTimeoutMin: 1 s -> 0.1 s,"
                + " ChangeProcessingTuning.BatchSplitSize: 0 changes -> 1000 changes]");
    assertThat(tuned.originOf("ChangeProcessingTuning.BatchSplitSize")).hasToString("tune");
    assertThat(tuned.originOf("ChangeProcessingTuning.BatchApplyTimeoutMax")).hasToString("file");
    assertThat(tuned.originOf("Sluice.SwapLimit")).hasToString("default");
  }

  @Test
  void theLeastTimeOfWindowsIsTunedToAutoAndBack() {
    RunningSettings auto = running.tuned(Map.of("BatchApplyTimeoutMin", "auto"));
    assertThat(auto.inEffect().get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN))
        .isEqualTo(LeastWindowTime.AUTO);
    assertThat(running.changesTo(auto))
        .hasToString("[ChangeProcessingTuning.BatchApplyTimeoutMin: 1 s -> auto]");
    RunningSettings back = auto.tuned(Map.of("BatchApplyTimeoutMin", "0.5"));
    assertThat(auto.changesTo(back))
        .hasToString("[ChangeProcessingTuning.BatchApplyTimeoutMin: auto -> 0.5 s]");
    assertThat(problemsOf(() -> auto.tuned(Map.of("BatchApplyEnabled", "false"))))
        .singleElement()
        .extracting(Problem::found)
        .asString()
        .startsWith("BatchApplyTimeoutMin is auto, and BatchApplyEnabled is false");
  }

  @Test
  void everySettingOfChangeProcessingTuningThatHasAnEffectCanBeTuned() {
    assertThat(RunningSettings.live())
        .contains("TargetMetadata.BatchApplyEnabled", "Sluice.SwapLimit")
        .filteredOn(path -> path.startsWith("ChangeProcessingTuning."))
        .hasSize(9);
  }

  @Test
  void allProblemsOfTunedValuesAreReportedAndNothingChanges() {
    assertThat(
            problemsOf(
                () ->
                    running.tuned(
                        Map.of(
                            "BatchSplitSise", "1",
                            "CommitRate", "5",
                            "MemoryLimitTotal", "64MB",
                            "SwapLimit", "1",
                            "LobChunkSize", "5"))))
        .extracting(Problem::toString)
        .satisfiesExactly(
            first -> assertThat(first).contains("BatchSplitSise").contains("\"BatchSplitSize\"?"),
            second -> assertThat(second).contains("CommitRate").contains("restart the task"),
            third -> assertThat(third).contains("LobChunkSize").contains("no effect"),
            fourth -> assertThat(fourth).contains("MemoryLimitTotal=64MB").contains("Write 64"));
  }

  @Test
  void contradictingSettingsAreRefusedTogether() {
    assertThat(problemsOf(() -> running.tuned(Map.of("BatchApplyTimeoutMin", "6"))))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("BatchApplyTimeoutMin is 6 s, BatchApplyTimeoutMax 5 s");
    assertThat(
            running
                .tuned(Map.of("BatchApplyTimeoutMin", "6", "BatchApplyTimeoutMax", "7"))
                .inEffect()
                .get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX))
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void ofATunedValueAndAnEditOfTheFileTheLaterOneCounts() throws IOException {
    RunningSettings tuned =
        running.tuned(Map.of("BatchSplitSize", "1000", "BatchApplyTimeoutMax", "7"));

    RunningSettings edited =
        tuned.edited(files("{ChangeProcessingTuning: {BatchApplyTimeoutMax: 8}}", ""));

    assertThat(edited.inEffect().get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX))
        .isEqualTo(Duration.ofSeconds(8));
    assertThat(edited.inEffect().get(ChangeProcessingTuning.BATCH_SPLIT_SIZE)).isEqualTo(1000);
    assertThat(edited.originOf("ChangeProcessingTuning.BatchApplyTimeoutMax")).hasToString("file");
  }

  @Test
  void aSettingRemovedFromTheFileHasItsDefaultAgain() throws IOException {
    RunningSettings edited = running.edited(files("{}", ""));

    assertThat(running.changesTo(edited))
        .hasToString("[ChangeProcessingTuning.BatchApplyTimeoutMax: 5 s -> 30 s]");
    assertThat(edited.originOf("ChangeProcessingTuning.BatchApplyTimeoutMax"))
        .hasToString("default");
  }

  @Test
  void settingsThatAreNotLiveWaitForTheNextStart() throws IOException {
    TaskConfig edit =
        files(
            "{ChangeProcessingTuning: {BatchApplyTimeoutMax: 5, MemoryKeepTime: 9},"
                + " FullLoadSettings: {MaxFullLoadSubTasks: 3}}",
            "");
    RunningSettings edited = running.edited(edit);

    assertThat(running.changesTo(edited))
        .hasToString("[ChangeProcessingTuning.MemoryKeepTime: 60 s -> 9 s]");
    assertThat(edited.inEffect().get(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS)).isEqualTo(8);
    assertThat(edited.waitingForRestart())
        .singleElement()
        .asString()
        .startsWith("FullLoadSettings.MaxFullLoadSubTasks: 8");
  }

  @Test
  void settingsOfSingleTablesChangeWithAnEdit() throws IOException {
    RunningSettings edited =
        running.edited(
            files(
                "{ChangeProcessingTuning: {BatchApplyTimeoutMax: 5}}",
                """
                    - rule-type: table-settings
                      rule-id: 2
                      rule-name: orders
                      object-locator: { schema-name: shop, table-name: orders }
                      batch-apply: { BatchSplitSize: 10, BatchApplyEnabled: false }
                """));

    assertThat(running.changesTo(edited))
        .hasToString(
            "[batch-apply of shop.orders: as the task -> BatchApplyEnabled false, BatchSplitSize"
                + " 10]");
    assertThat(edited.waitingForRestart()).isEmpty();
  }

  @Test
  void theStampChangesWithAnyOfTheFiles() throws IOException {
    Path settings = Files.writeString(folder.resolve("settings.json"), "{}");
    TaskConfig config = files("settings.json", "");
    String before = config.files().stamp();
    assertThat(config.files().stamp()).isEqualTo(before);

    Files.writeString(settings, "{\"ChangeProcessingTuning\": {\"BatchSplitSize\": 3}}");

    assertThat(config.files().stamp()).isNotEqualTo(before);
    assertThat(
            config.files().readAgain().taskSettings().get(ChangeProcessingTuning.BATCH_SPLIT_SIZE))
        .isEqualTo(3);
  }

  private TaskConfig files(String settings, String moreRules) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("task.yaml"),
            """
            task: shop
            migration-type: cdc
            source: { type: postgresql, url: "postgresql://a@localhost/shop" }
            target: { type: postgresql, url: "postgresql://b@localhost/shop" }
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: 1
                  rule-name: all
                  rule-action: include
                  object-locator: { schema-name: shop, table-name: "%%" }
            %s
            task-settings: %s
            """
                .formatted(moreRules, settings));
    return TaskFile.read(file, Map.of());
  }
}
