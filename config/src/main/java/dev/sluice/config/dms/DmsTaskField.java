package dev.sluice.config.dms;

import dev.sluice.config.document.Node;
import dev.sluice.config.task.MigrationType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** The fields of a task of DMS that a task file does not take, with what Sluice does instead. */
enum DmsTaskField {
  STATUS(
      "Status",
      "stop the DMS task before sluice run begins: both would write to the same target tables"),
  STOP_REASON("StopReason", "of the DMS task; Sluice does not continue it"),
  LAST_FAILURE("LastFailureMessage", "of the DMS task; Sluice does not continue it"),
  CDC_START(
      "CdcStartPosition",
      "not taken: Sluice makes a slot of its own, which has the log from then on"),
  CDC_STOP(
      "CdcStopPosition",
      "not taken: it would stop the task there; cdc-stop-position takes DMS's times as they are"),
  RECOVERY_CHECKPOINT(
      "RecoveryCheckpoint", "not taken: a position of DMS, from which Sluice cannot continue"),
  TASK_DATA("TaskData", "not taken: data for DMS's own sources and targets"),
  TASK_ARN("ReplicationTaskArn", "of the DMS task"),
  INSTANCE_ARN(
      "ReplicationInstanceArn", "not taken: a task of Sluice runs where sluice run is started"),
  TARGET_INSTANCE_ARN(
      "TargetReplicationInstanceArn",
      "not taken: a task of Sluice runs where sluice run is started"),
  CREATION_DATE("ReplicationTaskCreationDate", "of the DMS task"),
  START_DATE("ReplicationTaskStartDate", "of the DMS task"),
  STATISTICS("ReplicationTaskStats", "of the DMS task; sluice status has those of Sluice's");

  /** In these the DMS task does not write. */
  private static final Set<String> RESTING = Set.of("stopped", "failed", "ready", "failed-move");

  private final String key;
  private final String instead;

  DmsTaskField(String key, String instead) {
    this.key = key;
    this.instead = instead;
  }

  /** What matters most comes first, and what is not known last. */
  static final Comparator<Node.Entry> BY_WEIGHT =
      Comparator.comparingInt(
          entry -> of(entry).map(DmsTaskField::ordinal).orElse(Integer.MAX_VALUE));

  private static Optional<DmsTaskField> of(Node.Entry entry) {
    return Arrays.stream(values()).filter(field -> field.key.equals(entry.key())).findFirst();
  }

  /** The note on a field; one that DMS has added since is named, too. */
  static String note(Node.Entry entry, MigrationType type, DmsEngine source) {
    String text = entry.key() + " " + NotedValue.of(entry.value()) + " — ";
    return of(entry)
        .map(field -> text + field.instead(entry.value(), type, source))
        .orElse(text + "not taken: Sluice does not know this field");
  }

  private String instead(Node value, MigrationType type, DmsEngine source) {
    if (this == STATUS && RESTING.contains(NotedValue.of(value))) {
      return "of the DMS task; do not start it again while Sluice writes to the same target tables";
    }
    if (source.isDb2() && (this == CDC_START || this == CDC_STOP)) {
      return "not taken: with Debezium's connector a task has neither a start nor a stop position";
    }
    if (this == CDC_START) {
      String start =
          source.hasDatabasesForSchemas()
              ? "not taken: a task begins where it starts, or where its load does"
              : instead;
      return type == MigrationType.CDC
          ? start + "; cdc-start-position takes " + startsOf(source)
          : start;
    }
    return instead;
  }

  private static String startsOf(DmsEngine source) {
    return source.hasDatabasesForSchemas()
        ? "a file of the log and an offset, such as mysql-bin.000024:373, GTIDs, or commit_time:"
            + " and a time, as long as the log has them"
        : "an LSN, or commit_time: and a time, that a slot made before still has";
  }
}
