package dev.sluice.engine.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "retry",
    description =
        "Has a running task try again at once what failed and waits: after each failure in a row it"
            + " waits longer. sluice status shows the problem and when the next try comes by itself.",
    mixinStandardHelpOptions = true)
final class RetryCommand implements Callable<Integer> {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  @Mixin private TaskFileArgument file;

  @Override
  public Integer call() throws InterruptedException {
    DaemonClient.Answer answer = new DaemonClient(file.readHome()).post("/retry", "", ANSWER);
    answer.print(System.out);
    return answer.success() ? ExitCode.DONE : ExitCode.FAILED;
  }
}
