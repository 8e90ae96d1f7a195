package dev.sluice.config.settings;

import dev.sluice.config.document.Node;
import java.util.List;
import java.util.function.Predicate;

/**
 * DMS's sections that have no effect here. They are declared so that a document of DMS is accepted
 * and every key is reported. A value that would change the target is refused.
 */
final class ForeignSections {

  private static final String VALIDATION = "ValidationSettings";
  private static final String LOGGING = "Logging";
  private static final String BUFFERS = "StreamBufferSettings";
  private static final String LOOPBACK = "LoopbackPreventionSettings";
  private static final String BEFORE_IMAGE = "BeforeImageSettings";
  private static final String CHARACTERS = "CharacterSetSettings";
  private static final String TIME_TRAVEL = "TTSettings";
  private static final String RESYNC = "ResyncSettings";
  private static final String TOP = "";

  private static final String NO_VALIDATION =
      "validation while replicating is not built yet, and a task must not run without the"
          + " validation that its settings require";
  private static final String NO_LOOPBACK =
      "two-way replication is not built yet; without it changes would be replicated in a loop";
  private static final String NO_CHARACTERS =
      "values are replicated unchanged in UTF-8; replacing characters is not built yet";
  private static final String OWN_LOGGING = "logging is set up through logback.xml";
  private static final String OWN_MEMORY =
      "memory between the stages is bounded by MemoryLimitTotal and BatchApplyMemoryLimit";
  private static final String RELATIONAL = "it is for Kafka and Kinesis targets, in DMS too";
  private static final String NO_JOURNAL_IN_S3 =
      "applied changes are not kept in S3; the journal in Kafka holds what is not applied yet";
  private static final String NO_RESYNC = "DMS has it for Oracle and SQL Server sources only";

  private static final Predicate<Object> NOT_EMPTY =
      value ->
          !(value instanceof Node.Sequence sequence && sequence.items().isEmpty())
              && !(value instanceof Node.Mapping mapping && mapping.entries().isEmpty());

  static final List<Setting> SETTINGS =
      List.of(
          Setting.toggle(
                  VALIDATION, "EnableValidation", false, "DMS: compare the rows of both sides")
              .notYet(NO_VALIDATION)
              .only(false, NO_VALIDATION),
          Setting.toggle(VALIDATION, "ValidationOnly", false, "DMS: compare and move nothing")
              .notYet(NO_VALIDATION)
              .only(false, NO_VALIDATION),
          Setting.choice(
                  VALIDATION,
                  "ValidationMode",
                  List.of("ROW_LEVEL", "GROUP_LEVEL"),
                  "ROW_LEVEL",
                  "DMS: how to compare")
              .notYet(NO_VALIDATION),
          validationCount("ThreadCount", "threads", 5),
          validationCount("PartitionSize", "rows", 10_000),
          validationCount("FailureMaxCount", "records", 10_000),
          validationCount("TableFailureMaxCount", "records", 1_000),
          validationCount("RecordFailureDelayInMinutes", "minutes", 5),
          validationCount("RecordFailureDelayLimitInMinutes", "minutes", 0),
          validationCount("RecordSuspendDelayInMinutes", "minutes", 30),
          validationCount("ValidationPartialLobSize", "KB", 0),
          validationCount("ValidationQueryCdcDelaySeconds", "seconds", 0),
          validationCount("MaxKeyColumnSize", "bytes", 8096),
          validationCount("ValidationS3Mask", "(bits)", 0),
          validationCount("ValidationS3Time", "(time)", 0),
          validationToggle("HandleCollationDiff"),
          validationToggle("SkipLobColumns"),
          unused(LOGGING, "EnableLogging", OWN_LOGGING),
          unused(LOGGING, "EnableLogContext", OWN_LOGGING),
          unused(LOGGING, "DeleteTaskLogs", OWN_LOGGING),
          unused(LOGGING, "LogComponents", OWN_LOGGING),
          unused(LOGGING, "CloudWatchLogGroup", OWN_LOGGING),
          unused(LOGGING, "CloudWatchLogStream", OWN_LOGGING),
          buffer("StreamBufferCount", "buffers", 3),
          buffer("StreamBufferSizeInMB", "MB", 8),
          buffer("CtrlStreamBufferSizeInMB", "MB", 5),
          Setting.toggle(LOOPBACK, "EnableLoopbackPrevention", false, "DMS: two-way replication")
              .notYet(NO_LOOPBACK)
              .only(false, NO_LOOPBACK),
          unused(LOOPBACK, "SourceSchema", NO_LOOPBACK),
          unused(LOOPBACK, "TargetSchema", NO_LOOPBACK),
          Setting.toggle(BEFORE_IMAGE, "EnableBeforeImage", false, "DMS: old values in messages")
              .notApplicable(RELATIONAL),
          unused(BEFORE_IMAGE, "FieldName", RELATIONAL),
          unused(BEFORE_IMAGE, "ColumnFilter", RELATIONAL),
          characters("CharacterReplacements"),
          characters("CharacterSetSupport"),
          unused(TIME_TRAVEL, "EnableTT", NO_JOURNAL_IN_S3),
          unused(TIME_TRAVEL, "TTS3Settings", NO_JOURNAL_IN_S3),
          unused(TIME_TRAVEL, "TTRecordSettings", NO_JOURNAL_IN_S3),
          unused(RESYNC, "EnableResync", NO_RESYNC),
          unused(RESYNC, "ResyncSchedule", NO_RESYNC),
          unused(RESYNC, "MaxResyncTime", NO_RESYNC),
          unused(RESYNC, "ValidationTaskId", NO_RESYNC),
          unused(
              TOP,
              "FailTaskWhenCleanTaskResourceFailed",
              "slot, publication and journal are removed by `sluice stop --drop`, which says what"
                  + " it could not remove"),
          unused(TOP, "PostProcessingRules", "it is for S3 targets"));

  private ForeignSections() {}

  private static Setting validationCount(String name, String unit, int defaultValue) {
    return Setting.count(
            VALIDATION, name, unit, 0, Integer.MAX_VALUE, defaultValue, "DMS: how to compare")
        .notYet(NO_VALIDATION);
  }

  private static Setting validationToggle(String name) {
    return Setting.toggle(VALIDATION, name, false, "DMS: how to compare").notYet(NO_VALIDATION);
  }

  private static Setting buffer(String name, String unit, int defaultValue) {
    return Setting.count(
            BUFFERS, name, unit, 1, Integer.MAX_VALUE, defaultValue, "DMS: buffers of the task")
        .notApplicable(OWN_MEMORY);
  }

  private static Setting characters(String name) {
    return Setting.anything(CHARACTERS, name, "DMS: replace characters")
        .notYet(NO_CHARACTERS)
        .refusing(NOT_EMPTY, "no value", NO_CHARACTERS);
  }

  private static Setting unused(String section, String name, String reason) {
    return Setting.anything(section, name, "DMS only").notApplicable(reason);
  }
}
