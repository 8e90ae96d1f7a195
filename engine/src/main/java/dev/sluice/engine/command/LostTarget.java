package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.fallback.LostSide;
import java.io.PrintStream;

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
   * @param skipped whether what the journal still has is given up
   */
  int open(boolean agreed, boolean skipped, PrintStream out) throws InterruptedException {
    try (TaskLock lock = TaskLock.take(back.task().text(), back.dataDir());
        LostSide side = LostSide.read(back, skipped)) {
      side.known().forEach(out::println);
      if (!agreed) {
        throw new SluiceException.Fatal(
            new Problem(
                "--target-lost",
                "lets applications write to the old source, which may lack the last writes to the"
                    + " new side, as said above",
                "--yes, from somebody who knows that the new side is gone and that no application"
                    + " can reach it any more",
                "Nothing is changed. Add --yes"));
      }
      side.applyJournal().forEach(out::println);
      side.open().forEach(out::println);
      out.println("process " + lock.pid() + " opened the old source: it takes writes again");
      return ExitCode.DONE;
    }
  }
}
