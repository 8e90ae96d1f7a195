package dev.sluice.engine.command;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "rehearse",
    description = {
      "Does all of a cutover on the live system up to its decision, and releases the source again:"
          + " the writers wait for at most --budget seconds, and go on.",
      "It prints how long each part took; sluice cutover --dry-run predicts the cutover's time from"
          + " it. Can be repeated.",
      "Returns 0 if a cutover would have been decided now, 1 if not, 4 without an answer, and 5 if"
          + " a hook could not let the applications go."
    },
    mixinStandardHelpOptions = true)
final class RehearseCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Mixin private WriterOptions writers;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "How long to wait until the target is close to the source (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() {
    writers.require();
    Duration answered = Duration.ofMillis(Math.round(seconds * 2000)).plus(Duration.ofMinutes(15));
    Optional<DaemonClient.Answer> answer =
        new DaemonClient(file.readHome())
            .postLong("/rehearse", "timeout=" + seconds + writers.query(), answered);
    if (answer.isEmpty()) {
      System.err.println(
          "sluice: the daemon did not answer. The source releases its writers by itself; sluice"
              + " status shows the daemon's state");
      return ExitCode.UNDECIDED;
    }
    answer.get().print(System.out);
    return answer.get().exitCode();
  }
}
