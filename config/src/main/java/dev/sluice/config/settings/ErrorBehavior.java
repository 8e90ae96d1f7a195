package dev.sluice.config.settings;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * DMS's ErrorBehavior section. By default every error of the data stops the task, so that the
 * target never differs from the source. Immutable.
 *
 * @param policies the reactions to changes that cannot be applied
 * @param recoverableErrorCount number of retries after a failure of the environment; -1 is
 *     unlimited, 0 is none
 * @param recoverableErrorInterval the wait before the first retry
 * @param recoverableErrorThrottling true: each wait is twice the one before
 * @param recoverableErrorThrottlingMax the longest wait
 * @param recoverableErrorStopRetryAfterThrottlingMax true: stop after the longest wait is reached
 */
public record ErrorBehavior(
    ErrorPolicies policies,
    int recoverableErrorCount,
    Duration recoverableErrorInterval,
    boolean recoverableErrorThrottling,
    Duration recoverableErrorThrottlingMax,
    boolean recoverableErrorStopRetryAfterThrottlingMax) {

  static final String SECTION = "ErrorBehavior";

  private static final String STOP = ErrorAction.STOP_TASK.name();
  private static final String SUSPEND = ErrorAction.SUSPEND_TABLE.name();
  private static final String LOG = ErrorAction.LOG_ERROR.name();
  private static final String IGNORE = ErrorAction.IGNORE_RECORD.name();

  static final List<Setting> SETTINGS =
      List.of(
          policy(
              "DataErrorPolicy",
              ErrorAction.RECORD_ACTIONS,
              LOG,
              "what to do when a value cannot be converted or stored, or breaks a check of the"
                  + " target"),
          policy(
              "DataTruncationErrorPolicy",
              ErrorAction.RECORD_ACTIONS,
              LOG,
              "what to do when a value is longer than its target column; it is never cut"),
          escalation("DataErrorEscalationPolicy", ErrorAction.TABLE_ACTIONS, SUSPEND, "data"),
          escalationCount("DataErrorEscalationCount", "data"),
          policy(
              "TableErrorPolicy",
              ErrorAction.TABLE_ACTIONS,
              SUSPEND,
              "what to do when a target table or a column of it is missing; when an index of a"
                  + " loaded table cannot be created, SUSPEND_TABLE names it and continues"),
          escalation("TableErrorEscalationPolicy", List.of(STOP), STOP, "table"),
          escalationCount("TableErrorEscalationCount", "table"),
          policy(
              "ApplyErrorDeletePolicy",
              ErrorAction.RECORD_ACTIONS,
              IGNORE,
              "what to do when a DELETE finds no row"),
          policy(
              "ApplyErrorInsertPolicy",
              with(ErrorAction.INSERT_RECORD),
              LOG,
              "what to do when the row of an INSERT exists already; INSERT_RECORD updates that"
                  + " row"),
          policy(
              "ApplyErrorUpdatePolicy",
              with(ErrorAction.UPDATE_RECORD),
              LOG,
              "what to do when an UPDATE finds no row; UPDATE_RECORD inserts it where the log has"
                  + " all its values"),
          escalation("ApplyErrorEscalationPolicy", List.of(LOG, SUSPEND, STOP), LOG, "apply"),
          escalationCount("ApplyErrorEscalationCount", "apply"),
          Setting.toggle(
              SECTION,
              "ApplyErrorFailOnTruncationDdl",
              false,
              "true: a TRUNCATE of a replicated table stops the task"),
          Setting.count(
              SECTION,
              "RecoverableErrorCount",
              "tries",
              -1,
              Integer.MAX_VALUE,
              -1,
              "number of retries when the environment fails; -1 is unlimited, 0 is none"),
          Setting.seconds(
              SECTION, "RecoverableErrorInterval", "0.1", "86400", "5", "the first wait"),
          Setting.toggle(
              SECTION,
              "RecoverableErrorThrottling",
              true,
              "true: each wait is twice the one before"),
          Setting.seconds(
              SECTION,
              "RecoverableErrorThrottlingMax",
              "0.1",
              "86400",
              "1800",
              "longest single wait"),
          Setting.toggle(
                  SECTION,
                  "RecoverableErrorStopRetryAfterThrottlingMax",
                  false,
                  "true: stop after the longest wait is reached. DMS mostly returns true")
              .orDms(true),
          Setting.choice(
                  SECTION,
                  "DataMaskingErrorPolicy",
                  ErrorAction.RECORD_ACTIONS,
                  STOP,
                  "DMS: what to do when a masking rule fails")
              .notApplicable("there are no masking rules"),
          Setting.choice(
                  SECTION,
                  "EventErrorPolicy",
                  List.of("IGNORE", STOP),
                  "IGNORE",
                  "DMS: what to do when an event could not be sent")
              .notApplicable("events go to the log and the status page"),
          Setting.toggle(
                  SECTION,
                  "FailOnNoTablesCaptured",
                  true,
                  "true: stop when the rules match no table")
              .notApplicable("rules that match no table always stop the start"),
          Setting.toggle(
                  SECTION,
                  "FailOnTransactionConsistencyBreached",
                  false,
                  "DMS, Oracle sources: stop at a transaction that is too old")
              .notApplicable("the load waits for every open transaction or stops"),
          Setting.toggle(
                  SECTION,
                  "FullLoadIgnoreConflicts",
                  true,
                  "DMS: ignore conflicts while changes made during the load are applied")
              .notApplicable(
                  "the load's snapshot and the log meet at one position, so there are no such"
                      + " conflicts"));

  public static final ErrorBehavior DEFAULTS = from(SettingValues.defaults(SETTINGS));

  private static Setting policy(
      String name, List<String> actions, String dmsDefault, String meaning) {
    return Setting.choice(SECTION, name, actions, STOP, meaning).orDms(dmsDefault);
  }

  private static Setting escalation(
      String name, List<String> actions, String defaultValue, String errors) {
    return Setting.choice(
        SECTION,
        name,
        actions,
        defaultValue,
        "what to do when a table reaches its count of " + errors + " errors");
  }

  private static Setting escalationCount(String name, String errors) {
    return Setting.count(
        SECTION,
        name,
        "errors",
        0,
        Integer.MAX_VALUE,
        0,
        "number of " + errors + " errors of a table that triggers the escalation; 0 is never");
  }

  private static List<String> with(ErrorAction action) {
    return Stream.concat(ErrorAction.RECORD_ACTIONS.stream(), Stream.of(action.name())).toList();
  }

  static ErrorBehavior from(SettingValues values) {
    return new ErrorBehavior(
        new ErrorPolicies(
            action(values, "DataErrorPolicy"),
            action(values, "DataTruncationErrorPolicy"),
            escalation(values, "DataError"),
            action(values, "TableErrorPolicy"),
            escalation(values, "TableError"),
            action(values, "ApplyErrorInsertPolicy"),
            action(values, "ApplyErrorUpdatePolicy"),
            action(values, "ApplyErrorDeletePolicy"),
            escalation(values, "ApplyError"),
            values.toggle(SECTION, "ApplyErrorFailOnTruncationDdl")),
        values.count(SECTION, "RecoverableErrorCount"),
        values.seconds(SECTION, "RecoverableErrorInterval"),
        values.toggle(SECTION, "RecoverableErrorThrottling"),
        values.seconds(SECTION, "RecoverableErrorThrottlingMax"),
        values.toggle(SECTION, "RecoverableErrorStopRetryAfterThrottlingMax"));
  }

  /**
   * The policies that let the target differ from the source; empty if every error stops the task.
   */
  static List<String> diverging(SettingValues values) {
    return SETTINGS.stream()
        .filter(setting -> setting.name().endsWith("Policy"))
        .filter(setting -> setting.dmsDefault() != null)
        .filter(setting -> ErrorAction.valueOf((String) values.of(setting)).leavesOut())
        .map(setting -> setting.name() + " " + values.of(setting))
        .toList();
  }

  private static ErrorPolicies.Escalation escalation(SettingValues values, String kind) {
    return new ErrorPolicies.Escalation(
        action(values, kind + "EscalationPolicy"), values.count(SECTION, kind + "EscalationCount"));
  }

  private static ErrorAction action(SettingValues values, String name) {
    return ErrorAction.valueOf(values.text(SECTION, name));
  }
}
