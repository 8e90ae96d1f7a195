package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "fallback",
    description = {
      "Brings the applications back to the old source, after a cutover with a way back (section"
          + " fallback of the task file). It is the cutover of the way back: the same locks, on the"
          + " new side, and the same proof. After the decision on the new side, the old source"
          + " accepts writes again.",
      "The daemon of the way back (sluice run TASK.yaml --fallback) must run.",
      "Returns what cutover returns.",
      "With --target-lost the new side is gone. Nothing can be proven: the command says what the"
          + " old source has, and what its journal still has. With --yes it applies the journal to"
          + " its end, and then opens the old source for writes."
    },
    mixinStandardHelpOptions = true)
final class FallbackCommand implements Callable<Integer> {
  private static final Duration REPORTED = Duration.ofMinutes(5);

  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "How long to wait for the old source to catch up; it fails after that (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds;

  @Mixin private WriterOptions writers;

  @Option(
      names = "--dry-run",
      description = "Only report whether a fallback could begin now: go or no-go, and why.")
  private boolean dryRun;

  @Mixin private ReportFormat format;

  @Option(
      names = "--target-lost",
      description =
          "The new side is gone for good: say what the old source has, and open it. Needs --yes,"
              + " and that no daemon of the way back runs.")
  private boolean lost;

  @Option(
      names = "--yes",
      description =
          "Confirms --target-lost: the new side never comes back, and what the old source lacks is"
              + " given up.")
  private boolean agreed;

  @Option(
      names = "--skip-journal",
      description =
          "With --target-lost: the journal is lost, too. The changes that were only in it are given"
              + " up.")
  private boolean skipped;

  @Option(
      names = "--journal-moved",
      description =
          "With --target-lost: the data-dir of the way back was moved here from where it ran last,"
              + " and is not an older copy.")
  private boolean moved;

  @Option(
      names = "--accept-missing-rows",
      description =
          "With --target-lost: open the old source although tables were suspended or copied again,"
              + " or a resync had not ended. The command names what may be missing.")
  private boolean incomplete;

  @Override
  public Integer call() throws InterruptedException {
    writers.require();
    format.require(dryRun);
    if (skipped && !lost) {
      throw new SluiceException.Fatal(
          new Problem(
              "--skip-journal",
              "only a lost new side leaves a journal that nobody applies",
              "--target-lost",
              "Leave it out"));
    }
    if ((moved || incomplete) && !lost) {
      throw new SluiceException.Fatal(
          new Problem(
              moved ? "--journal-moved" : "--accept-missing-rows",
              "only says how the old source is opened without the new side",
              "--target-lost",
              "Leave it out"));
    }
    if (lost) {
      return new LostTarget(TaskFile.readFallback(file))
          .open(new LostTarget.Confirmed(agreed, skipped, moved, incomplete), System.out);
    }
    return dryRun ? report() : fallBack();
  }

  private int report() {
    return format.print(
        new DaemonClient(TaskFile.readFallbackHome(file)).cutoverReport(query(), REPORTED));
  }

  private String query() {
    return "timeout=" + seconds + writers.query();
  }

  private int fallBack() {
    Duration answered = Duration.ofMillis(Math.round(seconds * 1000)).multipliedBy(5);
    Optional<DaemonClient.Answer> answer =
        new DaemonClient(TaskFile.readFallbackHome(file)).postLong("/cutover", query(), answered);
    if (answer.isEmpty()) {
      System.err.println(
          "sluice: undecided: the daemon did not answer, and the fallback may continue. Point no"
              + " application elsewhere until sluice status --fallback shows that it is done or"
              + " failed; run sluice fallback again to wait for it");
      return ExitCode.UNDECIDED;
    }
    answer.get().print(System.out);
    return answer.get().exitCode();
  }
}
