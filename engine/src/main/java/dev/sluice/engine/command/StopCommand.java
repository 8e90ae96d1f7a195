package dev.sluice.engine.command;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.daemon.TaskRemoval;
import dev.sluice.engine.status.LastState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "stop",
    description = "Ends a task's daemon with a checkpoint, and waits until it has ended.",
    mixinStandardHelpOptions = true)
final class StopCommand implements Callable<Integer> {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--drop",
      description =
          "Also remove what the task created: slot, publication, event triggers, journal and"
              + " control rows; with or without a running daemon.")
  private boolean drop;

  @Option(
      names = "--source-gone",
      description =
          "With --drop and without a running daemon: the source no longer exists. Nothing is"
              + " removed there. If the source does exist, its slot then keeps its log for ever.")
  private boolean sourceGone;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "How long to wait for the daemon's end (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    TaskHome home = file.readHome();
    Optional<TaskLock> free = TaskLock.tryTake(home.dataDir());
    if (free.isPresent()) {
      try (TaskLock lock = free.get()) {
        return withoutDaemon(home, lock);
      }
    }
    new DaemonClient(home).post("/stop", "drop=" + drop, ANSWER);
    boolean stopped =
        Polling.every(POLL_INTERVAL)
            .until(
                Duration.ofMillis(Math.round(seconds * 1000)),
                () -> !TaskLock.isHeld(home.dataDir()));
    if (!stopped) {
      throw new SluiceException.Retryable(
          "the daemon of task %s still runs %.0f s after the request to stop; its log says why"
              .formatted(home.task(), seconds),
          null);
    }
    requireCleanEnd(home);
    System.out.println("task " + home.task() + " has stopped" + (drop ? " and is removed" : ""));
    return ExitCode.DONE;
  }

  /** The last steps of a daemon fail if a server does not answer: its checkpoint, its removal. */
  private void requireCleanEnd(TaskHome home) {
    Optional<LastState> last = LastState.read(home.dataDir());
    String phase = last.map(LastState::phase).orElse("");
    if (!phase.equals(Phase.STOPPED.text())) {
      throw new SluiceException.Retryable(
          "task %s has stopped, but %s: %s. %s"
              .formatted(
                  home.task(),
                  drop ? "is not removed" : "not cleanly",
                  phase.equals(Phase.FAILED.text()) ? last.get().reason() : "its daemon was killed",
                  drop
                      ? "Run sluice stop --drop again"
                      : "Nothing is lost: the next start continues from the last checkpoint"),
          null);
    }
  }

  private int withoutDaemon(TaskHome home, TaskLock lock) {
    if (!drop) {
      System.out.println("task " + home.task() + " does not run");
      return ExitCode.DONE;
    }
    TaskRemoval removal = TaskRemoval.of(file.read());
    for (String removed : sourceGone ? removal.removeWithoutSource(lock) : removal.remove(lock)) {
      System.out.println(removed);
    }
    return ExitCode.DONE;
  }
}
