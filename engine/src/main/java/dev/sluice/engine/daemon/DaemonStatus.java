package dev.sluice.engine.daemon;

import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RecentWindows;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.monitor.FiguresReport;
import dev.sluice.engine.monitor.MonitorSnapshot;
import dev.sluice.engine.monitor.StatusReport;
import dev.sluice.engine.monitor.TaskMonitor;
import dev.sluice.engine.page.PageSource;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.status.Scrape;
import dev.sluice.engine.status.StatusFigures;
import dev.sluice.engine.status.TaskStatus;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * The daemon's reports about its task: status, metrics, and the figures of the page. Threadsafe.
 */
final class DaemonStatus implements PageSource {
  private final TaskContext context;
  private final PhaseTracker phases;
  private final CurrentReplication replication;
  private final Instant started;
  private volatile Supplier<MonitorSnapshot> measured = () -> MonitorSnapshot.NOTHING;
  private volatile Supplier<List<TaskStatus.Endpoint>> endpoints = List::of;

  /**
   * @param started when the daemon was
   */
  DaemonStatus(
      TaskContext context, PhaseTracker phases, CurrentReplication replication, Instant started) {
    this.context = context;
    this.phases = phases;
    this.replication = replication;
    this.started = started;
  }

  /** From now on these are asked, also after their end. */
  void ask(TaskMonitor monitor, EndpointWatch servers) {
    measured = monitor::measured;
    endpoints = servers::seen;
  }

  /** What the monitor has seen last. */
  MonitorSnapshot measured() {
    return measured.get();
  }

  TaskStatus status() {
    return report().draw(started);
  }

  /** The status with what only the metrics show, of the same moment. */
  Scrape scrape() {
    StatusReport report = report();
    return new Scrape(report.draw(started), report.measurements());
  }

  private StatusReport report() {
    return new StatusReport(context, phases.state(), replication, measured.get(), endpoints.get());
  }

  @Override
  public StatusFigures figures() {
    return new FiguresReport(context, replication, measured.get()).draw();
  }

  @Override
  public RecentWindows windows() {
    return context.windows();
  }
}
