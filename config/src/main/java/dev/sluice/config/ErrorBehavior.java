package dev.sluice.config;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * DMS's ErrorBehavior section. Data and apply errors stop the task: that is the one policy there is
 * so far, so only what is done about errors of the environment can be set. Immutable.
 *
 * @param recoverableErrorCount how often a failed environment is tried again; -1 is for ever, 0
 *     never
 * @param recoverableErrorInterval the first wait
 * @param recoverableErrorThrottling true: each wait is twice the one before
 * @param recoverableErrorThrottlingMax longest single wait
 * @param recoverableErrorStopRetryAfterThrottlingMax true: give up once the longest wait is reached
 */
public record ErrorBehavior(
    int recoverableErrorCount,
    Duration recoverableErrorInterval,
    boolean recoverableErrorThrottling,
    Duration recoverableErrorThrottlingMax,
    boolean recoverableErrorStopRetryAfterThrottlingMax) {

  static final String SECTION = "ErrorBehavior";

  private static final String STOP = "STOP_TASK";
  private static final List<String> ACTIONS =
      List.of("IGNORE_RECORD", "LOG_ERROR", "SUSPEND_TABLE", STOP);
  private static final List<String> TABLE_ACTIONS = List.of("SUSPEND_TABLE", STOP);

  private static final String DIVERGES =
      "going on after such an error leaves the target different from the source, and the other"
          + " actions are not built yet";
  private static final String NOTHING_ESCALATES =
      "the first error stops the task, so nothing is counted";

  static final List<Setting> SETTINGS =
      List.of(
          stopping("DataErrorPolicy", ACTIONS, "a value cannot be converted or stored"),
          stopping("TableErrorPolicy", TABLE_ACTIONS, "a table's definition or data fails"),
          stopping("ApplyErrorDeletePolicy", ACTIONS, "a DELETE finds no row"),
          stopping(
              "ApplyErrorInsertPolicy",
              with("INSERT_RECORD"),
              "an INSERT meets a row that is there"),
          stopping("ApplyErrorUpdatePolicy", with("UPDATE_RECORD"), "an UPDATE finds no row"),
          Setting.count(
              SECTION,
              "RecoverableErrorCount",
              "tries",
              -1,
              Integer.MAX_VALUE,
              -1,
              "how often to try again when the environment fails; -1 is for ever, 0 never"),
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
              "true: give up once the longest wait is reached. DMS mostly returns true"),
          Setting.choice(
                  SECTION,
                  "DataTruncationErrorPolicy",
                  ACTIONS,
                  "LOG_ERROR",
                  "DMS: what to do when a value is cut")
              .notApplicable("values are never cut"),
          Setting.choice(
                  SECTION,
                  "DataMaskingErrorPolicy",
                  ACTIONS,
                  STOP,
                  "DMS: what to do when a masking rule fails")
              .notApplicable("there are no masking rules"),
          escalation("DataErrorEscalationPolicy", TABLE_ACTIONS, "SUSPEND_TABLE"),
          escalationCount("DataErrorEscalationCount"),
          escalation("TableErrorEscalationPolicy", TABLE_ACTIONS, STOP),
          escalationCount("TableErrorEscalationCount"),
          escalation(
              "ApplyErrorEscalationPolicy",
              List.of("LOG_ERROR", "SUSPEND_TABLE", STOP),
              "LOG_ERROR"),
          escalationCount("ApplyErrorEscalationCount"),
          Setting.choice(
                  SECTION,
                  "EventErrorPolicy",
                  List.of("IGNORE", STOP),
                  "IGNORE",
                  "DMS: what to do when an event could not be sent")
              .notApplicable("events go to the log and the status page"),
          Setting.toggle(
                  SECTION,
                  "ApplyErrorFailOnTruncationDdl",
                  false,
                  "true: DMS fails when a table is truncated")
              .notYet("a TRUNCATE is applied")
              .only(false, "stopping at a TRUNCATE is not built yet"),
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

  private static Setting stopping(String name, List<String> actions, String when) {
    return Setting.choice(SECTION, name, actions, STOP, "what to do when " + when)
        .only(STOP, DIVERGES);
  }

  private static Setting escalation(String name, List<String> actions, String defaultValue) {
    return Setting.choice(
            SECTION, name, actions, defaultValue, "DMS: what to do after that many errors")
        .notApplicable(NOTHING_ESCALATES);
  }

  private static Setting escalationCount(String name) {
    return Setting.count(
            SECTION, name, "errors", 0, Integer.MAX_VALUE, 0, "DMS: errors before the escalation")
        .notApplicable(NOTHING_ESCALATES);
  }

  private static List<String> with(String action) {
    return Stream.concat(ACTIONS.stream(), Stream.of(action)).toList();
  }

  static ErrorBehavior from(SettingValues values) {
    return new ErrorBehavior(
        values.count(SECTION, "RecoverableErrorCount"),
        values.seconds(SECTION, "RecoverableErrorInterval"),
        values.toggle(SECTION, "RecoverableErrorThrottling"),
        values.seconds(SECTION, "RecoverableErrorThrottlingMax"),
        values.toggle(SECTION, "RecoverableErrorStopRetryAfterThrottlingMax"));
  }
}
