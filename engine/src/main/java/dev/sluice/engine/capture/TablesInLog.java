package dev.sluice.engine.capture;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;

/**
 * The steps by which a start has the changes of the task's tables put into the source's log. Owned
 * by the daemon's main thread.
 */
public final class TablesInLog {
  private final TaskContext context;
  private final TableRecord record;
  private final ReportedDdl ddl;

  /**
   * @param record of the tables' filters
   * @param ddl whether it is reported in the log
   */
  TablesInLog(TaskContext context, TableRecord record, ReportedDdl ddl) {
    this.context = context;
    this.record = record;
    this.ddl = ddl;
  }

  /** Publishes the tables of a task that begins: all must fit. */
  public void publish(Checkpoint claimed, SourceCatalog catalog) {
    logOldRows(claimed, catalog);
    context
        .source()
        .capturedTables()
        .include(catalog, context.config().tableMappings()::filter, isLogKept());
  }

  /**
   * Publishes the tables of a task that has started. With event triggers, DDL since then is still
   * in the log, so only tables that fit now are published; without, all must fit.
   */
  void publishAgain(Checkpoint claimed, List<TaskStep> steps, SourceCatalog catalog) {
    record.requireSameFilters();
    if (!ddl.isReported()) {
      publish(claimed, catalog);
      return;
    }
    logOldRows(claimed, catalog);
    includeWhatFits(context.followed(steps));
  }

  /** Publishes those of the tables that fit now. */
  void publishWhatFits(Checkpoint claimed, SourceCatalog catalog) {
    logOldRows(claimed, catalog);
    includeWhatFits(catalog);
  }

  private void includeWhatFits(SourceCatalog catalog) {
    context
        .source()
        .capturedTables()
        .includeWhatFits(catalog, context.config().tableMappings()::filter, isLogKept());
  }

  private boolean isLogKept() {
    return context.source().retention().state().isPresent();
  }

  /** Has the former values of rows logged, where the task needs them. */
  private void logOldRows(Checkpoint claimed, SourceCatalog catalog) {
    TableMappings mappings = context.config().tableMappings();
    if (context.source().oldRowLogging().mayChange()) {
      context
          .source()
          .capturedTables()
          .logOldRows(
              catalog,
              table -> mappings.filter(table).isPresent() || mappings.wantsOldRows(table),
              (table, before) -> context.identityNotes().note(claimed, table, before));
    }
  }
}
