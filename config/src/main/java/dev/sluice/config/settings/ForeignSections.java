package dev.sluice.config.settings;

import dev.sluice.config.document.Node;
import java.util.List;
import java.util.function.Predicate;

/**
 * DMS's sections that have no effect here. They are declared so that a document of DMS is accepted
 * and every key is reported. A value that would change the target is refused.
 */
final class ForeignSections {

  private static final Section LOGGING = new Section("Logging");
  private static final Section BUFFERS = new Section("StreamBufferSettings");
  private static final Section LOOPBACK = new Section("LoopbackPreventionSettings");
  private static final Section BEFORE_IMAGE = new Section("BeforeImageSettings");
  private static final Section CHARACTERS = new Section("CharacterSetSettings");
  private static final Section TIME_TRAVEL = new Section("TTSettings");
  private static final Section RESYNC = new Section("ResyncSettings");
  private static final Section TOP = new Section("");

  private static final String OWN_LOOPBACK =
      "the way back begins at the position of the cutover, so no change goes round, and nothing is"
          + " marked in a schema";
  private static final String NO_CHARACTERS =
      "values are replicated unchanged in UTF-8; replacing characters is not built yet";
  private static final String OWN_LOGGING =
      "the daemon logs to its standard error; LogFormat is its form, and `sluice logging` changes"
          + " levels";
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

  static final Setting<Boolean> LOOPBACK_PREVENTION =
      LOOPBACK.add(
          Setting.toggle(
                  "EnableLoopbackPrevention",
                  false,
                  "true: no change goes round between source and target. Only with the section"
                      + " fallback, where that always holds")
              .notInConnect());

  /** In the order of the settings page. */
  static final List<Section> ALL =
      List.of(LOGGING, BUFFERS, LOOPBACK, BEFORE_IMAGE, CHARACTERS, TIME_TRAVEL, RESYNC, TOP);

  static {
    LOGGING.add(unused("EnableLogging", OWN_LOGGING));
    LOGGING.add(unused("EnableLogContext", OWN_LOGGING));
    LOGGING.add(unused("DeleteTaskLogs", OWN_LOGGING));
    LOGGING.add(unused("LogComponents", OWN_LOGGING));
    LOGGING.add(unused("CloudWatchLogGroup", OWN_LOGGING));
    LOGGING.add(unused("CloudWatchLogStream", OWN_LOGGING));
    BUFFERS.add(buffer("StreamBufferCount", "buffers", 3));
    BUFFERS.add(buffer("StreamBufferSizeInMB", "MB", 8));
    BUFFERS.add(buffer("CtrlStreamBufferSizeInMB", "MB", 5));
    LOOPBACK.add(unused("SourceSchema", OWN_LOOPBACK));
    LOOPBACK.add(unused("TargetSchema", OWN_LOOPBACK));
    BEFORE_IMAGE.add(
        Setting.toggle("EnableBeforeImage", false, "DMS: old values in messages")
            .notApplicable(RELATIONAL));
    BEFORE_IMAGE.add(unused("FieldName", RELATIONAL));
    BEFORE_IMAGE.add(unused("ColumnFilter", RELATIONAL));
    CHARACTERS.add(characters("CharacterReplacements"));
    CHARACTERS.add(characters("CharacterSetSupport"));
    TIME_TRAVEL.add(unused("EnableTT", NO_JOURNAL_IN_S3));
    TIME_TRAVEL.add(unused("TTS3Settings", NO_JOURNAL_IN_S3));
    TIME_TRAVEL.add(unused("TTRecordSettings", NO_JOURNAL_IN_S3));
    RESYNC.add(unused("EnableResync", NO_RESYNC));
    RESYNC.add(unused("ResyncSchedule", NO_RESYNC));
    RESYNC.add(unused("MaxResyncTime", NO_RESYNC));
    RESYNC.add(unused("ValidationTaskId", NO_RESYNC));
    TOP.add(
        unused(
            "FailTaskWhenCleanTaskResourceFailed",
            "slot, publication and journal are removed by `sluice stop --drop`, which says what"
                + " it could not remove"));
    TOP.add(unused("PostProcessingRules", "it is for S3 targets"));
  }

  private ForeignSections() {}

  private static Setting<Integer> buffer(String name, String unit, int defaultValue) {
    return Setting.count(name, unit, 1, Integer.MAX_VALUE, defaultValue, "DMS: buffers of the task")
        .notApplicable(OWN_MEMORY);
  }

  private static Setting<Object> characters(String name) {
    return Setting.anything(name, "DMS: replace characters")
        .notYet(NO_CHARACTERS)
        .refusing(NOT_EMPTY, "no value", NO_CHARACTERS);
  }

  private static Setting<Object> unused(String name, String reason) {
    return Setting.anything(name, "DMS only").notApplicable(reason);
  }
}
