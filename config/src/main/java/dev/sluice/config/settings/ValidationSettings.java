package dev.sluice.config.settings;

import java.util.List;

/**
 * DMS's ValidationSettings section: how the tables of both sides are compared while changes are
 * applied. {@link SluiceSettings} has more of it.
 */
public final class ValidationSettings {

  static final Section SECTION = new Section("ValidationSettings");

  private static final String EXACT =
      "both sides are compared at one position of the source's log, so no difference passes by"
          + " waiting";
  private static final String ANY_COLLATION =
      "ranges of keys are used only where both sides order keys alike, otherwise hash buckets";
  private static final String WHOLE_VALUES =
      "values of any size are compared as a whole, by their hashes";
  private static final String S3 = "it is for S3 targets";

  public static final Setting<Boolean> ENABLE_VALIDATION =
      SECTION.add(
          Setting.toggle(
                  "EnableValidation",
                  false,
                  "true: the task compares the tables of both sides while it applies changes, in"
                      + " short sessions, again and again")
              .notInConnect());

  public static final Setting<Boolean> VALIDATION_ONLY =
      SECTION.add(
          Setting.toggle(
                  "ValidationOnly",
                  false,
                  "true: sluice run compares the tables of both sides once, moves nothing, and"
                      + " ends; needs migration-type full-load and TargetTablePrepMode DO_NOTHING")
              .notInConnect());

  static final Setting<String> VALIDATION_MODE =
      SECTION.add(
          Setting.choice(
                  "ValidationMode",
                  List.of("ROW_LEVEL", "GROUP_LEVEL"),
                  "ROW_LEVEL",
                  "DMS: compare rows, or groups of rows first")
              .notApplicable(
                  "groups of PartitionSize rows are compared first, and the rows of unequal groups"
                      + " then")
              .notInConnect());

  public static final Setting<Integer> THREAD_COUNT =
      SECTION.add(
          Setting.count(
                  "ThreadCount",
                  "threads",
                  1,
                  32,
                  5,
                  "connections to either side that read one table at the same time while somebody"
                      + " waits for it: in a pass, a resync, or with ValidationOnly; otherwise one"
                      + " reads. Two more keep the snapshot and watch the locks")
              .notInConnect());

  public static final Setting<Integer> PARTITION_SIZE =
      SECTION.add(
          Setting.count(
                  "PartitionSize",
                  "rows",
                  100,
                  1_000_000,
                  10_000,
                  "rows whose number and sums are compared as one group")
              .notInConnect());

  public static final Setting<Integer> FAILURE_MAX_COUNT =
      SECTION.add(
          Setting.count(
                  "FailureMaxCount",
                  "records",
                  1,
                  Integer.MAX_VALUE,
                  10_000,
                  "differences of all tables at which validation is suspended; replication"
                      + " continues")
              .notInConnect());

  public static final Setting<Integer> TABLE_FAILURE_MAX_COUNT =
      SECTION.add(
          Setting.count(
                  "TableFailureMaxCount",
                  "records",
                  1,
                  Integer.MAX_VALUE,
                  1_000,
                  "differences of one table at which its validation is suspended")
              .notInConnect());

  static final Setting<Integer> RECORD_FAILURE_DELAY =
      SECTION.add(
          count("RecordFailureDelayInMinutes", "minutes", 5, "DMS: report a difference only later")
              .notApplicable(EXACT));

  static final Setting<Integer> RECORD_FAILURE_DELAY_LIMIT =
      SECTION.add(
          count("RecordFailureDelayLimitInMinutes", "minutes", 0, "DMS: limit of that delay")
              .notApplicable(EXACT));

  public static final Setting<Integer> RECORD_SUSPEND_DELAY =
      SECTION.add(
          Setting.count(
                  "RecordSuspendDelayInMinutes",
                  "minutes",
                  1,
                  10_080,
                  30,
                  "how long a row may change in every session before it is counted as suspended:"
                      + " neither proven nor different")
              .notInConnect());

  static final Setting<Integer> PARTIAL_LOB_SIZE =
      SECTION.add(
          Setting.count(
                  "ValidationPartialLobSize",
                  "KB",
                  0,
                  1024 * 1024,
                  0,
                  "DMS: compare only the beginning of large values; 0 is all")
              .notApplicable(WHOLE_VALUES)
              .notInConnect());

  static final Setting<Integer> QUERY_CDC_DELAY =
      SECTION.add(
          count("ValidationQueryCdcDelaySeconds", "seconds", 0, "DMS: wait before a changed row")
              .notApplicable(EXACT));

  static final Setting<Integer> MAX_KEY_COLUMN_SIZE =
      SECTION.add(
          count("MaxKeyColumnSize", "bytes", 8096, "DMS: the longest key")
              .notApplicable("keys of any length are compared"));

  static final Setting<Integer> S3_MASK =
      SECTION.add(count("ValidationS3Mask", "(bits)", 0, "DMS: S3 targets").notApplicable(S3));

  static final Setting<Integer> S3_TIME =
      SECTION.add(count("ValidationS3Time", "(time)", 0, "DMS: S3 targets").notApplicable(S3));

  static final Setting<Boolean> HANDLE_COLLATION_DIFF =
      SECTION.add(
          Setting.toggle("HandleCollationDiff", false, "DMS: sort alike under other collations")
              .notApplicable(ANY_COLLATION)
              .notInConnect());

  static final Setting<Boolean> SKIP_LOB_COLUMNS =
      SECTION.add(
          Setting.toggle(
                  "SkipLobColumns", false, "true: DMS does not compare columns of large values")
              .notApplicable(WHOLE_VALUES)
              .notInConnect());

  private ValidationSettings() {}

  private static Setting<Integer> count(
      String name, String unit, int defaultValue, String meaning) {
    return Setting.count(name, unit, 0, Integer.MAX_VALUE, defaultValue, meaning).notInConnect();
  }
}
