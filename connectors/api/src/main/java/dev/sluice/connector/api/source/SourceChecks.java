package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * The pre-flight checks of a source: they find what would prevent the task from running, and change
 * nothing. Checks of one object may rest on what was read for the first of them. Used by one
 * thread.
 */
public interface SourceChecks {

  /**
   * All problems at once.
   *
   * @param followed the selected tables that the task replicates; only these are checked
   * @param capture whether changes are replicated; else the tables are only loaded
   */
  List<Problem> problems(TableMappings mappings, Predicate<TableId> followed, boolean capture);

  /**
   * The problems of a task that has begun and replicates DDL. Problems of single tables are
   * tolerated, see {@link #tolerated}.
   */
  List<Problem> problemsOfBegun(TableMappings mappings, Predicate<TableId> followed);

  /**
   * What {@link #problemsOfBegun} skips: problems of tables that were altered since the task began.
   */
  List<Problem> tolerated(TableMappings mappings, Predicate<TableId> followed);

  /**
   * The row filters that are not those with which the log that is kept was written. Empty if no log
   * is kept. Called only if {@link #problems} found none, for a task that goes on reading that log.
   */
  List<Problem> changedFilters(TableMappings mappings, Predicate<TableId> followed);

  /** The problems of the selected views, which are only loaded. */
  List<Problem> problemsOfViews(TableMappings mappings);

  /**
   * The problems of a load that is still to come: of its parallel-load rules, and of rows that it
   * cannot take.
   *
   * @param tables the task's tables; a rule for another table is a problem, since it has no effect
   */
  List<Problem> problemsOfLoadRules(TableMappings mappings, Collection<TableId> tables);

  /**
   * The problems that prevent a running task from replicating tables.
   *
   * @param tables tests the name of the root
   */
  List<Problem> problemsOf(TableMappings mappings, Predicate<TableId> tables);

  /** Notes for the user; they do not prevent a start. */
  List<String> notes(TableMappings mappings);
}
