package dev.sluice.engine.load;

/** Whether this task has loaded into its target tables before. */
public enum LoadAttempt {
  FIRST,
  /**
   * An earlier attempt was broken off: whatever rows the target tables have are its own, as it was
   * let in only after the tables were prepared.
   */
  AGAIN,
  /**
   * Tables of a running task are loaded anew, as a user ordered. Nothing but their rows is given
   * up: a table that fits the source's is emptied whatever TargetTablePrepMode says, and keeps its
   * indexes, constraints and grants. Only DROP_AND_CREATE makes one anew, where it does not fit.
   */
  RELOAD
}
