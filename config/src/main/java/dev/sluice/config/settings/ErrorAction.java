package dev.sluice.config.settings;

import java.util.List;
import java.util.stream.Stream;

/** What to do about a change that the target does not take, by DMS's names. */
public enum ErrorAction {
  /** Skip the change; it is written to the exceptions table and counted. */
  IGNORE_RECORD,
  /** The same, and the log names it. */
  LOG_ERROR,
  /** Apply nothing more to its table, from the change's transaction on. */
  SUSPEND_TABLE,
  /** Apply nothing of its window and stop. */
  STOP_TASK,
  /** An INSERT that meets a row of its key updates that row. */
  INSERT_RECORD,
  /** An UPDATE that finds no row inserts it. */
  UPDATE_RECORD;

  static final List<String> RECORD_ACTIONS =
      names(IGNORE_RECORD, LOG_ERROR, SUSPEND_TABLE, STOP_TASK);
  static final List<String> TABLE_ACTIONS = names(SUSPEND_TABLE, STOP_TASK);

  /** Whether a change that cannot be applied is left out and the rest goes on. */
  public boolean leavesOut() {
    return this != STOP_TASK;
  }

  static List<String> names(ErrorAction... actions) {
    return Stream.of(actions).map(Enum::name).toList();
  }
}
