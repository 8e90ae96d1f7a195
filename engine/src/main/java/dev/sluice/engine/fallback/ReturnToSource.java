package dev.sluice.engine.fallback;

import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import java.util.Optional;

/** How the applications came back to the source of a task that was cut over. */
public enum ReturnToSource {
  /** By a fallback, which has closed the new side and proven that the source has everything. */
  BROUGHT_BACK(
      "brought-back",
      "the applications were brought back to the source: it is the database to use, and the target"
          + " refuses writers"),
  /** The source was opened since the new side was said to be lost; nothing was proven. */
  TARGET_LOST(
      "target-lost",
      "the source was opened for the applications with --target-lost, and nothing was proven: the"
          + " target is not closed, and must not be written to any more"),
  /** The way back was removed since, and with it the note that says which of the two it was. */
  NOT_SAID(
      "brought-back",
      "the source was opened for the applications: it is the database to use. The way back was"
          + " removed since, so nothing says whether the target was closed, and it must not be"
          + " written to any more");

  private final String text;
  private final String words;

  ReturnToSource(String text, String words) {
    this.text = text;
    this.words = words;
  }

  /**
   * Empty if they are at the target, for all that the source knows. Asked with the role of the way
   * back, which made the note.
   *
   * @throws dev.sluice.config.document.SluiceException if the source does not answer
   */
  public static Optional<ReturnToSource> of(TaskContext context) {
    if (!FallbackGate.isBroughtBack(context)) {
      return Optional.empty();
    }
    TaskContext back = TaskContext.of(context.config().reversed());
    return Optional.of(
        back.steps()
            .read(back.task(), TaskStepNames.FALLBACK)
            .map(step -> step.state().equals(TaskStepNames.FALLBACK_TARGET_LOST))
            .map(lost -> lost ? TARGET_LOST : BROUGHT_BACK)
            .orElse(NOT_SAID));
  }

  /** The state of the way back in the status. */
  String text() {
    return text;
  }

  /** For messages. */
  public String words() {
    return words;
  }

  /** Why the task cannot be cut over any more. */
  public Problem problem(TaskContext context) {
    return new Problem(
        "task " + context.task(),
        "it was cut over, and since then " + words,
        "a task that was not cut over",
        "Point no application at the target. For another cutover, remove both tasks and begin"
            + " again, as docs/operate/fallback.md says");
  }
}
