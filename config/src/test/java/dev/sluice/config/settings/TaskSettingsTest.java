package dev.sluice.config.settings;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.Resources;
import dev.sluice.config.document.Problem;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskSettingsTest {

  @Test
  void anEmptyDocumentGivesTheDefaults() {
    TaskSettings settings = parse("{}");

    assertThat(SettingCatalogue.ALL)
        .allSatisfy(setting -> assertThat(settings.get(setting)).isEqualTo(setting.defaultValue()));
    assertThat(settings.get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX))
        .isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.get(FullLoadSettings.TARGET_TABLE_PREP_MODE))
        .isEqualTo(FullLoadSettings.PrepMode.DO_NOTHING);
    assertThat(ErrorBehavior.POLICIES)
        .allSatisfy(policy -> assertThat(settings.get(policy)).isEqualTo(ErrorAction.STOP_TASK));
    assertThat(ErrorBehavior.maySuspend(settings)).isFalse();
    assertThat(settings.get(ErrorBehavior.RECOVERABLE_ERROR_COUNT)).isEqualTo(-1);
    assertThat(settings.controlSchema()).isEqualTo("sluice_control");
    assertThat(settings.get(SluiceSettings.SWAP_DIRECTORY)).isEmpty();
    assertThat(LoadLimits.of(settings)).isEqualTo(LoadLimits.NONE);
    assertThat(settings.notes()).isEmpty();
    assertThat(settings.divergence()).isEmpty();
  }

  @Test
  void autoIsRefusedWhereNoWindowIsCompacted() {
    assertThat(
            problemsOf(
                () ->
                    parse(
                        "{\"ChangeProcessingTuning\": {\"BatchApplyTimeoutMin\": \"auto\"},"
                            + " \"TargetMetadata\": {\"BatchApplyEnabled\": false}}")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).startsWith("settings.json:1:");
              assertThat(problem.found()).startsWith("BatchApplyTimeoutMin is auto");
              assertThat(problem.fix()).contains("BatchApplyEnabled to true");
            });
  }

  static Stream<Setting<?>> settings() {
    return SettingCatalogue.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("settings")
  <T> void everySettingIsReadWhenItIsNotItsDefault(Setting<T> setting) {
    List<T> others =
        otherValues(setting).stream()
            .filter(value -> setting.refusals().stream().noneMatch(r -> r.values().test(value)))
            .toList();
    for (T other : others) {
      TaskSettings settings = parse(document(setting, json(setting, other)));
      assertThat(settings.get(setting)).isEqualTo(other);
      assertThat(settings.notes())
          .hasSize(setting.effect() == Setting.Effect.IN_EFFECT ? 0 : 1)
          .allSatisfy(note -> assertThat(note).contains(setting.name(), setting.reason()));
    }
    boolean hasOnlyOneValue =
        setting.type() instanceof SettingType.Choice<?> choice && choice.allowed().size() == 1;
    if (!(setting.type() instanceof SettingType.Anything)
        && setting.refusals().isEmpty()
        && !hasOnlyOneValue) {
      assertThat(others).isNotEmpty();
    }
  }

  static Stream<Setting<?>> settingsOfAnyShape() {
    return settings().filter(setting -> setting.type() instanceof SettingType.Anything);
  }

  @ParameterizedTest
  @MethodSource("settingsOfAnyShape")
  void aSettingOfAnyShapeIsNamedAndRefusedOnlyWhereItWouldChangeTheOutcome(Setting<?> setting) {
    for (String value : List.of("[]", "{}")) {
      assertThat(parse(document(setting, value)).notes())
          .singleElement()
          .asString()
          .contains(setting.name(), setting.reason());
    }
    for (String value : List.of("[1]", "{\"a\": [2]}", "5", "true")) {
      if (setting.refusals().isEmpty()) {
        assertThat(parse(document(setting, value)).notes()).hasSize(1);
      } else {
        assertThat(problemsOf(() -> parse(document(setting, value)))).hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  <T> void everyValueThatCannotBeHonouredIsRefusedWithTheReason(Setting<T> setting) {
    for (SettingOptions.Refusal<T> refusal : setting.refusals()) {
      otherValues(setting).stream()
          .filter(refusal.values())
          .forEach(
              value ->
                  assertThat(problemsOf(() -> parse(document(setting, json(setting, value)))))
                      .singleElement()
                      .satisfies(
                          problem -> {
                            assertThat(problem.thing()).endsWith(" " + setting.path());
                            assertThat(problem.found()).contains(refusal.reason());
                            assertThat(problem.fix()).contains(refusal.allowed());
                          }));
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everyWrongTypeIsAProblemAtItsPlace(Setting<?> setting) {
    if (setting.type() instanceof SettingType.Anything) {
      return;
    }
    assertThat(problemsOf(() -> parse(document(setting, "[]"))))
        .singleElement()
        .satisfies(problem -> assertThat(problem.thing()).endsWith(" " + setting.path()));
  }

  @Test
  void settingsThatBelongTogetherAreReadTogether() {
    TaskSettings settings =
        parse(
            """
            {"ControlTablesSettings": {"ControlSchema": "control", "historyTimeslotInMinutes": 7},
             "ErrorBehavior": {"DataErrorPolicy": "LOG_ERROR", "ApplyErrorEscalationPolicy": "SUSPEND_TABLE",
               "ApplyErrorEscalationCount": 3},
             "Import": {"Format": "csv", "Delimiter": ";", "NullString": "-"},
             "Sluice": {"SourceLogLimit": 5000, "JournalReserve": 100, "GuardWarningHours": 48,
               "GuardProblemHours": 5, "LoadRowsPerSecond": 1000, "LoadMegabytesPerSecond": 2}}
            """);

    assertThat(settings.controlSchema()).isEqualTo("control");
    assertThat(settings.get(ControlTablesSettings.HISTORY_TIMESLOT_IN_MINUTES)).isEqualTo(7);
    assertThat(ErrorBehavior.maySuspend(settings)).isTrue();
    assertThat(
            ErrorBehavior.maySuspend(settings.with(ErrorBehavior.APPLY_ERROR_ESCALATION_COUNT, 0)))
        .isFalse();
    assertThat(ImportSettings.format(settings, FileFormat.Kind.TEXT))
        .isEqualTo(new FileFormat(FileFormat.Kind.CSV, ';', '"', '"', false, "-", "UTF8"));
    assertThat(DiskGuardSettings.of(settings))
        .isEqualTo(
            new DiskGuardSettings(
                DataSize.ofMebibytes(5_000),
                DataSize.ofMebibytes(100),
                Duration.ofHours(48),
                Duration.ofHours(5)));
    assertThat(LoadLimits.of(settings)).isEqualTo(new LoadLimits(1_000, 2 * 1024 * 1024));
  }

  @Test
  void blocksOfArticlesAreReadWithoutOuterBraces() {
    assertThat(given("article-tuning-sample-run.json"))
        .containsExactly(
            "ChangeProcessingTuning.BatchApplyPreserveTransaction = true",
            "ChangeProcessingTuning.BatchApplyTimeoutMin = 1 s",
            "ChangeProcessingTuning.BatchApplyTimeoutMax = 2 s",
            "ChangeProcessingTuning.BatchApplyMemoryLimit = 1000 MB",
            "ChangeProcessingTuning.BatchSplitSize = 15000 changes",
            "ChangeProcessingTuning.MinTransactionSize = 1000 changes",
            "ChangeProcessingTuning.CommitTimeout = 1 s",
            "ChangeProcessingTuning.MemoryLimitTotal = 32768 MB",
            "ChangeProcessingTuning.MemoryKeepTime = 1000 s",
            "ChangeProcessingTuning.StatementCacheSize = 100 statements");
    assertThat(given("article-tuning-continuous-load.json"))
        .containsExactly(
            "ChangeProcessingTuning.BatchApplyPreserveTransaction = true",
            "ChangeProcessingTuning.BatchApplyTimeoutMin = 1 s",
            "ChangeProcessingTuning.BatchApplyTimeoutMax = 1 s",
            "ChangeProcessingTuning.BatchApplyMemoryLimit = 2000 MB",
            "ChangeProcessingTuning.BatchSplitSize = 18000 changes",
            "ChangeProcessingTuning.MinTransactionSize = 1000 changes",
            "ChangeProcessingTuning.CommitTimeout = 1 s",
            "ChangeProcessingTuning.MemoryLimitTotal = 32768 MB",
            "ChangeProcessingTuning.MemoryKeepTime = 4000 s",
            "ChangeProcessingTuning.StatementCacheSize = 100 statements");
    assertThat(given("article-full-load.json"))
        .containsExactly(
            "FullLoadSettings.CreatePkAfterFullLoad = true",
            "FullLoadSettings.StopTaskCachedChangesApplied = false",
            "FullLoadSettings.StopTaskCachedChangesNotApplied = false",
            "FullLoadSettings.MaxFullLoadSubTasks = 49 segments",
            "FullLoadSettings.TransactionConsistencyTimeout = 600 s",
            "FullLoadSettings.CommitRate = 50000 rows");
  }

  @Test
  void aFragmentWithATrailingCommaIsReadWithTheLocationsOfTheFile() {
    assertThat(parse("\"Sluice\": {\"SwapLimit\": 5},").get(SluiceSettings.SWAP_LIMIT))
        .isEqualTo(DataSize.ofMebibytes(5));
    assertThat(problemsOf(() -> parse("\"Sluice\": {\"SwapLimit\": \"5\"}")))
        .singleElement()
        .extracting(Problem::thing)
        .isEqualTo("settings.json:1:25 Sluice.SwapLimit");
  }

  @Test
  void aDocumentOfDmsIsReadUnchangedAndItsDivergingPoliciesAreReported() {
    String document = Resources.text("dms-returned.json");
    TaskSettings settings = parse(document);
    assertThat(settings.get(TargetMetadata.BATCH_APPLY_ENABLED)).isFalse();
    assertThat(settings.controlSchema()).isEqualTo("sluice_control");
    assertThat(settings.divergence().orElseThrow())
        .startsWith(
            "ErrorBehavior: DataErrorPolicy LOG_ERROR, DataTruncationErrorPolicy LOG_ERROR,"
                + " TableErrorPolicy SUSPEND_TABLE, ApplyErrorDeletePolicy IGNORE_RECORD,"
                + " ApplyErrorInsertPolicy LOG_ERROR, ApplyErrorUpdatePolicy LOG_ERROR — ");
    assertThat(settings.notes())
        .contains(
            "StreamBufferSettings: StreamBufferCount, StreamBufferSizeInMB,"
                + " CtrlStreamBufferSizeInMB — not applicable here: memory between the stages is"
                + " bounded by MemoryLimitTotal and BatchApplyMemoryLimit");
    SettingCatalogue.ALL.stream()
        .filter(setting -> setting.effect() != Setting.Effect.IN_EFFECT)
        .filter(setting -> document.contains('"' + setting.name() + "\": "))
        .filter(setting -> !document.contains('"' + setting.name() + "\": null"))
        .filter(setting -> !setting.section().equals("LoopbackPreventionSettings"))
        .forEach(
            setting ->
                assertThat(settings.notes())
                    .anyMatch(note -> note.contains(setting.name()), setting.path()));
  }

  @Test
  void theCompleteOutputOfTheServiceIsRecognized() {
    assertThat(problemsOf(() -> parse("{\"ReplicationTasks\": []}")))
        .singleElement()
        .extracting(Problem::fix)
        .asString()
        .contains("--query 'ReplicationTasks[0].ReplicationTaskSettings'");
  }

  @Test
  void aValueWithAUnitGetsTheNumberToWriteAsFix() {
    List<Problem> problems =
        problemsOf(
            () ->
                parse(
                    """
                    {"ChangeProcessingTuning": {
                      "BatchApplyTimeoutMin": "5s",
                      "BatchApplyTimeoutMax": "2 min",
                      "MemoryKeepTime": "500ms",
                      "BatchApplyMemoryLimit": "500MB",
                      "MemoryLimitTotal": "2GB",
                      "CommitTimeout": "soon"}}
                    """));

    assertThat(problems.get(0))
        .isEqualTo(
            new Problem(
                "settings.json:2:27 ChangeProcessingTuning.BatchApplyTimeoutMin",
                "the text \"5s\"",
                "a number of seconds from 0 to 86400; fractions are allowed; or auto",
                "Write 5, without quotes and without a unit"));
    assertThat(problems)
        .extracting(Problem::fix)
        .containsExactlyInAnyOrder(
            "Write 5, without quotes and without a unit",
            "Write 120, without quotes and without a unit",
            "Write 0.5, without quotes and without a unit",
            "Write 500, without quotes and without a unit",
            "Write 2048, without quotes and without a unit",
            "Write a plain number, without quotes and without a unit");
  }

  @Test
  void aValueOutOfRangeNamesTheRange() {
    assertThat(problemsOf(() -> parse("{\"FullLoadSettings\": {\"MaxFullLoadSubTasks\": 50}}")))
        .containsExactly(
            new Problem(
                "settings.json:1:46 FullLoadSettings.MaxFullLoadSubTasks",
                "50",
                "a whole number of segments from 1 to 49",
                "Lower it to 49 or less"));
    assertThat(problemsOf(() -> parse("{\"FullLoadSettings\": {\"CommitRate\": 10.5}}")))
        .singleElement()
        .extracting(Problem::fix)
        .isEqualTo("Write a number without a fraction");
  }

  @Test
  void aMisspeltKeyGetsTheNearestNameAndAMisplacedOneItsSection() {
    List<Problem> problems =
        problemsOf(
            () ->
                parse(
                    """
                    {"ChangeProcesingTuning": {},
                     "BatchSplitSize": 5,
                     "ChangeProcessingTuning": {"BatchApplyTimoutMin": 1, "BatchApplyEnabled": true}}
                    """));

    assertThat(problems)
        .extracting(Problem::fix)
        .containsExactlyInAnyOrder(
            "Did you mean \"ChangeProcessingTuning\"?",
            "Move it to the section \"ChangeProcessingTuning\"",
            "Did you mean \"BatchApplyTimeoutMin\"?",
            "Move it to the section \"TargetMetadata\"");
    assertThat(problems)
        .extracting(Problem::thing)
        .contains("settings.json:3:29 ChangeProcessingTuning.BatchApplyTimoutMin");
  }

  @Test
  void aRepeatedKeyIsAProblemThatNamesBothLines() {
    assertThat(problemsOf(() -> parse("{\"Sluice\": {},\n \"Sluice\": {}}")))
        .containsExactly(
            new Problem(
                "settings.json:2:2 Sluice",
                "the key \"Sluice\" occurs a second time",
                "each key once (the first is on line 1)",
                "Remove one of them"));
  }

  @Test
  void textCopiedFromAWebPageIsRecognizedByItsQuotesAndSpaces() {
    assertThat(problemsOf(() -> parse(Resources.text("article-typographic.json"))))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).startsWith("settings.json:2:");
              assertThat(problem.found()).isEqualTo("the typographic quote “");
            });
    assertThat(problemsOf(() -> parse("{\n\u00a0\"Sluice\": {}}")))
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("a no-break space");
  }

  @Test
  void brokenJsonIsReportedWithItsLocation() {
    assertThat(problemsOf(() -> parse("{\"Sluice\":\n {\"SwapLimit\": }}")))
        .singleElement()
        .extracting(Problem::thing)
        .asString()
        .startsWith("settings.json:2:");
    assertThat(problemsOf(() -> parse(""))).hasSize(1);
    assertThat(problemsOf(() -> parse("{} {}"))).hasSize(1);
    assertThat(problemsOf(() -> parse("[]"))).hasSize(1);
  }

  @Test
  void settingsThatContradictEachOtherAreAProblem() {
    assertThat(
            problemsOf(
                () ->
                    parse(
                        """
                        {"ChangeProcessingTuning": {"BatchApplyTimeoutMin": 40},
                         "TargetMetadata": {"FullLobMode": true, "LimitedSizeLobMode": true},
                         "FullLoadSettings": {"StopTaskCachedChangesApplied": true,
                           "StopTaskCachedChangesNotApplied": true,
                           "TargetTablePrepMode": "TRUNCATE_BEFORE_LOAD"},
                         "ValidationSettings": {"ValidationOnly": true}}
                        """)))
        .extracting(Problem::found)
        .containsExactly(
            "BatchApplyTimeoutMin is 40 s, BatchApplyTimeoutMax 30 s",
            "FullLobMode and LimitedSizeLobMode are both true",
            "ValidationOnly is true, and TargetTablePrepMode is TRUNCATE_BEFORE_LOAD, which drops"
                + " or empties tables as soon as ValidationOnly is removed",
            "StopTaskCachedChangesApplied and StopTaskCachedChangesNotApplied are both true");
  }

  @Test
  void parallelThreadsAreRefusedIfSourceTransactionsMustStayComplete() {
    assertThat(problemsOf(() -> parse("{\"TargetMetadata\": {\"ParallelApplyThreads\": 2}}")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.found()).contains("BatchApplyPreserveTransaction is true");
              assertThat(problem.fix()).contains("BatchApplyPreserveTransaction to false");
            });
    assertThat(
            problemsOf(
                () ->
                    parse(
                        """
                        {"TargetMetadata": {"ParallelApplyThreads": 2, "BatchApplyEnabled": false},
                         "ChangeProcessingTuning": {"BatchApplyPreserveTransaction": false}}
                        """)))
        .singleElement()
        .satisfies(problem -> assertThat(problem.found()).contains("BatchApplyEnabled is false"));
    assertThat(
            parse(
                    """
                    {"TargetMetadata": {"ParallelApplyThreads": 1, "BatchApplyEnabled": false}}
                    """)
                .get(TargetMetadata.PARALLEL_APPLY_THREADS))
        .isEqualTo(1);
  }

  @Test
  void theErrorProfileChangesDefaultsAndKeepsValuesOfTheDocument() {
    TaskSettings errors =
        parse(
            """
            {"Sluice": {"ErrorProfile": "dms-defaults"},
             "ErrorBehavior": {"ApplyErrorDeletePolicy": "STOP_TASK"}}
            """);

    TaskSettings dms = parse(Resources.text("dms-returned.json"));
    TaskSettings profile = parse("{\"Sluice\": {\"ErrorProfile\": \"dms-defaults\"}}");
    assertThat(errors.get(ErrorBehavior.APPLY_ERROR_DELETE_POLICY))
        .isEqualTo(ErrorAction.STOP_TASK);
    assertThat(ErrorBehavior.SECTION.settings())
        .allSatisfy(setting -> assertThat(profile.get(setting)).isEqualTo(dms.get(setting)));
    assertThat(errors.get(ErrorBehavior.APPLY_ERROR_INSERT_POLICY))
        .isEqualTo(ErrorAction.LOG_ERROR);
    assertThat(errors.get(ErrorBehavior.RECOVERABLE_ERROR_STOP_RETRY_AFTER_THROTTLING_MAX))
        .isTrue();
  }

  @Test
  void theTwoSpellingsOfTheTimeslotMustAgree() {
    assertThat(
            problemsOf(
                () ->
                    parse(
                        "{\"ControlTablesSettings\": {\"HistoryTimeslotInMinutes\": 5,"
                            + " \"historyTimeslotInMinutes\": 6}}")))
        .singleElement()
        .extracting(Problem::expected)
        .isEqualTo("one length for both names");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "collector:4318",
        "http://collector:4318",
        "http://collector:4318/",
        "ftp://collector/v1/metrics",
        "http:///v1/metrics",
        "http://user:hunter2@collector/v1/metrics",
        "http://collector/v1/metrics?key=hunter2",
        "not a url/hunter2"
      })
  void anEndpointOfMetricsIsAWholeUrlWithoutASecretAndAWrongOneIsNotShown(String wrong) {
    assertThat(problemsOf(() -> parse("\"Sluice\": {\"OtlpEndpoint\": \"" + wrong + "\"}")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).endsWith(" Sluice.OtlpEndpoint");
              assertThat(problem.toString()).doesNotContain(wrong, "hunter2");
              assertThat(problem.expected()).contains("http://127.0.0.1:4318/v1/metrics");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://127.0.0.1:4318/v1/metrics", "https://otlp.example/otlp/v1/metrics"})
  void anEndpointOfMetricsWithHostAndPathIsTaken(String address) {
    TaskSettings settings = parse("\"Sluice\": {\"OtlpEndpoint\": \"" + address + "\"}");
    assertThat(settings.get(SluiceSettings.OTLP_ENDPOINT)).contains(address);
  }

  @Test
  void theStartLogHasEverySettingWithUnitAndEffectAndWithoutEffectOnlyThoseOfTheDocument() {
    List<String> lines =
        parse(
                "{\"ChangeProcessingTuning\": {\"BatchApplyTimeoutMin\": 0.25},"
                    + " \"ErrorBehavior\": {\"EventErrorPolicy\": \"IGNORE\"}}")
            .inEffect()
            .stream()
            .map(TaskSettings.EffectiveSetting::toString)
            .toList();

    assertThat(lines)
        .hasSize(
            1
                + (int)
                    SettingCatalogue.ALL.stream()
                        .filter(setting -> setting.effect() == Setting.Effect.IN_EFFECT)
                        .count())
        .contains(
            "ChangeProcessingTuning.BatchApplyTimeoutMin = 0.25 s (in effect)",
            "ChangeProcessingTuning.BatchApplyMemoryLimit = 500 MB (in effect)",
            "ErrorBehavior.EventErrorPolicy = IGNORE (not applicable: events go to the log and the"
                + " status page)");
  }

  @Test
  void whatIsInEffectInsteadOfADefaultIsShownAndNeverInsteadOfAValueOfTheDocument() {
    Function<Setting<?>, Optional<String>> fewer =
        setting ->
            setting == FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS
                ? Optional.of("fewer")
                : Optional.empty();
    assertThat(parse("{}").inEffect(fewer))
        .contains(
            new TaskSettings.EffectiveSetting(
                "FullLoadSettings.MaxFullLoadSubTasks", "fewer", "in effect"))
        .hasSameSizeAs(parse("{}").inEffect());
    assertThat(parse("{\"FullLoadSettings\": {\"MaxFullLoadSubTasks\": 8}}").inEffect(fewer))
        .contains(
            new TaskSettings.EffectiveSetting(
                "FullLoadSettings.MaxFullLoadSubTasks", "8 segments", "in effect"));
  }

  /** The settings that a document has, as the start log shows them. */
  private static List<String> given(String resource) {
    TaskSettings settings = parse(Resources.text(resource));
    return settings.inEffect().stream()
        .filter(setting -> settings.gives(setting.path()))
        .map(setting -> setting.path() + " = " + setting.value())
        .toList();
  }

  private static TaskSettings parse(String json) {
    return TaskSettings.parse("settings.json", json);
  }

  private static String document(Setting<?> setting, String value) {
    String pair = "\"" + setting.name() + "\": " + value;
    if (setting.name().equals("ParallelApplyThreads")) {
      return "{\"TargetMetadata\": {"
          + pair
          + "}, \"ChangeProcessingTuning\": {\"BatchApplyPreserveTransaction\": false}}";
    }
    return setting.section().isEmpty()
        ? "{" + pair + "}"
        : "{\"" + setting.section() + "\": {" + pair + "}}";
  }

  /** Values of the setting's type other than its default, small enough to agree with the rest. */
  @SuppressWarnings("unchecked") // each branch has values of its type
  private static <T> List<T> otherValues(Setting<T> setting) {
    SettingType<T> type = setting.type();
    Stream<?> values;
    if (type instanceof SettingType.Switch) {
      values = Stream.of(true, false);
    } else if (type instanceof SettingType.Count count) {
      values = Stream.of(count.least(), Math.min(count.most(), 1_234_567));
    } else if (type instanceof SettingType.Megabytes megabytes) {
      values =
          Stream.of(
              DataSize.ofMebibytes(megabytes.least()), DataSize.ofMebibytes(megabytes.most()));
    } else if (type instanceof SecondsType seconds) {
      BigDecimal nearLeast = seconds.least().add(new BigDecimal("1.5"));
      values = Stream.of(Duration.ofNanos(nearLeast.movePointRight(9).longValueExact()));
    } else if (type instanceof SecondsOrAutoType) {
      values = Stream.of(LeastWindowTime.of(Duration.ofMillis(1500)), LeastWindowTime.AUTO);
    } else if (type instanceof SettingType.Choice<T> choice) {
      values = choice.values().stream();
    } else if (type instanceof SettingType.FreeText) {
      values = Stream.of("other");
    } else if (type instanceof SettingType.OptionalText) {
      values = Stream.of(Optional.of("other"));
    } else {
      values = Stream.of();
    }
    return (List<T>) values.filter(value -> !value.equals(setting.defaultValue())).toList();
  }

  private static <T> String json(Setting<T> setting, T value) {
    String written = setting.type().written(value);
    return value instanceof Boolean
            || value instanceof Number
            || value instanceof Duration
            || value instanceof LeastWindowTime.Fixed
            || value instanceof DataSize
        ? written
        : "\"" + written + "\"";
  }
}
