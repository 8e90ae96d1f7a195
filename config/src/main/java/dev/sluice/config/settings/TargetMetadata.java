package dev.sluice.config.settings;

import java.util.Optional;

/** DMS's TargetMetadata section: where and how changes are applied, and LOBs. */
public final class TargetMetadata {

  static final Section SECTION = new Section("TargetMetadata");

  private static final String WHOLE_VALUES =
      "every value is replicated completely, whatever its size";
  private static final String ONE_PATH =
      "MaxFullLoadSubTasks workers load and ParallelApplyThreads connections apply whole tables,"
          + " without buffers or queues of their own; these settings are for targets such as Kafka"
          + " and Redshift";

  public static final Setting<Optional<String>> TARGET_SCHEMA =
      SECTION.add(
          Setting.optionalText(
              "TargetSchema",
              "a schema name",
              Optional.empty(),
              "the schema all tables get on the target; empty: the same as on the source"));

  public static final Setting<Boolean> BATCH_APPLY_ENABLED =
      SECTION.add(
          Setting.toggle(
                  "BatchApplyEnabled",
                  true,
                  "true: windows of net changes; false: complete source transactions, statement by"
                      + " statement, in their order. DMS's default is false")
              .changesLive());

  static final Setting<Boolean> SUPPORT_LOBS =
      SECTION.add(
          Setting.toggle("SupportLobs", true, "false: DMS leaves out LOB columns")
              .notApplicable(WHOLE_VALUES)
              .only(true, "columns are never skipped; " + WHOLE_VALUES));

  public static final Setting<Boolean> FULL_LOB_MODE =
      SECTION.add(
          Setting.toggle(
              "FullLobMode",
              false,
              "complete values, as without LimitedSizeLobMode; not both. They are sent with their"
                  + " row, in pieces, and are not read again"));

  public static final Setting<Boolean> LIMITED_SIZE_LOB_MODE =
      SECTION.add(
          Setting.toggle(
              "LimitedSizeLobMode",
              false,
              "true: values of text, varchar without a length and bytea are cut at LobMaxSize, in"
                  + " the load and in changes; those of keys and of other types (json, xml, arrays)"
                  + " stay complete. DMS's default is true"));

  static final Setting<Integer> LOB_CHUNK_SIZE =
      SECTION.add(kilobytes("LobChunkSize", 64, "DMS: size of a piece in full LOB mode"));

  public static final Setting<Integer> LOB_MAX_SIZE =
      SECTION.add(
          Setting.count(
              "LobMaxSize",
              "KB",
              0,
              1024 * 1024,
              32,
              "with LimitedSizeLobMode: the length at which values are cut; 1 KB is 1024 characters"
                  + " of a text or 1024 bytes of a bytea"));

  static final Setting<Integer> INLINE_LOB_MAX_SIZE =
      SECTION.add(
          kilobytes("InlineLobMaxSize", 0, "DMS: LOBs up to this size travel with their row"));

  static final Setting<Integer> LOAD_MAX_FILE_SIZE =
      SECTION.add(
          kilobytes("LoadMaxFileSize", 0, "DMS: size of the CSV files of the load")
              .notApplicable("the load streams from COPY to COPY, without files"));

  static final Setting<Boolean> TASK_RECOVERY_TABLE_ENABLED =
      SECTION.add(
          Setting.toggle("TaskRecoveryTableEnabled", false, "DMS: keep a checkpoint on the target")
              .notApplicable("the checkpoint is always kept on the target, with the rows"));

  static final Setting<Integer> PARALLEL_LOAD_THREADS =
      SECTION.add(parallel("ParallelLoadThreads", "threads"));

  static final Setting<Integer> PARALLEL_LOAD_BUFFER_SIZE =
      SECTION.add(parallel("ParallelLoadBufferSize", "records"));

  static final Setting<Integer> PARALLEL_LOAD_QUEUES_PER_THREAD =
      SECTION.add(parallel("ParallelLoadQueuesPerThread", "queues"));

  public static final Setting<Integer> PARALLEL_APPLY_THREADS =
      SECTION.add(
          Setting.count(
              "ParallelApplyThreads",
              "threads",
              0,
              32,
              0,
              "connections that apply changes in parallel, each with whole tables; 0 and 1:"
                  + " one. More than one needs BatchApplyPreserveTransaction false"));

  static final Setting<Integer> PARALLEL_APPLY_BUFFER_SIZE =
      SECTION.add(parallel("ParallelApplyBufferSize", "records"));

  static final Setting<Integer> PARALLEL_APPLY_QUEUES_PER_THREAD =
      SECTION.add(parallel("ParallelApplyQueuesPerThread", "queues"));

  private static Setting<Integer> kilobytes(String name, int defaultValue, String meaning) {
    return Setting.count(name, "KB", 0, Integer.MAX_VALUE, defaultValue, meaning)
        .notApplicable(WHOLE_VALUES);
  }

  private static Setting<Integer> parallel(String name, String unit) {
    return Setting.count(name, unit, 0, Integer.MAX_VALUE, 0, "DMS: parallel work on some targets")
        .notApplicable(ONE_PATH);
  }

  /**
   * The size in KB at which values are cut, unless a rule for their table has another; 0: never.
   */
  public static long lobLimit(TaskSettings settings) {
    return settings.get(LIMITED_SIZE_LOB_MODE) ? settings.get(LOB_MAX_SIZE) : 0;
  }

  private TargetMetadata() {}
}
