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
      "Makes the target the database to use. The applications may keep running. While the source's"
          + " tables are locked, for at most --budget seconds, their writes wait. After the decision"
          + " the source refuses them; if anything fails before it, they go on.",
      "With --quiet-period nobody is stopped: switch the applications off first. It fails if the"
          + " source is not quiet.",
      "It fails, and the task continues to replicate, if the target lacks something: suspended"
          + " tables, rejected changes, selected tables that are not followed, sequences that cannot"
          + " be set. The command lists all of it.",
      "Run again after a failure or a kill, it continues where it was.",
      "Returns 0 when the target can be used (constraints may still be validated), 1 when it"
          + " failed, 4 when it still runs and has no result yet, 5 when it is done, and the source"
          + " was written to after that or a hook failed.",
      "With --dry-run it changes nothing and reports whether a cutover could begin now: what it"
          + " would refuse, what somebody must decide, and what is good to know. Returns 0 for go"
          + " and 5 for no-go."
    },
    mixinStandardHelpOptions = true)
final class CutoverCommand implements Callable<Integer> {
  /** The largest possible CutoverQuietTime; this command does not read the value that is set. */
  private static final Duration LONGEST_QUIET_TIME = Duration.ofHours(1);

  /** The report reads catalogs; a large one takes seconds. */
  private static final Duration REPORTED = Duration.ofMinutes(5);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "How long to wait for open transactions to end, and again for the target to catch up;"
              + " the cutover fails after that (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Mixin private WriterOptions writers;

  @Option(
      names = "--quiet-period",
      description =
          "Stop nobody: the source must be quiet by itself. For a user that may not lock the"
              + " tables.")
  private boolean quiet;

  @Option(
      names = "--dry-run",
      description = "Only report whether a cutover could begin now: go or no-go, and why.")
  private boolean dryRun;

  @Mixin private ReportFormat format;

  @Override
  public Integer call() {
    writers.require();
    format.require(dryRun);
    return dryRun ? report() : cutOver();
  }

  private int report() {
    return format.print(new DaemonClient(file.readHome()).cutoverReport(query(), REPORTED));
  }

  private String query() {
    return "timeout=" + seconds + (quiet ? writers.queryWithoutBudget() : writers.query());
  }

  private int cutOver() {
    Duration timeout = Duration.ofMillis(Math.round(seconds * 1000));
    // The daemon answers by then, also without a result.
    Duration answered = timeout.multipliedBy(4).plus(LONGEST_QUIET_TIME);
    Optional<DaemonClient.Answer> answer =
        new DaemonClient(file.readHome()).postLong("/cutover", query(), answered);
    if (answer.isEmpty()) {
      System.err.println(
          "sluice: undecided: the daemon did not answer, and the cutover may continue. Point no"
              + " application elsewhere until sluice status shows that it is done or failed; with"
              + " --quiet-period keep them off. Run sluice cutover again to wait for it");
      return ExitCode.UNDECIDED;
    }
    answer.get().print(System.out);
    return answer.get().exitCode();
  }
}
