package dev.sluice.config.settings;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.Resources;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.ErrorPolicies.Escalation;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TaskSettingsTest {

  @Test
  void anEmptyDocumentGivesTheDefaults() {
    TaskSettings settings = parse("{}");

    assertThat(settings.changeProcessingTuning())
        .isEqualTo(
            new ChangeProcessingTuning(
                true,
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                DataSize.ofMebibytes(500),
                0,
                1000,
                Duration.ofSeconds(1),
                DataSize.ofMebibytes(1024),
                Duration.ofSeconds(60),
                50))
        .isEqualTo(ChangeProcessingTuning.DEFAULTS);
    assertThat(settings.fullLoadSettings())
        .isEqualTo(
            new FullLoadSettings(
                FullLoadSettings.PrepMode.DO_NOTHING,
                false,
                false,
                false,
                8,
                Duration.ofSeconds(600),
                10_000));
    assertThat(settings.targetMetadata().batchApplyEnabled()).isTrue();
    assertThat(settings.targetMetadata().targetSchema()).isEmpty();
    assertThat(settings.errorBehavior())
        .isEqualTo(
            new ErrorBehavior(
                STOPPING, -1, Duration.ofSeconds(5), true, Duration.ofSeconds(1800), false));
    assertThat(settings.ddlHandlingPolicy().handleSourceTableTruncated()).isTrue();
    assertThat(settings.controlTablesSettings().controlSchema()).isEqualTo("sluice_control");
    assertThat(settings.sluice().swapDirectory()).isEmpty();
    assertThat(settings.sluice().swapLimit()).isEqualTo(DataSize.ofMebibytes(10_240));
    assertThat(settings.sluice().readyThreshold()).isEqualTo(10_000);
    assertThat(settings.notes()).isEmpty();
    assertThat(settings.divergence()).isEmpty();
  }

  static Stream<Setting> settings() {
    return SettingCatalogue.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everySettingIsReadWhenItIsNotItsDefault(Setting setting) {
    List<Object> others =
        otherValues(setting).stream()
            .filter(value -> setting.refusals().stream().noneMatch(r -> r.values().test(value)))
            .toList();
    for (Object other : others) {
      TaskSettings settings = parse(document(setting, json(setting, other)));
      assertThat(settings.value(setting)).isEqualTo(other);
      assertThat(settings.notes())
          .hasSize(setting.effect() == Setting.Effect.IN_EFFECT ? 0 : 1)
          .allSatisfy(note -> assertThat(note).contains(setting.name(), setting.reason()));
    }
    boolean hasOnlyOneValue =
        setting.kind() instanceof SettingType.Choice choice && choice.allowed().size() == 1;
    if (!(setting.kind() instanceof SettingType.Anything)
        && setting.refusals().isEmpty()
        && !hasOnlyOneValue) {
      assertThat(others).isNotEmpty();
    }
  }

  static Stream<Setting> settingsOfAnyShape() {
    return settings().filter(setting -> setting.kind() instanceof SettingType.Anything);
  }

  @ParameterizedTest
  @MethodSource("settingsOfAnyShape")
  void aSettingOfAnyShapeIsNamedAndRefusedOnlyWhereItWouldChangeTheOutcome(Setting setting) {
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
  void everyValueThatCannotBeHonouredIsRefusedWithTheReason(Setting setting) {
    for (Setting.Refusal refusal : setting.refusals()) {
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
  void everyWrongTypeIsAProblemAtItsPlace(Setting setting) {
    if (setting.kind() instanceof SettingType.Anything) {
      return;
    }
    assertThat(problemsOf(() -> parse(document(setting, "[]"))))
        .singleElement()
        .satisfies(problem -> assertThat(problem.thing()).endsWith(" " + setting.path()));
  }

  @Test
  void theSettingsInEffectReachTheirRecords() {
    TaskSettings settings =
        parse(
            """
            {"TargetMetadata": {"TargetSchema": "copy", "BatchApplyEnabled": false},
             "FullLoadSettings": {"TargetTablePrepMode": "DROP_AND_CREATE", "CreatePkAfterFullLoad": true,
               "StopTaskCachedChangesApplied": true, "MaxFullLoadSubTasks": 3,
               "TransactionConsistencyTimeout": 0.5e2, "CommitRate": 7},
             "ErrorBehavior": {"DataErrorPolicy": "LOG_ERROR", "DataTruncationErrorPolicy": "IGNORE_RECORD",
               "DataErrorEscalationPolicy": "STOP_TASK", "DataErrorEscalationCount": 1,
               "TableErrorPolicy": "SUSPEND_TABLE", "TableErrorEscalationCount": 2,
               "ApplyErrorInsertPolicy": "INSERT_RECORD", "ApplyErrorUpdatePolicy": "UPDATE_RECORD",
               "ApplyErrorDeletePolicy": "SUSPEND_TABLE", "ApplyErrorEscalationPolicy": "SUSPEND_TABLE",
               "ApplyErrorEscalationCount": 3, "ApplyErrorFailOnTruncationDdl": true, "RecoverableErrorCount": 4, "RecoverableErrorInterval": 0.5,
               "RecoverableErrorThrottling": false, "RecoverableErrorThrottlingMax": 60,
               "RecoverableErrorStopRetryAfterThrottlingMax": true},
             "ChangeProcessingDdlHandlingPolicy": {"HandleSourceTableTruncated": true},
             "ControlTablesSettings": {"ControlSchema": "control", "HistoryTableEnabled": true,
               "historyTimeslotInMinutes": 7, "StatusTableEnabled": true},
             "Sluice": {"SwapDirectory": "/swap", "SwapLimit": 1, "MaxValueSize": 2, "JournalLimit": 64,
               "DurableCommitInterval": 0.5, "ReadyThreshold": 9,
               "LoadSegmentSize": 3,
               "PostLoadThreads": 3, "PostLoadMemory": 512,
               "SourceLogLimit": 5000, "JournalReserve": 100, "GuardWarningHours": 48,
               "GuardProblemHours": 5, "LoadRowsPerSecond": 1000, "LoadMegabytesPerSecond": 2,
               "CutoverQuietTime": 0.5}}
            """);

    assertThat(settings.targetMetadata().targetSchema()).contains("copy");
    assertThat(settings.targetMetadata().batchApplyEnabled()).isFalse();
    assertThat(settings.fullLoadSettings())
        .isEqualTo(
            new FullLoadSettings(
                FullLoadSettings.PrepMode.DROP_AND_CREATE,
                true,
                true,
                false,
                3,
                Duration.ofSeconds(50),
                7));
    assertThat(settings.errorBehavior())
        .isEqualTo(
            new ErrorBehavior(
                new ErrorPolicies(
                    ErrorAction.LOG_ERROR,
                    ErrorAction.IGNORE_RECORD,
                    new Escalation(ErrorAction.STOP_TASK, 1),
                    ErrorAction.SUSPEND_TABLE,
                    new Escalation(ErrorAction.STOP_TASK, 2),
                    ErrorAction.INSERT_RECORD,
                    ErrorAction.UPDATE_RECORD,
                    ErrorAction.SUSPEND_TABLE,
                    new Escalation(ErrorAction.SUSPEND_TABLE, 3),
                    true),
                4,
                Duration.ofMillis(500),
                false,
                Duration.ofSeconds(60),
                true));
    assertThat(settings.ddlHandlingPolicy().handleSourceTableTruncated()).isTrue();
    assertThat(settings.controlTablesSettings())
        .isEqualTo(new ControlTablesSettings("control", true, Duration.ofMinutes(7), true));
    assertThat(settings.sluice())
        .isEqualTo(
            new SluiceSettings(
                Optional.of(Path.of("/swap")),
                DataSize.ofMebibytes(1),
                DataSize.ofMebibytes(2),
                DataSize.ofMebibytes(64),
                Duration.ofMillis(500),
                9,
                DataSize.ofMebibytes(3),
                3,
                DataSize.ofMebibytes(512),
                new DiskGuardSettings(
                    DataSize.ofMebibytes(5_000),
                    DataSize.ofMebibytes(100),
                    Duration.ofHours(48),
                    Duration.ofHours(5)),
                new LoadLimits(1_000, 2 * 1024 * 1024),
                Duration.ofMillis(500)));
  }

  @Test
  void blocksOfArticlesAreReadWithoutOuterBraces() {
    assertThat(parse(Resources.text("article-tuning-sample-run.json")).changeProcessingTuning())
        .isEqualTo(
            new ChangeProcessingTuning(
                true,
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                DataSize.ofMebibytes(1000),
                15_000,
                1000,
                Duration.ofSeconds(1),
                DataSize.ofMebibytes(32_768),
                Duration.ofSeconds(1000),
                100));
    assertThat(
            parse(Resources.text("article-tuning-continuous-load.json")).changeProcessingTuning())
        .isEqualTo(
            new ChangeProcessingTuning(
                true,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                DataSize.ofMebibytes(2000),
                18_000,
                1000,
                Duration.ofSeconds(1),
                DataSize.ofMebibytes(32_768),
                Duration.ofSeconds(4000),
                100));
    assertThat(parse(Resources.text("article-full-load.json")).fullLoadSettings())
        .isEqualTo(
            new FullLoadSettings(
                FullLoadSettings.PrepMode.DO_NOTHING,
                true,
                false,
                false,
                49,
                Duration.ofSeconds(600),
                50_000));
  }

  @Test
  void aFragmentWithATrailingCommaIsReadWithTheLocationsOfTheFile() {
    assertThat(parse("\"Sluice\": {\"SwapLimit\": 5},").sluice().swapLimit())
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
    assertThat(settings.targetMetadata().batchApplyEnabled()).isFalse();
    assertThat(settings.controlTablesSettings().controlSchema()).isEqualTo("sluice_control");
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
                "a number of seconds from 0 to 86400; fractions are allowed",
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
                           "StopTaskCachedChangesNotApplied": true}}
                        """)))
        .extracting(Problem::found)
        .containsExactly(
            "BatchApplyTimeoutMin is 40 s, BatchApplyTimeoutMax 30 s",
            "FullLobMode and LimitedSizeLobMode are both true",
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
                .targetMetadata()
                .parallelApplyThreads())
        .isEqualTo(1);
  }

  @Test
  void theErrorProfileChangesDefaultsAndKeepsValuesOfTheDocument() {
    ErrorBehavior errors =
        parse(
                """
                {"Sluice": {"ErrorProfile": "dms-defaults"},
                 "ErrorBehavior": {"ApplyErrorDeletePolicy": "STOP_TASK"}}
                """)
            .errorBehavior();

    ErrorBehavior dms = parse(Resources.text("dms-returned.json")).errorBehavior();
    assertThat(errors.policies().delete()).isEqualTo(ErrorAction.STOP_TASK);
    assertThat(parse("{\"Sluice\": {\"ErrorProfile\": \"dms-defaults\"}}").errorBehavior())
        .isEqualTo(dms);
    assertThat(errors.policies().insert()).isEqualTo(ErrorAction.LOG_ERROR);
    assertThat(errors.recoverableErrorStopRetryAfterThrottlingMax()).isTrue();
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

  private static final Escalation NEVER = new Escalation(ErrorAction.SUSPEND_TABLE, 0);

  private static final ErrorPolicies STOPPING =
      new ErrorPolicies(
          ErrorAction.STOP_TASK,
          ErrorAction.STOP_TASK,
          NEVER,
          ErrorAction.STOP_TASK,
          new Escalation(ErrorAction.STOP_TASK, 0),
          ErrorAction.STOP_TASK,
          ErrorAction.STOP_TASK,
          ErrorAction.STOP_TASK,
          new Escalation(ErrorAction.LOG_ERROR, 0),
          false);

  private static TaskSettings parse(String json) {
    return TaskSettings.parse("settings.json", json);
  }

  private static String document(Setting setting, String value) {
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

  /** Values of the setting's kind other than its default, small enough to agree with the rest. */
  private static List<Object> otherValues(Setting setting) {
    SettingType kind = setting.kind();
    Stream<Object> values;
    if (kind instanceof SettingType.Switch) {
      values = Stream.of(true, false);
    } else if (kind instanceof SettingType.Count count) {
      values = Stream.of(count.least(), Math.min(count.most(), 1_234_567));
    } else if (kind instanceof SettingType.Megabytes megabytes) {
      values =
          Stream.of(
              DataSize.ofMebibytes(megabytes.least()), DataSize.ofMebibytes(megabytes.most()));
    } else if (kind instanceof SettingType.Seconds seconds) {
      BigDecimal nearLeast = seconds.least().add(new BigDecimal("1.5"));
      values = Stream.of(Duration.ofNanos(nearLeast.movePointRight(9).longValueExact()));
    } else if (kind instanceof SettingType.Choice choice) {
      values = choice.allowed().stream().map(Object.class::cast);
    } else if (kind instanceof SettingType.FreeText) {
      values = Stream.of("other");
    } else {
      values = Stream.of();
    }
    return values.filter(value -> !value.equals(setting.defaultValue())).toList();
  }

  private static String json(Setting setting, Object value) {
    if (value instanceof String text) {
      return "\"" + text + "\"";
    }
    return value instanceof Duration || value instanceof DataSize
        ? setting.kind().show(value).replaceFirst(" .*", "")
        : value.toString();
  }
}
