package dev.sluice.engine.command;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.command.display.LastStateText;
import dev.sluice.engine.command.display.LoadWatch;
import dev.sluice.engine.command.display.ReplicationWatch;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Follows a task until its daemon ends: first its full load, then how it replicates. Used by a
 * command's thread.
 */
final class StatusWatch {
  private static final Duration LOAD_INTERVAL = Duration.ofSeconds(1);

  private final TaskHome home;
  private final DaemonClient client;
  private final ProgressScreen screen;
  private final LoadWatch load;
  private boolean loads = true;
  private ReplicationWatch replication;
  private String silence = "";

  StatusWatch(TaskHome home, DaemonClient client, ProgressScreen screen) {
    this.home = home;
    this.client = client;
    this.screen = screen;
    this.load = new LoadWatch(screen);
  }

  /**
   * Shows each state until the daemon has ended, and then why it ended.
   *
   * @param first the status with which to begin
   * @return the exit code: done if the daemon stopped in order
   */
  int follow(TaskStatus first) throws InterruptedException {
    TaskStatus shown = first;
    Optional<TaskStatus> next = Optional.of(first);
    while (true) {
      if (next.isPresent()) {
        if (next.get().pid() != shown.pid()) {
          screen.print("another daemon runs, since " + next.get().started());
        }
        shown = next.get();
        show(shown);
      }
      Thread.sleep((loads ? LOAD_INTERVAL : screen.interval()).toMillis());
      next = read();
      if (next.isEmpty() && !client.isRunning()) {
        return ended(shown);
      }
    }
  }

  private void show(TaskStatus status) {
    Instant now = Instant.now();
    if (loads) {
      loads = load.show(now, status);
    }
    if (!loads) {
      if (replication == null) {
        replication = new ReplicationWatch(screen, load.phase());
      }
      replication.show(now, status);
    }
  }

  /** The present status; empty if no daemon runs, or it does not answer, which is said once. */
  private Optional<TaskStatus> read() throws InterruptedException {
    try {
      TaskStatus status = client.status().status();
      silence = "";
      return Optional.of(status);
    } catch (SluiceException e) {
      if (client.isRunning() && !silence.equals(e.getMessage())) {
        silence = e.getMessage();
        screen.print(silence);
      }
      return Optional.empty();
    }
  }

  private int ended(TaskStatus shown) {
    screen.print("the daemon has ended; its last phase seen was " + shown.phase());
    Optional<LastState> last = LastState.read(home.dataDir());
    if (last.isEmpty()) {
      screen.print("it has not recorded why");
      return ExitCode.FAILED;
    }
    screen.print(LastStateText.of(home, last.get()));
    return last.get().phase().equals(Phase.STOPPED.text()) ? ExitCode.DONE : ExitCode.FAILED;
  }
}
