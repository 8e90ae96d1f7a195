package dev.sluice.engine.task;

/** The steps of a task's life that its target remembers, and their states. */
final class Steps {
  static final String LOAD = "full-load";
  static final String LOAD_RUNNING = "running";
  static final String LOAD_DONE = "done";

  /** The target tables into which the load has copied or is about to; the detail lists them. */
  static final String PREPARED = "prepared-tables";

  static final String PREPARED_KNOWN = "known";

  /** What loaded tables need beside their rows; the detail is the TargetTablePrepMode. */
  static final String COMPLETION = "completion";

  static final String COMPLETION_RUNNING = "running";
  static final String COMPLETION_DONE = "done";

  /** The changes that were made during the load, as far as a stop may hang on them. */
  static final String CACHED_CHANGES = "cached-changes";

  /** The task was stopped before they were applied. */
  static final String CACHED_CHANGES_HELD = "held";

  static final String CACHED_CHANGES_APPLIED = "applied";

  static final String CUTOVER = "cutover";

  /** Asked for; both fences are still to come. */
  static final String CUTOVER_BEGUN = "begun";

  /** Everything is on the target durably, and the source did nothing between the fences. */
  static final String CUTOVER_QUIET = "quiet";

  static final String CUTOVER_DONE = "done";

  /** Given up; the task replicates on. */
  static final String CUTOVER_FAILED = "failed";

  /** What was written on the source after the cutover; the detail counts it. */
  static final String SOURCE_WRITES = "source-writes";

  static final String SOURCE_WRITES_SEEN = "seen";

  /** The sequences as the cutover set them on the target; the detail has their values. */
  static final String SEQUENCES = "sequences";

  static final String SEQUENCES_SET = "set";

  /** The tables that the task began with; the detail lists them. */
  static final String TABLES = "tables";

  static final String TABLES_KNOWN = "known";

  /** The lanes' layout: for how many threads, and in the detail, for which target tables. */
  static final String LANES = "lanes";

  private Steps() {}
}
