package dev.sluice.config.settings;

import java.util.List;

/** The reaction to a change that cannot be applied, by DMS's names. */
public enum ErrorAction {
  /** Skip the change; it is written to the exceptions table and counted. */
  IGNORE_RECORD,
  /** The same, and a log line names the change. */
  LOG_ERROR,
  /** Apply no more changes to its table, from the change's transaction on. */
  SUSPEND_TABLE,
  /** Roll the window back and stop the task. */
  STOP_TASK,
  /** An INSERT whose key exists already updates that row. */
  INSERT_RECORD,
  /** An UPDATE that finds no row inserts the row. */
  UPDATE_RECORD;

  static final List<ErrorAction> RECORD_ACTIONS =
      List.of(IGNORE_RECORD, LOG_ERROR, SUSPEND_TABLE, STOP_TASK);
  static final List<ErrorAction> TABLE_ACTIONS = List.of(SUSPEND_TABLE, STOP_TASK);

  /** Whether the task skips the change and continues. */
  public boolean leavesOut() {
    return this != STOP_TASK;
  }
}
