package dev.sluice.connector.postgres.load;

/** Which code that the source's users wrote is made on a target. */
public enum MadeCode {
  /** All that is needed: the task's owner consents, or has been asked. */
  ALL,

  /**
   * What runs with its caller's rights, as triggers do for the applications. A function that is
   * SECURITY DEFINER would be the loader's there, and run with the loader's rights.
   */
  OF_ITS_CALLER,

  /** No functions, and no domains whose checks may do anything. */
  NONE
}
