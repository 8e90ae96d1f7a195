package dev.sluice.engine.task;

import dev.sluice.config.ColumnNames;
import dev.sluice.config.Counted;
import dev.sluice.config.FullLoadSettings.PrepMode;
import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.config.TaskConfig;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.debezium.Journal;
import dev.sluice.connector.postgres.CatalogColumn;
import dev.sluice.connector.postgres.CatalogTable;
import dev.sluice.connector.postgres.SourceCatalog;
import dev.sluice.connector.postgres.load.LoadRules;
import dev.sluice.engine.journal.ClusterChecks;
import dev.sluice.engine.validate.TypeChecks;
import dev.sluice.sink.checkpoint.EpochFence;
import dev.sluice.sink.checkpoint.SuspendedTable;
import dev.sluice.sink.checkpoint.SuspendedTables;
import dev.sluice.sink.checkpoint.TaskStep;
import dev.sluice.sink.intake.MappedSchema;
import dev.sluice.sink.load.TargetTablePreparation;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks at source, target and Kafka before a task runs, and gathers every problem; changes nothing.
 * Used by one thread.
 */
public final class TaskChecks {
  private final TaskParts parts;
  private final List<TaskStep> steps;
  private final FollowedTables followed;
  private final TableDifference difference;
  private final boolean loads;
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private SelectedViews views;

  private TaskChecks(TaskParts parts) {
    this.parts = parts;
    this.steps = steps(parts);
    this.followed = followed(parts, steps);
    this.difference = TableDifference.of(parts, steps);
    this.loads = parts.config().migrationType().loads() && !StartPlan.isLoaded(steps);
    this.views = new SelectedViews(List.of(), parts.config().migrationType(), loads);
  }

  public static TaskChecks of(TaskConfig config) {
    return new TaskChecks(TaskParts.of(config));
  }

  static TaskChecks of(TaskParts parts) {
    return new TaskChecks(parts);
  }

  /** None where the target is away, which is named elsewhere. */
  private static List<TaskStep> steps(TaskParts parts) {
    try {
      return parts.steps().all(parts.task());
    } catch (SluiceException e) {
      return List.of();
    }
  }

  /** As the target remembers them where the source is away, which is named elsewhere. */
  private static FollowedTables followed(TaskParts parts, List<TaskStep> steps) {
    try {
      return parts.followedTables(steps);
    } catch (SluiceException e) {
      return FollowedTables.of(steps);
    }
  }

  /** Everything that was found. */
  public Findings findings() {
    TaskConfig config = parts.config();
    notes.addAll(config.taskSettings().notes());
    config.taskSettings().divergence().ifPresent(notes::add);
    notes.addAll(config.tableMappings().notes());
    Optional<SourceCatalog> catalog = source();
    target(catalog);
    config
        .kafka()
        .ifPresent(
            kafka -> {
              ClusterChecks cluster = ClusterChecks.of(kafka);
              problems.addAll(cluster.problems());
              notes.addAll(cluster.notes());
              if (cluster.problems().isEmpty()) {
                try (Journal journal = new Journal(Map.copyOf(kafka.asMap()), parts.topics())) {
                  problems.addAll(journal.problems());
                }
              }
            });
    int tables = catalog.map(found -> found.tables().size()).orElse(0);
    int loaded = views.toLoad().size();
    return new Findings(
        problems,
        notes,
        "%s%s of %s to %s, %s, journal in %s"
            .formatted(
                Counted.of(tables, "table"),
                loaded == 0 ? "" : " and " + Counted.of(loaded, "view"),
                config.source().endpoint(),
                config.target(),
                config.migrationType(),
                config.kafka().map(kafka -> kafka.bootstrapServers()).orElse("the daemon")));
  }

  private Optional<SourceCatalog> source() {
    TableMappings mappings = parts.config().tableMappings();
    boolean captures = parts.config().migrationType().captures();
    Predicate<TableId> isFollowed = followed.among(mappings::selects);
    List<Problem> found = parts.source().checks().problems(mappings, isFollowed, captures);
    problems.addAll(found);
    if (loads) {
      problems.addAll(parts.source().checks().problemsOfViews(mappings));
    }
    try {
      List<TableId> selected = namesOf(parts.source().catalog(mappings::selects));
      SourceCatalog catalog = parts.source().catalog(isFollowed);
      views = new SelectedViews(parts.source().views(mappings), views.type(), loads);
      views.note().ifPresent(notes::add);
      followed.leftOut(selected).ifPresent(notes::add);
      problems.addAll(
          mappings.collisions(
              Stream.concat(
                      (mappings.transforms() ? catalog.relations() : catalog.tables()).stream(),
                      views.toLoad().stream())
                  .map(CatalogTable::table)
                  .toList()));
      if (loads) {
        problems.addAll(
            LoadRules.problems(parts.sourceServer(), mappings.parallelLoad(), namesOf(catalog)));
      }
      notes.addAll(CutNotes.of(catalog.tables(), mappings.lobLimits()));
      notes.addAll(CutNotes.of(views.toLoad(), mappings.lobLimits()));
      List<Problem> unknown = unknown(mappings, selected);
      if (difference == TableDifference.MAY_WAIT_IN_THE_LOG) {
        // It may have been dropped or renamed since.
        unknown.forEach(problem -> notes.add(problem.toString()));
      } else {
        problems.addAll(unknown);
      }
      notes.addAll(parts.source().checks().notes(mappings));
      if (captures && !parts.source().definitionTrigger().mayInstall()) {
        notes.add(
            "DDL: "
                + DdlCapture.without(
                    "only a superuser may install them, "
                        + parts.config().source().endpoint().user()
                        + " is none"));
      }
      return Optional.of(catalog);
    } catch (SluiceException e) {
      if (found.isEmpty()) {
        problems.add(problem("source " + parts.config().source().endpoint(), e));
      }
      return Optional.empty();
    }
  }

  private static List<TableId> namesOf(SourceCatalog catalog) {
    return catalog.tables().stream().map(CatalogTable::table).toList();
  }

  /** Rules for single tables that are not there would have no effect, and nobody would know. */
  private List<Problem> unknown(TableMappings mappings, List<TableId> tables) {
    List<TableId> withViews = new ArrayList<>(tables);
    withViews.addAll(views.names());
    return Stream.concat(
            unknown("batch-apply", mappings.batchApply().byTable().keySet(), tables),
            unknown("lob-settings", mappings.lobLimits().tables().keySet(), withViews))
        .toList();
  }

  private static Stream<Problem> unknown(String rule, Set<TableId> named, List<TableId> tables) {
    return named.stream()
        .filter(table -> !tables.contains(table))
        .sorted()
        .map(
            table ->
                new Problem(
                    "table-mappings, " + rule + " for " + table,
                    "the source has no such table",
                    "a table of the source",
                    "Correct the name, which is taken as it is written, or remove the rule"));
  }

  private void target(Optional<SourceCatalog> catalog) {
    boolean creates =
        loads
            && parts.config().taskSettings().fullLoadSettings().targetTablePrepMode()
                == PrepMode.DROP_AND_CREATE;
    List<TargetChecks.Expected> expected = new ArrayList<>();
    Set<TableId> suspended = suspended();
    List<CatalogTable> carried =
        new ArrayList<>(catalog.map(SourceCatalog::tables).orElse(List.of()));
    carried.addAll(views.toLoad());
    for (CatalogTable table : carried) {
      if (suspended.contains(table.table())) {
        continue;
      }
      TableMappings mappings = parts.config().tableMappings();
      RowSchema rows =
          MappedSchema.of(new RowSchema(table.table(), table.rowColumns()), mappings.columns())
              .schema();
      expected.add(
          new TargetChecks.Expected(
              mappings.targetOf(table.table()),
              table.table(),
              rows.columns(),
              computed(table, mappings.columns()),
              creates));
    }
    TargetChecks.Findings found =
        TargetChecks.check(parts.target(), parts.controlSchema(), expected);
    problems.addAll(found.problems());
    differs(found.missingTables(), difference == TableDifference.MAY_WAIT_IN_THE_LOG);
    differs(found.missingColumns(), difference != TableDifference.IS_A_PROBLEM);
    types(expected, creates);
    if (found.all().isEmpty()) {
      requireEmptyTables(expected);
    }
  }

  /** By their names on the target. */
  private static Set<String> computed(CatalogTable table, ColumnNames names) {
    return table.columns().stream()
        .filter(CatalogColumn::generated)
        .flatMap(column -> names.of(table.table(), column.name()).stream())
        .collect(Collectors.toSet());
  }

  private void types(List<TargetChecks.Expected> expected, boolean created) {
    Map<TableId, TableId> targets = new LinkedHashMap<>();
    expected.forEach(table -> targets.put(table.source(), table.target()));
    try {
      TypeChecks.Findings types =
          TypeChecks.check(
              parts.sourceServer(),
              parts.target(),
              targets,
              parts.config().tableMappings(),
              created);
      differs(types.problems(), difference == TableDifference.MAY_WAIT_IN_THE_LOG);
      notes.addAll(types.notes());
    } catch (SluiceException e) {
      // A side that cannot be reached has been named already.
      if (problems.isEmpty()) {
        problems.add(problem("the columns' types", e));
      }
    }
  }

  private void differs(List<Problem> found, boolean mayBeMended) {
    if (mayBeMended) {
      found.forEach(
          problem -> notes.add("unless changes that are still to be applied mend it: " + problem));
    } else {
      problems.addAll(found);
    }
  }

  /** What is passed over need not be there as it was; a target that is away is named elsewhere. */
  private Set<TableId> suspended() {
    Set<TableId> tables = new HashSet<>();
    try {
      for (SuspendedTable table :
          new SuspendedTables(parts.controlSchema(), parts.task()).read(parts.target())) {
        tables.add(table.table());
        notes.add(
            "table %s is %s, not applied with the others since %s, from %s on: %s"
                .formatted(
                    table.table(),
                    table.state().text(),
                    table.since(),
                    table.firstMissing(),
                    table.reason()));
      }
    } catch (SluiceException e) {
      return tables;
    }
    return tables;
  }

  /** Before the first load into tables that are not to be touched. */
  private void requireEmptyTables(List<TargetChecks.Expected> expected) {
    PrepMode mode = parts.config().taskSettings().fullLoadSettings().targetTablePrepMode();
    if (!parts.config().migrationType().loads() || mode != PrepMode.DO_NOTHING) {
      return;
    }
    try {
      if (steps.stream().anyMatch(step -> step.step().equals(Steps.LOAD))) {
        return;
      }
      try (TargetConnection connection = parts.target().connect()) {
        new TargetTablePreparation(connection, EpochFence.NONE)
            .requireEmpty(expected.stream().map(TargetChecks.Expected::target).toList());
      }
    } catch (SluiceException.Fatal e) {
      problems.addAll(
          e.problems().isEmpty()
              ? List.of(problem("target " + parts.config().target(), e))
              : e.problems());
    } catch (SluiceException e) {
      problems.add(problem("target " + parts.config().target(), e));
    }
  }

  private static Problem problem(String thing, SluiceException failure) {
    return new Problem(thing, failure.getMessage(), "", "");
  }

  /**
   * What was found. Immutable.
   *
   * @param problems what keeps the task from running
   * @param notes what is worth knowing
   * @param summary what would run, in one line
   */
  public record Findings(List<Problem> problems, List<String> notes, String summary) {
    public Findings {
      problems = List.copyOf(problems);
      notes = List.copyOf(notes);
    }
  }
}
