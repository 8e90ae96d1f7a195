package dev.sluice.config.settings;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * DMS's ErrorBehavior section. By default every error of the data stops the task, so that the
 * target never differs from the source.
 */
public final class ErrorBehavior {

  static final Section SECTION = new Section("ErrorBehavior");

  private static final ErrorAction STOP = ErrorAction.STOP_TASK;
  private static final ErrorAction SUSPEND = ErrorAction.SUSPEND_TABLE;
  private static final ErrorAction LOG = ErrorAction.LOG_ERROR;
  private static final ErrorAction IGNORE = ErrorAction.IGNORE_RECORD;

  public static final Setting<ErrorAction> DATA_ERROR_POLICY =
      SECTION.add(
          policy(
              "DataErrorPolicy",
              ErrorAction.RECORD_ACTIONS,
              LOG,
              "what to do when a value cannot be converted or stored, or breaks a check of the"
                  + " target"));

  public static final Setting<ErrorAction> DATA_TRUNCATION_ERROR_POLICY =
      SECTION.add(
          policy(
              "DataTruncationErrorPolicy",
              ErrorAction.RECORD_ACTIONS,
              LOG,
              "what to do when a value is longer than its target column; it is never cut"));

  public static final Setting<ErrorAction> DATA_ERROR_ESCALATION_POLICY =
      SECTION.add(
          escalation("DataErrorEscalationPolicy", ErrorAction.TABLE_ACTIONS, SUSPEND, "data"));

  public static final Setting<Integer> DATA_ERROR_ESCALATION_COUNT =
      SECTION.add(escalationCount("DataErrorEscalationCount", "data"));

  public static final Setting<ErrorAction> TABLE_ERROR_POLICY =
      SECTION.add(
          policy(
              "TableErrorPolicy",
              ErrorAction.TABLE_ACTIONS,
              SUSPEND,
              "what to do when a target table or a column of it is missing; when an index of a"
                  + " loaded table cannot be created, SUSPEND_TABLE names it and continues"));

  public static final Setting<ErrorAction> TABLE_ERROR_ESCALATION_POLICY =
      SECTION.add(escalation("TableErrorEscalationPolicy", List.of(STOP), STOP, "table"));

  public static final Setting<Integer> TABLE_ERROR_ESCALATION_COUNT =
      SECTION.add(escalationCount("TableErrorEscalationCount", "table"));

  public static final Setting<ErrorAction> APPLY_ERROR_DELETE_POLICY =
      SECTION.add(
          policy(
              "ApplyErrorDeletePolicy",
              ErrorAction.RECORD_ACTIONS,
              IGNORE,
              "what to do when a DELETE finds no row"));

  public static final Setting<ErrorAction> APPLY_ERROR_INSERT_POLICY =
      SECTION.add(
          policy(
              "ApplyErrorInsertPolicy",
              with(ErrorAction.INSERT_RECORD),
              LOG,
              "what to do when the row of an INSERT exists already; INSERT_RECORD updates that"
                  + " row"));

  public static final Setting<ErrorAction> APPLY_ERROR_UPDATE_POLICY =
      SECTION.add(
          policy(
              "ApplyErrorUpdatePolicy",
              with(ErrorAction.UPDATE_RECORD),
              LOG,
              "what to do when an UPDATE finds no row; UPDATE_RECORD inserts it where the log has"
                  + " all its values"));

  public static final Setting<ErrorAction> APPLY_ERROR_ESCALATION_POLICY =
      SECTION.add(
          escalation("ApplyErrorEscalationPolicy", List.of(LOG, SUSPEND, STOP), LOG, "apply"));

  public static final Setting<Integer> APPLY_ERROR_ESCALATION_COUNT =
      SECTION.add(escalationCount("ApplyErrorEscalationCount", "apply"));

  public static final Setting<Boolean> APPLY_ERROR_FAIL_ON_TRUNCATION_DDL =
      SECTION.add(
          Setting.toggle(
              "ApplyErrorFailOnTruncationDdl",
              false,
              "true: a TRUNCATE of a replicated table stops the task"));

  public static final Setting<Integer> RECOVERABLE_ERROR_COUNT =
      SECTION.add(
          Setting.count(
              "RecoverableErrorCount",
              "tries",
              -1,
              Integer.MAX_VALUE,
              -1,
              "number of retries when the environment fails; -1 is unlimited, 0 is none"));

  public static final Setting<Duration> RECOVERABLE_ERROR_INTERVAL =
      SECTION.add(
          Setting.seconds("RecoverableErrorInterval", "0.1", "86400", "5", "the first wait"));

  public static final Setting<Boolean> RECOVERABLE_ERROR_THROTTLING =
      SECTION.add(
          Setting.toggle(
              "RecoverableErrorThrottling", true, "true: each wait is twice the one before"));

  public static final Setting<Duration> RECOVERABLE_ERROR_THROTTLING_MAX =
      SECTION.add(
          Setting.seconds(
              "RecoverableErrorThrottlingMax", "0.1", "86400", "1800", "longest single wait"));

  public static final Setting<Boolean> RECOVERABLE_ERROR_STOP_RETRY_AFTER_THROTTLING_MAX =
      SECTION.add(
          Setting.toggle(
                  "RecoverableErrorStopRetryAfterThrottlingMax",
                  false,
                  "true: stop after the longest wait is reached. DMS mostly returns true")
              .orDms(true));

  static final Setting<ErrorAction> DATA_MASKING_ERROR_POLICY =
      SECTION.add(
          Setting.choice(
                  "DataMaskingErrorPolicy",
                  ErrorAction.RECORD_ACTIONS,
                  STOP,
                  "DMS: what to do when a masking rule fails")
              .notApplicable("there are no masking rules"));

  static final Setting<String> EVENT_ERROR_POLICY =
      SECTION.add(
          Setting.choice(
                  "EventErrorPolicy",
                  List.of("IGNORE", STOP.name()),
                  "IGNORE",
                  "DMS: what to do when an event could not be sent")
              .notApplicable("events go to the log and the status page"));

  static final Setting<Boolean> FAIL_ON_NO_TABLES_CAPTURED =
      SECTION.add(
          Setting.toggle("FailOnNoTablesCaptured", true, "true: stop when the rules match no table")
              .notApplicable("rules that match no table always stop the start"));

  static final Setting<Boolean> FAIL_ON_TRANSACTION_CONSISTENCY_BREACHED =
      SECTION.add(
          Setting.toggle(
                  "FailOnTransactionConsistencyBreached",
                  false,
                  "DMS, Oracle sources: stop at a transaction that is too old")
              .notApplicable("the load waits for every open transaction or stops"));

  static final Setting<Boolean> FULL_LOAD_IGNORE_CONFLICTS =
      SECTION.add(
          Setting.toggle(
                  "FullLoadIgnoreConflicts",
                  true,
                  "DMS: ignore conflicts while changes made during the load are applied")
              .notApplicable(
                  "the load's snapshot and the log meet at one position, so there are no such"
                      + " conflicts"));

  /** The policies for single changes, in the order in which they are reported. */
  public static final List<Setting<ErrorAction>> POLICIES =
      List.of(
          DATA_ERROR_POLICY,
          DATA_TRUNCATION_ERROR_POLICY,
          TABLE_ERROR_POLICY,
          APPLY_ERROR_DELETE_POLICY,
          APPLY_ERROR_INSERT_POLICY,
          APPLY_ERROR_UPDATE_POLICY);

  /** The policies for repeated errors of a table. */
  public static final List<Setting<ErrorAction>> ESCALATION_POLICIES =
      List.of(
          DATA_ERROR_ESCALATION_POLICY,
          TABLE_ERROR_ESCALATION_POLICY,
          APPLY_ERROR_ESCALATION_POLICY);

  private ErrorBehavior() {}

  private static Setting<ErrorAction> policy(
      String name, List<ErrorAction> actions, ErrorAction dmsDefault, String meaning) {
    return Setting.choice(name, actions, STOP, meaning).orDms(dmsDefault);
  }

  private static Setting<ErrorAction> escalation(
      String name, List<ErrorAction> actions, ErrorAction defaultValue, String errors) {
    return Setting.choice(
        name,
        actions,
        defaultValue,
        "what to do when a table reaches its count of " + errors + " errors");
  }

  private static Setting<Integer> escalationCount(String name, String errors) {
    return Setting.count(
        name,
        "errors",
        0,
        Integer.MAX_VALUE,
        0,
        "number of " + errors + " errors of a table that triggers the escalation; 0 is never");
  }

  private static List<ErrorAction> with(ErrorAction action) {
    return Stream.concat(ErrorAction.RECORD_ACTIONS.stream(), Stream.of(action)).toList();
  }

  /**
   * The policies that let the target differ from the source; empty if every error stops the task.
   */
  static List<String> diverging(TaskSettings settings) {
    return POLICIES.stream()
        .filter(policy -> settings.get(policy).leavesOut())
        .map(policy -> policy.name() + " " + settings.get(policy))
        .toList();
  }

  /** Whether any policy may suspend a table. */
  public static boolean maySuspend(TaskSettings settings) {
    return POLICIES.stream().anyMatch(policy -> suspends(settings, policy))
        || suspends(settings, DATA_ERROR_ESCALATION_POLICY, DATA_ERROR_ESCALATION_COUNT)
        || suspends(settings, TABLE_ERROR_ESCALATION_POLICY, TABLE_ERROR_ESCALATION_COUNT)
        || suspends(settings, APPLY_ERROR_ESCALATION_POLICY, APPLY_ERROR_ESCALATION_COUNT);
  }

  private static boolean suspends(
      TaskSettings settings, Setting<ErrorAction> policy, Setting<Integer> count) {
    return settings.get(count) > 0 && suspends(settings, policy);
  }

  private static boolean suspends(TaskSettings settings, Setting<ErrorAction> policy) {
    return settings.get(policy) == ErrorAction.SUSPEND_TABLE;
  }
}
