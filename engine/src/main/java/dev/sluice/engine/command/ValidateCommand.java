package dev.sluice.engine.command;

import dev.sluice.config.TaskConfig;
import dev.sluice.engine.task.TaskValidation;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "validate",
    description = {
      "Compares every table on both sides row by row; 0 where all are equal.",
      "Where the source is being written meanwhile, rows under way show as differences."
    },
    mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "How long to wait first for the running task to catch up (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    TaskConfig config = file.read();
    DaemonClient daemon = new DaemonClient(config);
    if (daemon.isRunning() && !daemon.status().path("phase").asText().equals("cut-over")) {
      Duration patience = Duration.ofMillis(Math.round(seconds * 1000));
      DaemonClient.Answer answer = daemon.post("/fence", "timeout=" + seconds, patience);
      if (!answer.success()) {
        System.err.println("sluice: " + answer.body().path("message").asText());
        return ExitCode.FAILED;
      }
    }
    TaskValidation.Result result = TaskValidation.of(config).compare();
    result.lines().forEach(System.out::println);
    return result.equal() ? ExitCode.DONE : ExitCode.FAILED;
  }
}
