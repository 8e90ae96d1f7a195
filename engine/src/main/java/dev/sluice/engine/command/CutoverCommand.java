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
      "Makes the target the one to use. Switch the applications off first: the source must be quiet.",
      "It fails, and the task replicates on, where the source is not quiet, or the target lacks"
          + " something: suspended tables, changes that it did not take, selected tables that are"
          + " not followed, sequences that cannot be set. All of it is named.",
      "Given again after a failure or a kill, it goes on where it was.",
      "Returns 0 when the target can be used (constraints may still be validated), 1 when it failed,"
          + " 4 when it still runs and nobody knows yet, 5 when it is done and the source was"
          + " written to after that."
    },
    mixinStandardHelpOptions = true)
final class CutoverCommand implements Callable<Integer> {
  /** Of CutoverQuietTime; the daemon alone knows what is set. */
  private static final Duration LONGEST_QUIET_TIME = Duration.ofHours(1);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "How long to wait for each of: writers to end, the target to catch up; it fails where"
              + " that is too short (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    Duration patience = Duration.ofMillis(Math.round(seconds * 1000));
    // The daemon answers by then, whatever it has come to.
    Duration answered = patience.multipliedBy(4).plus(LONGEST_QUIET_TIME);
    Optional<DaemonClient.Answer> answer =
        new DaemonClient(file.readHome()).order("/cutover", "timeout=" + seconds, answered);
    if (answer.isEmpty()) {
      System.err.println(
          "sluice: undecided: the daemon did not answer, and the cutover may go on. Leave the"
              + " applications off until sluice status says that it is done or failed; sluice"
              + " cutover given again goes on with it");
      return ExitCode.UNDECIDED;
    }
    answer.get().print(System.out);
    return answer.get().exitCode();
  }
}
