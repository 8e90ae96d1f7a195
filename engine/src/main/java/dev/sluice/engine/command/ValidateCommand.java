package dev.sluice.engine.command;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.validate.TaskValidation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "validate",
    description = {
      "Compares every table on both sides row by row, and prints the source's position before"
          + " that.",
      "If the task runs, tables that differ are compared again, each time after all that was"
          + " committed is on the target, so rows in flight do not count as differences.",
      "Returns 0 if all tables are equal, 1 if rows differ, 5 if the tables are equal but some"
          + " selected tables or changes are not replicated, 6 if rows kept changing, so that there"
          + " is no result."
    },
    mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "How long to wait before each comparison for the running task to catch up (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    TaskConfig config = file.read();
    DaemonClient daemon = new DaemonClient(config.home());
    TaskValidation validation = TaskValidation.of(config);
    String phase = daemon.isRunning() ? daemon.status().status().phase() : "";
    if (phase.isEmpty() || phase.equals("cut-over")) {
      System.out.println(
          phase.isEmpty()
              ? "the task does not run: changes that it has not applied show as differences"
              : "the task is cut over: rows written to the target since then show as differences");
      return end(validation.compare(), true);
    }
    DaemonFence fence = new DaemonFence(daemon, seconds);
    TaskValidation.Result result = validation.compare(fence);
    return end(result, fence.coversAll());
  }

  private static int end(TaskValidation.Result result, boolean coversAll) {
    result.lines().forEach(System.out::println);
    return switch (result.verdict()) {
      case EQUAL -> coversAll ? ExitCode.DONE : ExitCode.NOT_COVERED;
      case NOT_EQUAL -> ExitCode.FAILED;
      case NOT_COMPARABLE -> ExitCode.NOT_COMPARABLE;
    };
  }

  /** Asks the daemon for a fence, and prints once what the fence does not cover. */
  private static final class DaemonFence implements TaskValidation.Fence {
    private final DaemonClient daemon;
    private final double seconds;
    private boolean coversAll = true;

    DaemonFence(DaemonClient daemon, double seconds) {
      this.daemon = daemon;
      this.seconds = seconds;
    }

    boolean coversAll() {
      return coversAll;
    }

    @Override
    public Optional<String> pass() throws InterruptedException {
      DaemonClient.Answer answer =
          daemon.post(
              "/fence", "timeout=" + seconds, Duration.ofMillis(Math.round(seconds * 1000)));
      if (answer.exitCode() == ExitCode.NOT_COVERED && coversAll) {
        answer.print(System.out);
        coversAll = false;
      }
      return answer.success() || answer.exitCode() == ExitCode.NOT_COVERED
          ? Optional.empty()
          : Optional.of(answer.outcome().message());
    }
  }
}
