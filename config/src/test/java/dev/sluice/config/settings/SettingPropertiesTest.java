package dev.sluice.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SettingProperties.Property;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingPropertiesTest {
  @TempDir Path directory;

  @Test
  void namesAreThoseOfDmsWithDots() {
    assertThat(SettingProperties.all().stream().map(Property::name))
        .contains(
            "batch.apply.timeout.min",
            "batch.apply.timeout.max",
            "batch.apply.memory.limit",
            "batch.apply.preserve.transaction",
            "batch.split.size",
            "memory.limit.total",
            "memory.keep.time",
            "commit.timeout",
            "min.transaction.size",
            "statement.cache.size",
            "batch.apply.enabled",
            "control.schema",
            "apply.error.insert.policy")
        .doesNotContain("journal.limit", "target.table.prep.mode")
        .doesNotHaveDuplicates();
  }

  @Test
  void everyDefaultCanBeWrittenAndMeansTheDefault() {
    for (Property property : SettingProperties.all()) {
      Map<String, String> written = Map.of(property.name(), property.defaultValue());
      assertThat(SettingProperties.problem(property.name(), property.defaultValue()))
          .as(property.name())
          .isEmpty();
      assertThat(SettingProperties.read(written, Optional.empty()).inEffect())
          .isEqualTo(TaskSettings.DEFAULTS.inEffect());
    }
  }

  @Test
  void aPropertyOverridesTheFile() throws IOException {
    Path file = directory.resolve("settings.json");
    Files.writeString(
        file,
        """
        {"ChangeProcessingTuning": {"BatchApplyTimeoutMin": 7, "BatchSplitSize": 70},
         "TargetMetadata": {"BatchApplyEnabled": false}}
        """);
    TaskSettings settings =
        SettingProperties.read(Map.of("batch.apply.timeout.min", "0.25"), Optional.of(file));
    assertThat(settings.get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN))
        .isEqualTo(LeastWindowTime.of(Duration.ofMillis(250)));
    assertThat(settings.get(ChangeProcessingTuning.BATCH_SPLIT_SIZE)).isEqualTo(70);
  }

  @Test
  void theLeastTimeOfWindowsIsANumberOrAuto() {
    Map<String, String> auto = Map.of("batch.apply.timeout.min", "auto");
    TaskSettings settings = SettingProperties.read(auto, Optional.empty());
    assertThat(settings.get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN))
        .isEqualTo(LeastWindowTime.AUTO);
    assertThat(SettingProperties.of(settings)).isEqualTo(auto);
    assertThat(SettingProperties.problem("batch.apply.timeout.min", "often"))
        .hasToString(
            "Optional[batch.apply.timeout.min: the text \"often\"; expected a number of seconds from 0 to"
                + " 86400; fractions are allowed; or auto. Write a plain number, without quotes and"
                + " without a unit; or write auto]");
  }

  @Test
  void theErrorProfileAppliesToProperties() {
    TaskSettings settings =
        SettingProperties.read(
            Map.of("error.profile", "dms-defaults", "data.error.policy", "STOP_TASK"),
            Optional.empty());
    assertThat(settings.get(ErrorBehavior.DATA_ERROR_POLICY)).isEqualTo(ErrorAction.STOP_TASK);
    assertThat(settings.get(ErrorBehavior.APPLY_ERROR_INSERT_POLICY))
        .isEqualTo(ErrorAction.LOG_ERROR);
  }

  @Test
  void settingsAreWrittenAsTheSamePropertiesThatAreRead() {
    Map<String, String> properties =
        Map.of(
            "batch.apply.timeout.min", "0.25", "swap.limit", "64", "batch.apply.enabled", "false");
    assertThat(SettingProperties.of(SettingProperties.read(properties, Optional.empty())))
        .isEqualTo(properties);
    assertThat(SettingProperties.of(TaskSettings.DEFAULTS)).isEmpty();
  }

  @Test
  void aWrongValueIsNamedWithWhatIsExpected() {
    assertThat(SettingProperties.problem("statement.cache.size", "500").orElseThrow().toString())
        .isEqualTo(
            "statement.cache.size: 500; expected a whole number of statements from 1 to 200. Lower"
                + " it to 200 or less");
    assertThatThrownBy(
            () -> SettingProperties.read(Map.of("batch.apply.timeout.min", "40"), Optional.empty()))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("BatchApplyTimeoutMin is 40 s, BatchApplyTimeoutMax 30 s");
  }
}
