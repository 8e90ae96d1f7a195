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

  /** The source is asked to close for writers; it knows whether it did. */
  public static final String CUTOVER_DECIDING = "deciding";

  /** All changes are durable on the target, and the source is closed or was idle. */
  public static final String CUTOVER_QUIET = "quiet";

  public static final String CUTOVER_DONE = "done";

  /** Cancelled; the task continues to replicate. */
  public static final String CUTOVER_FAILED = "failed";

  /** What the last steps need of the source, noted before its writers are stopped. */
  public static final String CUTOVER_PLAN = "cutover-plan";

  public static final String CUTOVER_PLAN_NOTED = "noted";

  /** The cutover that the source has decided; the detail has its id. */
  public static final String CUTOVER_DECISION = "cutover-decision";

  public static final String CUTOVER_DECISION_MADE = "made";

  /**
   * The target could be used; the detail begins with the cutover, and has the report. What comes
   * after that is repeated, what came before is not: the applications may have gone on meanwhile.
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

  /** Its new side was lost, and the old source was opened without any proof. */
  public static final String FALLBACK_TARGET_LOST = "target-lost";

  /** What was written on the source after the cutover; the detail counts it. */
  public static final String SOURCE_WRITES = "source-writes";

  public static final String SOURCE_WRITES_SEEN = "seen";

  /** The sequences that the cutover set on the target; the detail has their values. */
  public static final String SEQUENCES = "sequences";

  public static final String SEQUENCES_SET = "set";

  /**
   * The values that attempts of the cutover have set on the target or were about to, as far as they
   * may still be there; the detail has them like that of {@link #SEQUENCES}.
   */
  public static final String SEQUENCES_TO_SET = "sequences-to-set";

  public static final String SEQUENCES_TO_SET_NOTED = "noted";

  /** The tables that the task started with; the detail lists them. */
  public static final String TABLES = "tables";

  public static final String TABLES_KNOWN = "known";

  /**
   * The row filters of these tables, where the source does not keep them; the detail lists them.
   */
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

  /** The request was taken back before a start acted on it. */
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
