package dev.sluice.engine.load;

/** Whether this task has loaded into its target tables before. */
public enum LoadAttempt {
  FIRST,
  /**
   * An earlier attempt was broken off: whatever rows the target tables have are its own, as it was
   * let in only after the tables were prepared.
   */
  AGAIN
}
