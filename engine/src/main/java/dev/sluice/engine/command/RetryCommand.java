package dev.sluice.engine.command;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "retry",
    description =
        "Makes a running task retry at once what failed. Without this command, each further failure"
            + " makes the task wait longer. sluice status shows the problem and when the next retry"
            + " is due.",
    mixinStandardHelpOptions = true)
final class RetryCommand implements Callable<Integer> {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  @Mixin private TaskFileArgument file;

  @Override
  public Integer call() {
    DaemonClient.Answer answer = new DaemonClient(file.readHome()).post("/retry", "", ANSWER);
    answer.print(System.out);
    return answer.exitCode();
  }
}
