package dev.sluice.engine.context;

/** Names of a task's steps and of their states, as recorded on the target. */
public final class TaskStepNames {
  public static final String LOAD = "full-load";
  public static final String LOAD_RUNNING = "running";
  public static final String LOAD_DONE = "done";

  /** The target tables into which the load copies; the detail lists them. */
  public static final String PREPARED = "prepared-tables";

  public static final String PREPARED_KNOWN = "known";

  /** Keys, indexes and constraints of the loaded tables; the detail is the TargetTablePrepMode. */
  public static final String COMPLETION = "completion";

  public static final String COMPLETION_RUNNING = "running";
  public static final String COMPLETION_DONE = "done";

  /** The stops before and after the changes are applied that were committed during the load. */
  public static final String CACHED_CHANGES = "cached-changes";

  /** The task was stopped before these changes were applied. */
  public static final String CACHED_CHANGES_HELD = "held";

  public static final String CACHED_CHANGES_APPLIED = "applied";

  public static final String CUTOVER = "cutover";

  /** Requested; both fences are still to come. */
  public static final String CUTOVER_BEGUN = "begun";

  /** All changes are durable on the target, and the source was idle between the fences. */
  public static final String CUTOVER_QUIET = "quiet";

  public static final String CUTOVER_DONE = "done";

  /** Cancelled; the task continues to replicate. */
  public static final String CUTOVER_FAILED = "failed";

  /** What was written on the source after the cutover; the detail counts it. */
  public static final String SOURCE_WRITES = "source-writes";

  public static final String SOURCE_WRITES_SEEN = "seen";

  /** The sequences that the cutover set on the target; the detail has their values. */
  public static final String SEQUENCES = "sequences";

  public static final String SEQUENCES_SET = "set";

  /** The tables that the task started with; the detail lists them. */
  public static final String TABLES = "tables";

  public static final String TABLES_KNOWN = "known";

  /** The lanes' layout: the state is the number of threads, the detail lists the target tables. */
  public static final String LANES = "lanes";

  private TaskStepNames() {}
}
