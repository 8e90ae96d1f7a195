package dev.sluice.config.settings;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * DMS's FullLoadSettings section. Immutable.
 *
 * @param targetTablePrepMode how target tables are prepared for the load
 * @param createPkAfterFullLoad true: primary keys are created after the rows are loaded
 * @param stopTaskCachedChangesApplied true: stop after the load and all changes made during it are
 *     applied
 * @param stopTaskCachedChangesNotApplied true: stop after the load, before any change is applied
 * @param maxFullLoadSubTasks tables, or parts of tables, loaded at the same time, 1 to 49
 * @param transactionConsistencyTimeout longest wait for transactions that are open when the task
 *     starts
 * @param commitRate rows of one COPY, which is one transaction of the target, 1 to 50,000
 */
public record FullLoadSettings(
    PrepMode targetTablePrepMode,
    boolean createPkAfterFullLoad,
    boolean stopTaskCachedChangesApplied,
    boolean stopTaskCachedChangesNotApplied,
    int maxFullLoadSubTasks,
    Duration transactionConsistencyTimeout,
    int commitRate) {

  /** How a target table is prepared for the load. */
  public enum PrepMode {
    DO_NOTHING,
    DROP_AND_CREATE,
    TRUNCATE_BEFORE_LOAD
  }

  static final String SECTION = "FullLoadSettings";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.choice(
              SECTION,
              "TargetTablePrepMode",
              Arrays.stream(PrepMode.values()).map(PrepMode::name).toList(),
              PrepMode.DO_NOTHING.name(),
              "how a target table is prepared for its load: kept as it is, dropped and created, or"
                  + " truncated"),
          Setting.toggle(
              SECTION, "CreatePkAfterFullLoad", false, "primary keys are created after the rows"),
          Setting.toggle(
              SECTION,
              "StopTaskCachedChangesApplied",
              false,
              "stop once when the load and all changes made during it are applied; the next start"
                  + " continues"),
          Setting.toggle(
              SECTION,
              "StopTaskCachedChangesNotApplied",
              false,
              "stop once after the load, before any change is applied; the next start applies them"
                  + " and continues"),
          Setting.count(
              SECTION,
              "MaxFullLoadSubTasks",
              "segments",
              1,
              49,
              8,
              "tables, or parts of large ones, loaded at the same time"),
          Setting.seconds(
              SECTION,
              "TransactionConsistencyTimeout",
              "1",
              "86400",
              "600",
              "longest wait for transactions that are open when the task starts; DMS then loads"
                  + " without them, Sluice stops and names them"),
          Setting.count(
              SECTION,
              "CommitRate",
              "rows",
              1,
              50_000,
              10_000,
              "rows of one COPY, which is one transaction of the target"));

  public static final FullLoadSettings DEFAULTS = from(SettingValues.defaults(SETTINGS));

  static FullLoadSettings from(SettingValues values) {
    return new FullLoadSettings(
        PrepMode.valueOf(values.text(SECTION, "TargetTablePrepMode")),
        values.toggle(SECTION, "CreatePkAfterFullLoad"),
        values.toggle(SECTION, "StopTaskCachedChangesApplied"),
        values.toggle(SECTION, "StopTaskCachedChangesNotApplied"),
        values.count(SECTION, "MaxFullLoadSubTasks"),
        values.seconds(SECTION, "TransactionConsistencyTimeout"),
        values.count(SECTION, "CommitRate"));
  }
}
