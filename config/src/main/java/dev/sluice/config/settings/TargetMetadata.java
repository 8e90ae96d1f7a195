package dev.sluice.config.settings;

import java.util.List;
import java.util.Optional;

/**
 * DMS's TargetMetadata section, without the settings that have no effect here. Immutable.
 *
 * @param targetSchema the schema of all tables on the target; empty: their schema on the source
 * @param batchApplyEnabled true: windows of net changes; false: whole source transactions in order
 * @param fullLobMode true: values are not cut, which is the default without LimitedSizeLobMode
 * @param limitedSizeLobMode whether values are cut at lobMaxSize
 * @param lobMaxSize in KB
 * @param parallelApplyThreads connections that apply changes in parallel, each with whole tables; 0
 *     means 1
 */
public record TargetMetadata(
    Optional<String> targetSchema,
    boolean batchApplyEnabled,
    boolean fullLobMode,
    boolean limitedSizeLobMode,
    int lobMaxSize,
    int parallelApplyThreads) {

  static final String SECTION = "TargetMetadata";

  private static final String WHOLE_VALUES =
      "every value is replicated completely, whatever its size";
  private static final String ONE_PATH =
      "MaxFullLoadSubTasks workers load and ParallelApplyThreads connections apply whole tables,"
          + " without buffers or queues of their own; these settings are for targets such as Kafka"
          + " and Redshift";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.text(
              SECTION,
              "TargetSchema",
              "a schema name",
              "",
              "the schema all tables get on the target; empty: the same as on the source"),
          Setting.toggle(
                  SECTION,
                  "BatchApplyEnabled",
                  true,
                  "true: windows of net changes; false: complete source transactions, statement by"
                      + " statement, in their order. DMS's default is false")
              .changesLive(),
          Setting.toggle(SECTION, "SupportLobs", true, "false: DMS leaves out LOB columns")
              .notApplicable(WHOLE_VALUES)
              .only(true, "columns are never skipped; " + WHOLE_VALUES),
          Setting.toggle(
              SECTION,
              "FullLobMode",
              false,
              "complete values, as without LimitedSizeLobMode; not both. They are sent with their"
                  + " row, in pieces, and are not read again"),
          Setting.toggle(
              SECTION,
              "LimitedSizeLobMode",
              false,
              "true: values of text, varchar without a length and bytea are cut at LobMaxSize, in"
                  + " the load and in changes; those of keys and of other types (json, xml, arrays)"
                  + " stay complete. DMS's default is true"),
          kilobytes("LobChunkSize", 64, "DMS: size of a piece in full LOB mode"),
          Setting.count(
              SECTION,
              "LobMaxSize",
              "KB",
              0,
              1024 * 1024,
              32,
              "with LimitedSizeLobMode: the length at which values are cut; 1 KB is 1024 characters"
                  + " of a text or 1024 bytes of a bytea"),
          kilobytes("InlineLobMaxSize", 0, "DMS: LOBs up to this size travel with their row"),
          kilobytes("LoadMaxFileSize", 0, "DMS: size of the CSV files of the load")
              .notApplicable("the load streams from COPY to COPY, without files"),
          Setting.toggle(
                  SECTION,
                  "TaskRecoveryTableEnabled",
                  false,
                  "DMS: keep a checkpoint on the target")
              .notApplicable("the checkpoint is always kept on the target, with the rows"),
          parallel("ParallelLoadThreads", "threads"),
          parallel("ParallelLoadBufferSize", "records"),
          parallel("ParallelLoadQueuesPerThread", "queues"),
          Setting.count(
              SECTION,
              "ParallelApplyThreads",
              "threads",
              0,
              32,
              0,
              "connections that apply changes in parallel, each with whole tables; 0 and 1:"
                  + " one. More than one needs BatchApplyPreserveTransaction false"),
          parallel("ParallelApplyBufferSize", "records"),
          parallel("ParallelApplyQueuesPerThread", "queues"));

  private static Setting kilobytes(String name, int defaultValue, String meaning) {
    return Setting.count(SECTION, name, "KB", 0, Integer.MAX_VALUE, defaultValue, meaning)
        .notApplicable(WHOLE_VALUES);
  }

  private static Setting parallel(String name, String unit) {
    return Setting.count(
            SECTION, name, unit, 0, Integer.MAX_VALUE, 0, "DMS: parallel work on some targets")
        .notApplicable(ONE_PATH);
  }

  /**
   * The size in KB at which values are cut, unless a rule for their table has another; 0: never.
   */
  public long lobLimit() {
    return limitedSizeLobMode ? lobMaxSize : 0;
  }

  static TargetMetadata from(SettingValues values) {
    return new TargetMetadata(
        Optional.of(values.text(SECTION, "TargetSchema")).filter(schema -> !schema.isEmpty()),
        values.toggle(SECTION, "BatchApplyEnabled"),
        values.toggle(SECTION, "FullLobMode"),
        values.toggle(SECTION, "LimitedSizeLobMode"),
        values.count(SECTION, "LobMaxSize"),
        values.count(SECTION, "ParallelApplyThreads"));
  }
}
