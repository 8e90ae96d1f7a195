package dev.sluice.engine.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "cutover",
    description = {
      "Makes the target the one to use. Switch the applications off first: the source must be quiet.",
      "Given again after a failure or a kill, it goes on where it was."
    },
    mixinStandardHelpOptions = true)
final class CutoverCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "How long to wait for each of: writers to end, the target to catch up (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    Duration patience = Duration.ofMillis(Math.round(seconds * 1000));
    DaemonClient.Answer answer =
        new DaemonClient(file.read())
            .post("/cutover", "timeout=" + seconds, patience.multipliedBy(4));
    answer.print(System.out);
    return answer.success() ? ExitCode.DONE : ExitCode.FAILED;
  }
}
