package dev.sluice.engine.command;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "cutover",
    description = {
      "Makes the target the database to use. Stop the applications first: the source must be"
          + " quiet.",
      "It fails, and the task continues to replicate, if the source is not quiet or the target"
          + " lacks something: suspended tables, rejected changes, selected tables that are not"
          + " followed, sequences that cannot be set. The command lists all of it.",
      "Run again after a failure or a kill, it continues where it was.",
      "Returns 0 when the target can be used (constraints may still be validated), 1 when it"
          + " failed, 4 when it still runs and has no result yet, 5 when it is done and the source"
          + " was written to after that."
    },
    mixinStandardHelpOptions = true)
final class CutoverCommand implements Callable<Integer> {
  /** The largest possible CutoverQuietTime; this command does not read the value that is set. */
  private static final Duration LONGEST_QUIET_TIME = Duration.ofHours(1);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "How long to wait for open transactions to end, and again for the target to catch up;"
              + " the cutover fails after that (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    Duration timeout = Duration.ofMillis(Math.round(seconds * 1000));
    // The daemon answers by then, also without a result.
    Duration answered = timeout.multipliedBy(4).plus(LONGEST_QUIET_TIME);
    Optional<DaemonClient.Answer> answer =
        new DaemonClient(file.readHome()).postLong("/cutover", "timeout=" + seconds, answered);
    if (answer.isEmpty()) {
      System.err.println(
          "sluice: undecided: the daemon did not answer, and the cutover may continue. Keep the"
              + " applications stopped until sluice status shows that it is done or failed; run"
              + " sluice cutover again to wait for it");
      return ExitCode.UNDECIDED;
    }
    answer.get().print(System.out);
    return answer.get().exitCode();
  }
}
