package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.retry.RetryRequests;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.LoadLimits;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.RunningSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.load.LoadRoute;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.load.RowGuard;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.LoadMarks;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.task.CutOverTables;
import dev.sluice.sink.control.task.ReplicaIdentityNotes;
import dev.sluice.sink.control.task.TaskIdentities;
import dev.sluice.sink.control.task.TaskIdentity;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.control.task.TaskSteps;
import dev.sluice.sink.intake.CutCounts;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A task's configuration with the clients of its servers and control tables. Threadsafe. */
public record TaskContext(
    TaskConfig config,
    Source source,
    TargetServer target,
    CheckpointStore checkpoints,
    TaskIdentities identities,
    TaskOwnership ownership,
    TaskClaim claim,
    TaskSteps steps,
    LoadMarks loadMarks,
    JournalTopics topics,
    LiveSettings live,
    CutCounts cutCounts,
    RetryRequests retries,
    RecentWindows windows) {

  public static TaskContext of(TaskConfig config) {
    TaskSettings settings = config.taskSettings();
    Endpoint to = config.target();
    TargetServer target =
        TargetServers.of(
            to,
            "sluice " + config.task(),
            settings.get(ChangeProcessingTuning.STATEMENT_CACHE_SIZE));
    String controlSchema = settings.controlSchema();
    CheckpointStore checkpoints = new CheckpointStore(target, controlSchema);
    TaskIdentities identities = new TaskIdentities(target, controlSchema);
    TaskOwnership ownership = new TaskOwnership(config, identities);
    Source source = Sources.of(config, ownership::mark);
    return new TaskContext(
        config,
        source,
        target,
        checkpoints,
        identities,
        ownership,
        new TaskClaim(checkpoints, config.task().text()),
        new TaskSteps(target, controlSchema),
        new LoadMarks(target, controlSchema, config.task().text()),
        JournalTopics.ofTask(config.task().text()),
        new LiveSettings(
            config,
            running -> sinkSettings(config, running),
            changed -> TargetLimits.ofSettings(target.dialect(), changed)),
        new CutCounts(),
        new RetryRequests(),
        new RecentWindows(Instant.now()));
  }

  public String task() {
    return config.task().text();
  }

  public String controlSchema() {
    return config.taskSettings().controlSchema();
  }

  public RetryPolicy retryPolicy() {
    return RetryPolicy.of(config.taskSettings());
  }

  /** The replicated tables as they are on the source now. */
  public SourceCatalog followed(List<TaskStep> steps) {
    return source.catalog(followedTables(steps).among(config.tableMappings()::selects));
  }

  /** The names of those tables, read now. */
  public List<TableId> replicated() {
    return followed(steps().all(task())).tables().stream().map(CatalogTable::table).toList();
  }

  /** The views that are loaded with the tables. Their changes are not replicated. */
  public List<TableId> viewsToLoad() {
    return config.migrationType().loads()
        ? source.views(config.tableMappings()).stream().map(CatalogTable::table).toList()
        : List.of();
  }

  /**
   * The tables registered with the event triggers, or else those recorded on the target; and the
   * suspended tables, among which are those that a reload adds.
   */
  public FollowedTables followedTables(List<TaskStep> steps) {
    FollowedTables lasting = lastingTables(steps);
    return lasting.isKnown()
        ? lasting.and(
            new SuspendedTables(controlSchema(), task())
                .read(target).stream().map(SuspendedTable::table).toList())
        : lasting;
  }

  /**
   * The followed tables without those that are followed only because they are suspended. A new
   * table with the name of a renamed or dropped one may be suspended, and is not included.
   */
  public FollowedTables lastingTables(List<TaskStep> steps) {
    FollowedTables begunWith = FollowedTables.of(steps);
    return begunWith.isKnown()
        ? source.ddlReporting().followed().map(FollowedTables::now).orElse(begunWith)
        : begunWith;
  }

  /** Where a cutover moves the applications, as refused writers read it. */
  public String movedTo() {
    Endpoint to = config.target();
    return "%s:%d, database %s".formatted(to.host(), to.port(), to.database());
  }

  /** Identifies the cutovers on the source that are this task's. */
  public WriterStop.Whose ownCutovers() {
    return new WriterStop.Whose(movedTo(), config.tableMappings()::selects);
  }

  /** The route of all loads of the task. */
  public LoadRoute loadRoute() {
    return new LoadRoute(source.reader(), target, config.tableMappings());
  }

  /** The sink's settings in effect now. */
  public SinkSettings sinkSettings() {
    return live.sink();
  }

  private static SinkSettings sinkSettings(TaskConfig config, RunningSettings running) {
    return SinkSettings.of(
        config.task().text(),
        running.inEffect(),
        config.dataDir().resolve("swap"),
        DataSize.ofBytes(Runtime.getRuntime().maxMemory()),
        running.batchApply());
  }

  /**
   * Protects rows on the target that are not the task's own.
   *
   * @param own target tables whose rows are the task's own
   */
  public RowGuard rowGuard(Predicate<TableId> own) {
    return new RowGuard(
        own,
        config.overwriteTargetRows(),
        PostgresTargetCatalog.followed(
            config.target(), ownership.mark(), ownership.read().flatMap(TaskIdentity::retention)),
        Optional.of(ownership.mark()));
  }

  /** Why the tables of source and target cannot be compared; empty if they can. */
  public Optional<Problem> notComparable() {
    return source
        .notComparable()
        .or(() -> TargetLimits.notComparable(target.dialect()))
        .or(() -> TargetChecks.ofComparison(target));
  }

  /** Why differing rows of the target cannot be corrected. */
  public Optional<Problem> notCorrectable() {
    return notComparable().or(() -> TargetLimits.notCorrectable(target.dialect()));
  }

  /** The records of cutovers; they stay on the target after the task is dropped. */
  public CutOverTables cutOverTables() {
    return new CutOverTables(target);
  }

  public ReplicaIdentityNotes identityNotes() {
    return new ReplicaIdentityNotes(target, controlSchema());
  }

  public CompletionStepStore completionJournal() {
    return new CompletionStepStore(target, controlSchema(), task());
  }

  public CompletionSettings completionSettings() {
    TaskSettings settings = config.taskSettings();
    return new CompletionSettings(
        completionJournal(),
        settings.get(SluiceSettings.POST_LOAD_THREADS),
        settings.get(SluiceSettings.POST_LOAD_MEMORY),
        settings.get(ErrorBehavior.TABLE_ERROR_POLICY) == ErrorAction.STOP_TASK,
        config.runsSourceCode());
  }

  /** The limits of loads in effect now. */
  public LoadLimits loadLimits() {
    return LoadLimits.of(live.snapshot().running().inEffect());
  }

  /** The disk limit of the embedded journal; 0 if the journal is in the user's own cluster. */
  public DataSize journalLimit() {
    return config.kafka().isEmpty()
        ? config.taskSettings().get(SluiceSettings.JOURNAL_LIMIT)
        : DataSize.ofBytes(0);
  }

  public ApplySettings applySettings() {
    return new ApplySettings(config.taskSettings()).marked(ownership.mark());
  }
}
