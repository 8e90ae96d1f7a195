package dev.sluice.connector.postgres.load;

/** Which code of the source's users is created on a target. */
public enum MadeCode {
  /** All that is needed: the task's owner has consented. */
  ALL,

  /**
   * Code that runs with its caller's rights. A SECURITY DEFINER function would belong to the loader
   * on the target and run with the loader's rights, so it is not created.
   */
  OF_ITS_CALLER,

  /** No functions, and no domains whose checks use unsafe functions. */
  NONE
}
