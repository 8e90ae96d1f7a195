package dev.sluice.engine.load;

/** Whether this task has loaded into its target tables before. */
public enum LoadAttempt {
  FIRST,
  /**
   * An earlier attempt was interrupted. All rows of the target tables are its own, since it
   * prepared the tables before.
   */
  AGAIN,
  /**
   * Tables of a running task are loaded again, as a user requested. Only their rows are deleted: a
   * table that fits the source's is emptied, whatever TargetTablePrepMode says, and keeps its
   * indexes, constraints and grants. Only DROP_AND_CREATE re-creates a table, if it does not fit.
   */
  RELOAD
}
