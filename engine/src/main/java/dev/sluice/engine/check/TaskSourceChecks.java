package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.DdlReporting;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TableDifference;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TruncationWarnings;
import dev.sluice.sink.control.schema.CheckpointStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Checks the source before a task runs. Used once, by one thread. */
final class TaskSourceChecks {
  private final TaskContext context;
  private final FollowedTables followed;
  private final TableDifference difference;
  private final boolean loads;
  private final boolean resync;
  private final CheckReport found;
  private SelectedViews views;

  /**
   * @param loads whether a load is still to come
   * @param resync whether the start is to drop the log that is kept
   * @param found receives what is found
   */
  TaskSourceChecks(
      TaskContext context,
      FollowedTables followed,
      TableDifference difference,
      boolean loads,
      boolean resync,
      CheckReport found) {
    this.context = context;
    this.followed = followed;
    this.difference = difference;
    this.loads = loads;
    this.resync = resync;
    this.found = found;
    this.views = new SelectedViews(List.of(), context.config().migrationType(), loads);
  }

  /**
   * The tables and views of the task; empty if the source cannot be read.
   *
   * @param tables the replicated tables
   * @param relations these tables and their partitions
   */
  record Carried(List<CatalogTable> tables, List<CatalogTable> relations, SelectedViews views) {}

  /** Runs the checks of the source. */
  Carried run() {
    TableMappings mappings = context.config().tableMappings();
    boolean captures = context.config().migrationType().captures();
    Predicate<TableId> isFollowed = followed.among(mappings::selects);
    SourceChecks checks = context.source().checks();
    boolean begun = difference == TableDifference.MAY_WAIT_IN_THE_LOG;
    List<Problem> atOnce =
        begun
            ? checks.problemsOfBegun(mappings, isFollowed)
            : checks.problems(mappings, isFollowed, captures);
    found.problems(atOnce);
    if (captures && !resync && atOnce.isEmpty()) {
      found.problems(checks.changedFilters(mappings, isFollowed));
    }
    if (loads) {
      found.problems(checks.problemsOfViews(mappings));
    }
    try {
      SourceCatalog all =
          context
              .source()
              .catalog(table -> mappings.selects(table) || mappings.isInControlSchema(table));
      found.problems(controlSchemaProblems(namesOf(all.among(mappings::isInControlSchema))));
      List<TableId> selected = namesOf(all.among(mappings::selects));
      SourceCatalog catalog = all.among(isFollowed);
      views = new SelectedViews(context.source().views(mappings), views.type(), loads);
      views.note().ifPresent(found::note);
      followed.notFollowed(selected).ifPresent(found::note);
      found.problems(
          mappings.collisions(
              Stream.concat(
                      (mappings.transforms() ? catalog.relations() : catalog.tables()).stream(),
                      views.toLoad().stream())
                  .map(CatalogTable::table)
                  .toList()));
      if (loads) {
        found.problems(checks.problemsOfLoadRules(mappings, namesOf(catalog)));
      }
      found.notes(TruncationWarnings.of(catalog.tables(), mappings.lobLimits()));
      found.notes(TruncationWarnings.of(views.toLoad(), mappings.lobLimits()));
      List<Problem> unknown = unknown(mappings, selected);
      if (begun) {
        // The log has the position of the change, and TableErrorPolicy decides there.
        checks.tolerated(mappings, isFollowed).forEach(problem -> found.note(problem.toString()));
        // The table may have been dropped or renamed since the start.
        unknown.forEach(problem -> found.note(problem.toString()));
      } else {
        found.problems(unknown);
      }
      found.notes(checks.notes(mappings));
      if (captures) {
        DdlReporting ddl = context.source().ddlReporting();
        ddl.hindrance().ifPresent(reason -> found.note("DDL: " + ddl.without(reason)));
        if (!ddl.mayInstall()) {
          found.note(
              "DDL: "
                  + ddl.without(
                      "only a superuser may install them, "
                          + context.config().source().endpoint().user()
                          + " is none"));
        }
      }
      return new Carried(catalog.tables(), catalog.relations(), views);
    } catch (SluiceException e) {
      if (atOnce.isEmpty()) {
        found.failure("source " + context.config().source().endpoint(), e);
      }
      return new Carried(List.of(), List.of(), views);
    }
  }

  /** Tables in the control schema are never replicated, so the user's tables must not be in it. */
  private List<Problem> controlSchemaProblems(List<TableId> inControlSchema) {
    List<TableId> theirs =
        inControlSchema.stream()
            .filter(table -> !CheckpointStore.isControlTable(table.name()))
            .toList();
    return theirs.isEmpty()
        ? List.of()
        : List.of(
            new Problem(
                "ControlTablesSettings.ControlSchema " + context.controlSchema(),
                "the rules include tables in the source's schema of this name, which is never"
                    + " selected: "
                    + theirs,
                "a schema with Sluice's control tables only",
                "Change ControlSchema, or exclude these tables by a selection rule"));
  }

  private static List<TableId> namesOf(SourceCatalog catalog) {
    return catalog.tables().stream().map(CatalogTable::table).toList();
  }

  /** A rule for a table that does not exist would silently have no effect. */
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
                    "Correct the name, whose letter case counts, or remove the rule"));
  }
}
