package dev.sluice.engine.validate.only;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.record.PassRecord;
import dev.sluice.engine.validate.record.RecordHead;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionLimits;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Compares the tables of a task that applies no changes, in their current state. It only reads, and
 * does not claim the task. Used by one thread.
 */
public final class TaskValidation {
  private final TaskContext context;
  private final Clock clock = Clock.systemUTC();

  private TaskValidation(TaskContext context) {
    this.context = context;
  }

  public static TaskValidation of(TaskConfig config) {
    return new TaskValidation(TaskContext.of(config));
  }

  /**
   * Compares the tables.
   *
   * @param only the tables by their names on the source; empty: all that the task replicates
   * @throws SluiceException if one is not replicated, or a server does not answer for longer than
   *     retries last
   */
  public OnlyResult compare(List<TableId> only) throws InterruptedException {
    return compare(replicated(only), this::session);
  }

  /**
   * The same, with the record of the comparison.
   *
   * @param file does not exist
   * @throws SluiceException also if the record cannot be written
   */
  public OnlyResult compare(List<TableId> only, Path file) throws InterruptedException {
    List<CatalogTable> tables = replicated(only);
    try (PassRecord record = PassRecord.begin(file, head(), clock.instant())) {
      OnlyResult result =
          compare(
              tables,
              plans -> {
                SessionFindings found =
                    session(plans.stream().map(ComparisonPlan::withRechecks).toList());
                record.add(found, clock.instant());
                return found;
              });
      String total = result.lines().get(result.lines().size() - 1);
      record.complete(result.tables(), total, clock.instant());
      return result;
    }
  }

  /** The limits of a session without a journal. */
  public static SessionLimits limits(TaskSettings settings) {
    SessionLimits defaults = SessionLimits.DEFAULT;
    return new SessionLimits(
        settings.get(SluiceSettings.VALIDATION_SNAPSHOT_AGE),
        settings.get(ValidationSettings.PARTITION_SIZE),
        defaults.touchedKeys(),
        Math.min(defaults.differences(), settings.get(ValidationSettings.TABLE_FAILURE_MAX_COUNT)),
        defaults.keysLeftOut(),
        defaults.checkpointTimeout(),
        settings.get(ValidationSettings.THREAD_COUNT));
  }

  private OnlyResult compare(List<CatalogTable> tables, OnlyPass.Sides sides)
      throws InterruptedException {
    return new OnlyPass(
            context.config().tableMappings(),
            context.config().taskSettings(),
            sides,
            // Stores nothing: the listed rows belong to the daemon.
            (table, found, equal) -> {},
            new Retries(context.retryPolicy(), clock),
            clock)
        .compare(tables, List.of());
  }

  private SessionFindings session(List<ComparisonPlan> plans) throws InterruptedException {
    return ComparisonSession.withoutJournal(
            context.source().comparison(),
            context.target().comparison(),
            context.config().tableMappings(),
            limits(context.config().taskSettings()))
        .runAsTheyAre(plans);
  }

  private List<CatalogTable> replicated(List<TableId> only) {
    List<CatalogTable> all = context.followed(context.steps().all(context.task())).tables();
    List<TableId> names = all.stream().map(CatalogTable::table).toList();
    List<Problem> unknown =
        only.stream()
            .filter(table -> !names.contains(table))
            .map(
                table ->
                    new Problem(
                        "table " + table,
                        "is not replicated",
                        "a replicated table, by its name on the source",
                        "Replicated are: " + names))
            .toList();
    if (!unknown.isEmpty()) {
      throw new SluiceException.Fatal(unknown);
    }
    return all.stream().filter(table -> only.isEmpty() || only.contains(table.table())).toList();
  }

  private RecordHead head() {
    return new RecordHead(
        context.config(),
        context.ownership().mark().id().toString(),
        context.source().comparison().identity(),
        context.target().comparison().identity(),
        context.source().comparison().settings(),
        context.source().log().current());
  }
}
