package dev.sluice.engine.check;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.CutoverRecord;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.KafkaProperties;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.RecordedFilters;
import dev.sluice.engine.context.TableDifference;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.sink.control.schema.ControlVersion;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.target.TargetChecks;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks source, target and Kafka before a task runs, and collects all problems. Changes nothing.
 * Used by one thread.
 */
public final class TaskChecks {
  private static final Logger LOG = LoggerFactory.getLogger(TaskChecks.class);

  private final TaskContext context;
  private final Optional<Problem> newer;
  private final List<TaskStep> steps;
  private final boolean decided;
  private final FollowedTables followed;
  private final TableDifference difference;
  private final StartPlan plan;

  /** Whether a resync is requested. */
  private final boolean resync;

  private final CheckReport found = new CheckReport();

  private TaskChecks(TaskContext context) {
    this.context = context;
    this.newer =
        read(
            () -> ControlVersion.problem(context.target(), context.controlSchema()),
            Optional.empty());
    // Before anything on the source.
    read(() -> context.ownership().read(), Optional.empty());
    this.steps = read(() -> context.steps().all(context.task()), List.of());
    this.decided = StartPlan.isDecided(steps);
    // A source that has decided may be lost.
    this.followed =
        decided
            ? FollowedTables.of(steps)
            : read(() -> context.followedTables(steps), FollowedTables.of(steps));
    this.difference =
        decided ? TableDifference.MAY_WAIT_IN_THE_LOG : TableDifference.of(context, steps);
    this.plan =
        StartPlan.of(
            context.config().migrationType(),
            read(() -> context.checkpoints().read(context.task()), Optional.empty()),
            steps);
    this.resync = TaskResync.of(steps).state() == TaskResync.State.REQUESTED;
  }

  public static TaskChecks of(TaskConfig config) {
    return new TaskChecks(TaskContext.of(config));
  }

  public static TaskChecks of(TaskContext context) {
    return new TaskChecks(context);
  }

  /**
   * Reads what the checks rest on.
   *
   * @param otherwise if a server is unreachable, which is reported elsewhere
   */
  private <T> T read(Supplier<T> reading, T otherwise) {
    try {
      return reading.get();
    } catch (SluiceException e) {
      LOG.debug("what the checks rest on cannot be read", e);
      found.unread(e);
      return otherwise;
    }
  }

  /** Runs all checks. */
  public Findings findings() {
    TaskConfig config = context.config();
    if (newer.isPresent()) {
      // What else would be found rests on what cannot be read.
      found.problems(List.of(newer.get()));
      return found.build("%s, of a newer Sluice".formatted(config.target()));
    }
    found.notes(config.taskSettings().notes());
    config.taskSettings().divergence().ifPresent(found::note);
    found.notes(config.tableMappings().notes());
    if (decided) {
      return ofTargetAlone();
    }
    if (config.taskSettings().get(ValidationSettings.ENABLE_VALIDATION)) {
      context
          .notComparable()
          .or(() -> TargetLimits.ofSettings(context.target().dialect(), config.taskSettings()))
          .map(List::of)
          .ifPresent(found::problems);
    }
    found.problems(RowsInLogChecks.problems(context));
    TaskSourceChecks.Carried carried =
        new TaskSourceChecks(context, followed, difference, plan == StartPlan.LOAD, resync, found)
            .run();
    List<CatalogTable> views = carried.views().toLoad();
    new TaskTargetChecks(context, steps, difference, plan, found)
        .run(
            Stream.concat(carried.tables().stream(), views.stream()).toList(),
            Stream.concat(carried.relations().stream(), views.stream()).toList());
    checkFilters();
    checkOwners();
    new LogRangeChecks(context, plan, resync, found).run();
    new JournalChecks(context, plan, found).run();
    return found.build(
        "%s%s of %s to %s, %s, %s"
            .formatted(
                Counted.of(carried.tables().size(), "table"),
                views.isEmpty() ? "" : " and " + Counted.of(views.size(), "view"),
                config.source().endpoint(),
                config.target(),
                config.migrationType(),
                journal()));
  }

  private String journal() {
    Optional<KafkaProperties> kafka = context.config().kafka();
    return kafka.isEmpty() && !context.config().migrationType().captures()
        ? "no journal"
        : "journal in " + kafka.map(KafkaProperties::bootstrapServers).orElse("the daemon");
  }

  /** A task that its source has cut over, or was to, is opened without source and Kafka. */
  private Findings ofTargetAlone() {
    found.problems(
        TargetChecks.check(
                context.target(), List.of(context.controlSchema(), CutoverRecord.SCHEMA), List.of())
            .problems());
    new JournalChecks(context, plan == StartPlan.CUT_OVER ? plan : StartPlan.FINISH_CUTOVER, found)
        .runWithoutJournal();
    return found.build(
        "%s, of a task that was cut over, or is about to be".formatted(context.config().target()));
  }

  private void checkOwners() {
    try {
      found.problems(new OwnershipChecks(context).problems());
      found.problems(UnknownCutovers.problems(context));
    } catch (SluiceException e) {
      found.failureUnlessNamed("the owners of slot and publication, and earlier cutovers", e);
    }
  }

  /**
   * The target has the rows that the filters have selected up to now. A load that has not ended
   * brings a table again whose filter is another one now.
   */
  private void checkFilters() {
    if (context.config().migrationType().captures()
        && plan != StartPlan.LOAD
        && !resync
        && !context.source().capturedTables().keepsFilters()) {
      found.problems(
          RecordedFilters.of(steps)
              .changes(context.config().tableMappings(), FollowedTables.of(steps).begunWith()));
    }
  }

  /**
   * The result of the checks. Immutable.
   *
   * @param problems why the task cannot run; empty if it can
   * @param notes remarks that do not stop the task
   * @param summary the task in one line
   * @param mayPass whether a check met an error of a server that answers, such as a conflict, and
   *     may have another result at once
   */
  public record Findings(
      List<Problem> problems, List<String> notes, String summary, boolean mayPass) {
    public Findings {
      problems = List.copyOf(problems);
      notes = List.copyOf(notes);
    }
  }
}
