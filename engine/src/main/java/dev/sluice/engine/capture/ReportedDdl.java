package dev.sluice.engine.capture;

import dev.sluice.connector.api.source.DdlReporting;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.context.DdlCapture;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps by which a start has DDL reported in the source's log. Owned by the daemon's main
 * thread.
 */
public final class ReportedDdl {
  private static final Logger LOG = LoggerFactory.getLogger(ReportedDdl.class);

  private final TaskContext context;
  private final TaskRuntime runtime;

  ReportedDdl(TaskContext context, TaskRuntime runtime) {
    this.context = context;
    this.runtime = runtime;
  }

  /** Installs what reports DDL in the log; warns if this user may not. */
  public void install() {
    if (!context.config().migrationType().captures()) {
      return;
    }
    DdlReporting ddl = context.source().ddlReporting();
    Optional<String> without = ddl.install().map(ddl::without);
    runtime.definitions(without.orElse(DdlCapture.by(ddl)));
    without.ifPresent(text -> LOG.warn("{}", text));
  }

  /** Called before the catalog is read: new tables are not followed until {@link #follow}. */
  public void hold() {
    if (isReported()) {
      context.source().ddlReporting().takeNoNew();
    }
  }

  /** Called before the tables are published: from now on the triggers keep them publishable. */
  public void begin(SourceCatalog catalog) {
    if (isReported()) {
      context
          .source()
          .ddlReporting()
          .begin(
              context.config().tableMappings().selectionPatterns(), CaptureStart.tables(catalog));
    }
  }

  /**
   * Called once the slot exists: from now on new tables that are selected are followed. Earlier,
   * the slot could miss some of their changes.
   */
  public void follow(SourceCatalog catalog) {
    if (isReported()) {
      context
          .source()
          .ddlReporting()
          .register(
              context.config().tableMappings().selectionPatterns(), CaptureStart.tables(catalog));
    }
  }

  /** Whether DDL is reported in the log. */
  boolean isReported() {
    return DdlCapture.by(context.source().ddlReporting()).equals(runtime.definitions());
  }
}
