package dev.sluice.engine.command;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.validate.TaskValidation;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "validate",
    description = {
      "Compares every table on both sides, and prints a line for each.",
      "If the task runs, its daemon compares them exactly while changes are applied: each row is"
          + " proven equal after the moment of the command, and rows that change meanwhile are"
          + " compared again. Rows that differ are listed in sluice_validation_failures_v2.",
      "If it does not run, both sides are read once, and every difference counts.",
      "Returns 0 if every row of every table is proven equal, 1 if rows differ, 5 if the tables are"
          + " equal but some selected tables or changes are not replicated, 6 if there is no"
          + " result: rows kept changing, or a table cannot be compared."
    },
    mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** A pass over large tables takes hours. */
  private static final Duration ANSWER = Duration.ofDays(7);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "How long to wait at first for the running task to catch up (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    TaskConfig config = file.read();
    DaemonClient daemon = new DaemonClient(config.home());
    String phase = daemon.isRunning() ? daemon.status().status().phase() : "";
    if (phase.isEmpty() || phase.equals("cut-over")) {
      System.out.println(
          phase.isEmpty()
              ? "the task does not run: changes that it has not applied show as differences"
              : "the task is cut over: rows written to the target since then show as differences");
      return compare(TaskValidation.of(config));
    }
    return pass(daemon);
  }

  private static int compare(TaskValidation validation) {
    TaskValidation.Result result = validation.compare();
    result.lines().forEach(System.out::println);
    return result.equal() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private int pass(DaemonClient daemon) throws InterruptedException {
    DaemonClient.Answer fence =
        daemon.post("/fence", "timeout=" + seconds, Duration.ofMillis(Math.round(seconds * 1000)));
    boolean coversAll = fence.exitCode() != ExitCode.NOT_COVERED;
    if (!coversAll) {
      fence.print(System.out);
    } else if (!fence.success()) {
      System.out.println("not comparable now: " + fence.outcome().message());
      return ExitCode.NOT_COMPARABLE;
    }
    DaemonClient.Answer answer = watched(daemon);
    answer.print(System.out);
    if (answer.success()) {
      return coversAll ? ExitCode.DONE : ExitCode.NOT_COVERED;
    }
    return answer.outcome().ending() == Ending.UNDECIDED
        ? ExitCode.NOT_COMPARABLE
        : ExitCode.FAILED;
  }

  /** Waits for the daemon, and shows its progress meanwhile. */
  private static DaemonClient.Answer watched(DaemonClient daemon) throws InterruptedException {
    CompletableFuture<DaemonClient.Answer> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return daemon.post("/validate", "", ANSWER);
              } catch (InterruptedException e) {
                throw new CompletionException(e);
              }
            },
            work -> new Thread(work, "validate").start());
    ValidationWatch watch = new ValidationWatch(ProgressScreen.onStandardOutput());
    while (!answer.isDone()) {
      Thread.sleep(INTERVAL.toMillis());
      watch.show(Instant.now(), daemon);
    }
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
