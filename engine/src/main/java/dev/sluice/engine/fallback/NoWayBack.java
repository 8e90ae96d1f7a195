package dev.sluice.engine.fallback;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Optional;

/**
 * Keeps the way back of a task from running, and from beginning, while the old source is opened
 * beside the new side. It asks the old source, which has to answer anyway; the new side may be lost
 * or out of reach. Used by one thread, which closes it when the source is open.
 */
public final class NoWayBack implements AutoCloseable {
  private final Optional<DaemonPresence> presence;

  private NoWayBack(Optional<DaemonPresence> presence) {
    this.presence = presence;
  }

  /**
   * Requires that no way back runs or has begun, unless it has brought the applications back.
   *
   * @param context of the task that was cut over
   * @return keeps a daemon of the way back from starting until it is closed
   * @throws SluiceException.Fatal if one runs, or has begun
   * @throws SluiceException.Retryable if the old source does not answer
   */
  public static NoWayBack require(TaskContext context) {
    if (context.config().fallback().isEmpty() || FallbackGate.isBroughtBack(context)) {
      return new NoWayBack(Optional.empty());
    }
    TaskContext back = TaskContext.of(context.config().reversed());
    DaemonPresence presence = new DaemonPresence(back.target(), back.controlSchema(), back.task());
    try {
      // Before the question: a daemon that runs may begin after it.
      if (!presence.show(DaemonLocation.SESSION_END)) {
        throw new SluiceException.Fatal(runs(context));
      }
      Optional<TaskStep> begun = back.steps().read(back.task(), TaskStepNames.FALLBACK);
      if (begun.isPresent()) {
        throw new SluiceException.Fatal(begun(context, begun.get().detail()));
      }
      return new NoWayBack(Optional.of(presence));
    } catch (RuntimeException e) {
      presence.close();
      throw e;
    }
  }

  private static Problem runs(TaskContext context) {
    return new Problem(
        "way back of task " + context.task(),
        "its daemon runs: it may carry changes of the new side to the source",
        "no daemon of the way back while the source is opened for writers",
        "Nothing is opened. To bring the applications back, run sluice fallback TASK.yaml. To give"
            + " up the way back, stop its daemon with sluice stop TASK.yaml --drop --fallback"
            + " before");
  }

  private static Problem begun(TaskContext context, String cutover) {
    return new Problem(
        "way back of task " + context.task(),
        "it has begun at cutover "
            + cutover
            + ", and carries the changes of the new side to the source: both sides would take"
            + " writes",
        "a source that is opened by sluice fallback, or a way back that is removed",
        "Nothing is opened. To bring the applications back, run sluice fallback TASK.yaml. If the"
            + " new side is gone for good, run sluice fallback TASK.yaml --target-lost: it applies"
            + " what was read of the new side, and opens the source. To give up the way back and"
            + " what it has read, run sluice stop TASK.yaml --drop --fallback before, with"
            + " --source-gone if the new side is gone");
  }

  @Override
  public void close() {
    presence.ifPresent(DaemonPresence::close);
  }
}
