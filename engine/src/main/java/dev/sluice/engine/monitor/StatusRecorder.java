package dev.sluice.engine.monitor;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.control.report.StatusTable;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the task's state at intervals: into its data directory, and into sluice_status if the
 * settings say so. Owned by the monitor.
 */
public final class StatusRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(StatusRecorder.class);

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private static final Set<String> LOADING =
      Set.of(Phase.FULL_LOAD.text(), Phase.COMPLETING.text());

  private final Path dataDirectory;
  private final boolean enabled;
  private final StatusTable table;
  private final CurrentReplication current;
  private final TaskRuntime runtime;
  private final Supplier<TaskStatus> status;
  private Instant due = Instant.EPOCH;

  public StatusRecorder(
      TaskContext context, CurrentReplication current, Supplier<TaskStatus> status) {
    this.dataDirectory = context.config().dataDir();
    this.enabled = context.config().taskSettings().get(ControlTablesSettings.STATUS_TABLE_ENABLED);
    this.table = new StatusTable(context.target(), context.controlSchema(), context.task());
    this.current = current;
    this.runtime = current.runtime();
    this.status = status;
  }

  /** Writes the state if it is due. */
  void writeIfDue(Instant now) {
    if (now.isBefore(due)) {
      return;
    }
    due = now.plus(INTERVAL);
    TaskStatus report = status.get();
    LastState.write(dataDirectory, report, false, now);
    if (enabled) {
      write(report, LOADING.contains(report.phase()) ? "FULL LOAD" : "CHANGE PROCESSING");
    }
  }

  /** Writes the last row. */
  void end() {
    if (enabled) {
      write(status.get(), "NOT RUNNING");
    }
  }

  private void write(TaskStatus report, String words) {
    if (runtime.epoch() == 0) {
      return;
    }
    Optional<CaptureProgress> captured = runtime.captured();
    Optional<ApplyProgress> apply = current.get().map(running -> running.sink().apply());
    try {
      table.write(
          runtime.epoch(),
          new StatusTable.Row(
              words,
              report.backlog().changes(),
              report.swap().bytes(),
              report.memory().bytes(),
              captured.map(CaptureProgress::acknowledged),
              captured.flatMap(CaptureProgress::lastCommit),
              apply.map(progress -> progress.durable().position()),
              apply.map(ApplyProgress::durable).flatMap(AppliedPoint::lastCommit),
              apply.map(ApplyProgress::applied).flatMap(AppliedPoint::lastCommit),
              report.phase(),
              report.problem(),
              report.suspended().size()));
    } catch (SluiceException e) {
      LOG.debug("sluice_status is not written: {}", e.getMessage());
    }
  }
}
