package dev.sluice.config.settings;

import java.time.Duration;
import java.util.List;

/** DMS's FullLoadSettings section: how tables are loaded, and whether the task stops then. */
public final class FullLoadSettings {

  /** How a target table is prepared for the load. */
  public enum PrepMode {
    DO_NOTHING,
    DROP_AND_CREATE,
    TRUNCATE_BEFORE_LOAD
  }

  static final Section SECTION = new Section("FullLoadSettings");

  public static final Setting<PrepMode> TARGET_TABLE_PREP_MODE =
      SECTION.add(
          Setting.choice(
              "TargetTablePrepMode",
              List.of(PrepMode.values()),
              PrepMode.DO_NOTHING,
              "how a target table is prepared for its load: kept as it is, dropped and created, or"
                  + " truncated"));

  public static final Setting<Boolean> CREATE_PK_AFTER_FULL_LOAD =
      SECTION.add(
          Setting.toggle(
              "CreatePkAfterFullLoad",
              true,
              "the primary keys of tables that Sluice creates are created after the rows, which"
                  + " is faster. DMS's default is false"));

  public static final Setting<Boolean> STOP_TASK_CACHED_CHANGES_APPLIED =
      SECTION.add(
          Setting.toggle(
              "StopTaskCachedChangesApplied",
              false,
              "stop once when the load and all changes made during it are applied; the next start"
                  + " continues"));

  public static final Setting<Boolean> STOP_TASK_CACHED_CHANGES_NOT_APPLIED =
      SECTION.add(
          Setting.toggle(
              "StopTaskCachedChangesNotApplied",
              false,
              "stop once after the load, before any change is applied; the next start applies them"
                  + " and continues"));

  public static final Setting<Integer> MAX_FULL_LOAD_SUB_TASKS =
      SECTION.add(
          Setting.count(
              "MaxFullLoadSubTasks",
              "segments",
              1,
              49,
              8,
              "tables, or parts of large ones, loaded at the same time. Where it is not set, a cluster"
                  + " of YugabyteDB gets four for each server, at most 8, and fewer while its"
                  + " servers are busy"));

  public static final Setting<Duration> TRANSACTION_CONSISTENCY_TIMEOUT =
      SECTION.add(
          Setting.seconds(
              "TransactionConsistencyTimeout",
              "1",
              "86400",
              "600",
              "longest wait for transactions that are open when the task starts; DMS then loads"
                  + " without them, Sluice stops and names them"));

  public static final Setting<Integer> COMMIT_RATE =
      SECTION.add(
          Setting.count(
              "CommitRate",
              "rows",
              1,
              50_000,
              50_000,
              "rows of one COPY, which is one transaction of the target. DMS's default is 10000, with"
                  + " which small rows take longer"));

  private FullLoadSettings() {}
}
