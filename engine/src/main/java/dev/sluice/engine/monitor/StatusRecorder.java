package dev.sluice.engine.monitor;

import dev.sluice.config.document.SluiceException;
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
 * Writes from time to time where the task is: into its data directory, and where the settings ask
 * for it, into sluice_status. Owned by the monitor.
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
  private final TaskRuntime board;
  private final Supplier<TaskStatus> status;
  private Instant due = Instant.EPOCH;

  public StatusRecorder(
      TaskContext parts, CurrentReplication current, Supplier<TaskStatus> status) {
    this.dataDirectory = parts.config().dataDir();
    this.enabled = parts.config().taskSettings().controlTablesSettings().statusTable();
    this.table = new StatusTable(parts.target(), parts.controlSchema(), parts.task());
    this.current = current;
    this.board = current.board();
    this.status = status;
  }

  /** Writes where it is due. */
  void look(Instant now) {
    if (now.isBefore(due)) {
      return;
    }
    due = now.plus(INTERVAL);
    TaskStatus picture = status.get();
    LastState.write(dataDirectory, picture, now);
    if (enabled) {
      write(picture, LOADING.contains(picture.phase()) ? "FULL LOAD" : "CHANGE PROCESSING");
    }
  }

  /** Writes the last row. */
  void end() {
    if (enabled) {
      write(status.get(), "NOT RUNNING");
    }
  }

  private void write(TaskStatus picture, String words) {
    if (board.epoch() == 0) {
      return;
    }
    Optional<CaptureProgress> captured = board.captured();
    Optional<ApplyProgress> apply = current.get().map(running -> running.sink().apply());
    try {
      table.write(
          board.epoch(),
          new StatusTable.Row(
              words,
              picture.backlog().changes(),
              picture.swap().bytes(),
              picture.memory().bytes(),
              captured.map(CaptureProgress::acknowledged),
              captured.flatMap(CaptureProgress::lastCommit),
              apply.map(progress -> progress.durable().position()),
              apply.map(ApplyProgress::durable).flatMap(AppliedPoint::lastCommit),
              apply.map(ApplyProgress::applied).flatMap(AppliedPoint::lastCommit),
              picture.phase(),
              picture.problem(),
              picture.suspended().size()));
    } catch (SluiceException e) {
      LOG.debug("sluice_status is not written: {}", e.getMessage());
    }
  }
}
