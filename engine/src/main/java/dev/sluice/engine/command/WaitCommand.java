package dev.sluice.engine.command;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.status.LastState;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "wait",
    description = {
      "Returns 0 when everything committed on the source before the call is on the target. It also"
          + " waits for start-up, the load, and tables that are reloaded or catch up. Returns 1 if"
          + " that takes longer than the timeout, or the task has failed.",
      "Returns 5, and lists them, if the target lacks changes of suspended tables, rejected"
          + " changes, or selected tables that are not followed. With --except-suspended it returns"
          + " 0 if only suspended tables are missing."
    },
    mixinStandardHelpOptions = true)
final class WaitCommand implements Callable<Integer> {
  private static final Duration RETRY = Duration.ofMillis(300);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to wait (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--except-suspended",
      description = "Return 0 also if tables are suspended; they are listed.")
  private boolean exceptSuspended;

  @Override
  public Integer call() throws InterruptedException {
    TaskHome home = file.readHome();
    DaemonClient daemon = new DaemonClient(home);
    long deadline = System.nanoTime() + Duration.ofMillis(Math.round(seconds * 1000)).toNanos();
    while (true) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      try {
        DaemonClient.Answer answer =
            daemon.post(
                "/fence",
                "timeout=" + left.toMillis() / 1000.0 + "&except-suspended=" + exceptSuspended,
                left);
        answer.print(System.out);
        return answer.exitCode();
      } catch (SluiceException.Fatal e) {
        Optional<String> failed = daemon.isRunning() ? Optional.empty() : failureOf(home);
        if (failed.isEmpty()) {
          throw e;
        }
        System.out.printf(
            "not applied: no daemon runs on %s, the last one failed: %s%n",
            home.dataDir(), failed.get());
        return ExitCode.FAILED;
      } catch (SluiceException.Retryable e) {
        // The daemon opens its port shortly after it has taken its lock.
        if (left.compareTo(RETRY) < 0) {
          throw e;
        }
        Thread.sleep(RETRY.toMillis());
      }
    }
  }

  /** Why the last daemon failed; empty if it did not record a failure. */
  private static Optional<String> failureOf(TaskHome home) {
    return LastState.read(home.dataDir())
        .filter(last -> last.phase().equals(Phase.FAILED.text()))
        .map(LastState::reason);
  }
}
