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

  /** Requested; neither fence was applied yet. */
  public static final String CUTOVER_BEGUN = "begun";

  /** The source is asked to close for writers. Only the source knows whether it did. */
  public static final String CUTOVER_DECIDING = "deciding";

  /** All changes are durable on the target, and the source is closed or was idle. */
  public static final String CUTOVER_QUIET = "quiet";

  public static final String CUTOVER_DONE = "done";

  /** Cancelled; the task continues to replicate. */
  public static final String CUTOVER_FAILED = "failed";

  /** Facts of the source for the last steps, recorded before its writers are stopped. */
  public static final String CUTOVER_PLAN = "cutover-plan";

  public static final String CUTOVER_PLAN_NOTED = "noted";

  /** The cutover that the source has decided; the detail has its id. */
  public static final String CUTOVER_DECISION = "cutover-decision";

  public static final String CUTOVER_DECISION_MADE = "made";

  /**
   * The target was usable; the detail begins with the cutover, and has the report. Later steps are
   * repeated after a restart, earlier ones are not: the applications may already use the target.
   */
  public static final String CUTOVER_USABLE = "cutover-usable";

  public static final String CUTOVER_USABLE_NOTED = "noted";

  /** What a cutover did up to the decision, for its report; the detail begins with its time. */
  public static final String CUTOVER_TIMELINE = "cutover-timeline";

  public static final String CUTOVER_TIMELINE_NOTED = "noted";

  /** The last rehearsal of a cutover; the detail has its times. */
  public static final String REHEARSAL = "rehearsal";

  public static final String REHEARSAL_DONE = "done";

  /** The choices that were accepted before the cutover; the detail lists their kinds. */
  public static final String ACCEPTED = "accepted-choices";

  public static final String ACCEPTED_NOTED = "noted";

  /** A way back has begun; the detail is the cutover at whose position it did. */
  public static final String FALLBACK = "fallback";

  public static final String FALLBACK_BEGUN = "begun";

  /** The new side was lost, and the old source was opened without a proof. */
  public static final String FALLBACK_TARGET_LOST = "target-lost";

  /** What was written on the source after the cutover; the detail counts it. */
  public static final String SOURCE_WRITES = "source-writes";

  public static final String SOURCE_WRITES_SEEN = "seen";

  /** The sequences that the cutover set on the target; the detail has their values. */
  public static final String SEQUENCES = "sequences";

  public static final String SEQUENCES_SET = "set";

  /**
   * The values that attempts of the cutover have set on the target, or were about to set, and that
   * may still be there; the detail has the form of {@link #SEQUENCES}.
   */
  public static final String SEQUENCES_TO_SET = "sequences-to-set";

  public static final String SEQUENCES_TO_SET_NOTED = "noted";

  /** The tables that the task started with; the detail lists them. */
  public static final String TABLES = "tables";

  public static final String TABLES_KNOWN = "known";

  /** The row filters of these tables, if the source does not store them; the detail lists them. */
  public static final String FILTERS = "row-filters";

  public static final String FILTERS_KNOWN = "known";

  /**
   * A table that was taken into the running task, followed by its name. Until its first load has
   * emptied it, its rows on the target are not the task's own.
   */
  public static final String FIRST_LOAD = "first-load ";

  public static final String FIRST_LOAD_REQUESTED = "requested";
  public static final String FIRST_LOAD_BEGUN = "begun";

  /** The lanes' layout: the state is the number of threads, the detail lists the target tables. */
  public static final String LANES = "lanes";

  /** The resync by difference; the detail says whether extra rows are deleted. */
  public static final String RESYNC = "resync";

  /** The next start begins at a new position of the source's log. */
  public static final String RESYNC_REQUESTED = "requested";

  public static final String RESYNC_RUNNING = "running";

  /** The request was cancelled before a start acted on it. */
  public static final String RESYNC_CANCELLED = "cancelled";

  /** Every table was proven equal. */
  public static final String RESYNC_DONE = "done";

  /**
   * A hook of the cutover that may hold the applications, followed by the hook's name; the detail
   * says how to let them go by hand.
   */
  public static final String HOOK = "hook ";

  public static final String HOOK_HOLDS = "holds";
  public static final String HOOK_CLEARED = "cleared";

  private TaskStepNames() {}
}
