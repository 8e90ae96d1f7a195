package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.daemon.NoDaemon;
import dev.sluice.engine.fallback.ForwardTask;
import dev.sluice.engine.fallback.LostSide;
import dev.sluice.sink.control.task.DaemonPresence;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/** Opens the old source when the new side is gone. Used by one command. */
final class LostTarget {
  private final TaskConfig back;

  /**
   * @param back the task of the way back
   */
  LostTarget(TaskConfig back) {
    this.back = back;
  }

  /**
   * What somebody has confirmed. Immutable.
   *
   * @param agreed the new side never comes back
   * @param skipped what the journal still has is given up
   * @param moved the journal was moved here, and is no copy
   * @param incomplete tables may lack more than the last changes
   */
  record Confirmed(boolean agreed, boolean skipped, boolean moved, boolean incomplete) {}

  /** Opens it, or says why not. */
  int open(Confirmed confirmed, PrintStream out) throws InterruptedException {
    try (TaskLock lock = TaskLock.take(back.task().text(), back.dataDir())) {
      TaskContext context = TaskContext.of(back);
      DaemonPresence alone =
          NoDaemon.require(
              context,
              "no daemon of the way back: it may still apply changes of the new side",
              "Nothing is changed. Stop that daemon with sluice stop TASK.yaml --fallback, there, and"
                  + " run this command with its data-dir. If that host is gone, its session on the"
                  + " old source ends by itself after about a minute");
      try {
        requireOwnJournal(context, confirmed);
        ForwardTask.of(back).orElseThrow().requireLost();
        return open(lock, confirmed, out);
      } finally {
        alone.close();
      }
    }
  }

  private static void requireOwnJournal(TaskContext context, Confirmed confirmed) {
    if (!confirmed.skipped() && !confirmed.moved()) {
      new DaemonLocation(context, Optional::empty)
          .copied()
          .ifPresent(
              problem -> {
                throw new SluiceException.Fatal(problem);
              });
    }
  }

  private static void requireAccepted(List<String> missing, Confirmed confirmed) {
    if (!missing.isEmpty() && !confirmed.incomplete()) {
      throw new SluiceException.Fatal(
          new Problem(
              "the old source",
              "it is incomplete: " + String.join("; ", missing),
              "tables of which only the last changes may be missing",
              "Nothing is changed. To open it with what it has, add --accept-missing-rows"));
    }
  }

  private int open(TaskLock lock, Confirmed confirmed, PrintStream out)
      throws InterruptedException {
    try (LostSide side = LostSide.read(back, confirmed.skipped())) {
      side.known().forEach(out::println);
      if (!confirmed.agreed()) {
        throw new SluiceException.Fatal(
            new Problem(
                "--target-lost",
                "lets applications write to the old source, which may lack the last writes to the"
                    + " new side, as said above",
                "--yes, from somebody who knows that the new side is gone and that no application"
                    + " can reach it any more",
                "Nothing is changed. Add --yes"));
      }
      requireAccepted(side.missing(), confirmed);
      side.applyJournal().forEach(out::println);
      side.open().forEach(out::println);
      out.println("process " + lock.pid() + " opened the old source: it takes writes again");
      return ExitCode.DONE;
    }
  }
}
