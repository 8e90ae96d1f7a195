package dev.sluice.engine.context;

/** The steps of a task's life that its target remembers, and their states. */
public final class TaskStepNames {
  public static final String LOAD = "full-load";
  public static final String LOAD_RUNNING = "running";
  public static final String LOAD_DONE = "done";

  /** The target tables into which the load has copied or is about to; the detail lists them. */
  public static final String PREPARED = "prepared-tables";

  public static final String PREPARED_KNOWN = "known";

  /** What loaded tables need beside their rows; the detail is the TargetTablePrepMode. */
  public static final String COMPLETION = "completion";

  public static final String COMPLETION_RUNNING = "running";
  public static final String COMPLETION_DONE = "done";

  /** The changes that were made during the load, as far as a stop may hang on them. */
  public static final String CACHED_CHANGES = "cached-changes";

  /** The task was stopped before they were applied. */
  public static final String CACHED_CHANGES_HELD = "held";

  public static final String CACHED_CHANGES_APPLIED = "applied";

  public static final String CUTOVER = "cutover";

  /** Asked for; both fences are still to come. */
  public static final String CUTOVER_BEGUN = "begun";

  /** Everything is on the target durably, and the source did nothing between the fences. */
  public static final String CUTOVER_QUIET = "quiet";

  public static final String CUTOVER_DONE = "done";

  /** Given up; the task replicates on. */
  public static final String CUTOVER_FAILED = "failed";

  /** What was written on the source after the cutover; the detail counts it. */
  public static final String SOURCE_WRITES = "source-writes";

  public static final String SOURCE_WRITES_SEEN = "seen";

  /** The sequences as the cutover set them on the target; the detail has their values. */
  public static final String SEQUENCES = "sequences";

  public static final String SEQUENCES_SET = "set";

  /** The tables that the task began with; the detail lists them. */
  public static final String TABLES = "tables";

  public static final String TABLES_KNOWN = "known";

  /** The lanes' layout: for how many threads, and in the detail, for which target tables. */
  public static final String LANES = "lanes";

  private TaskStepNames() {}
}
