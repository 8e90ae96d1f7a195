package dev.sluice.engine.check;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import java.util.List;

/**
 * Cutovers to a task's target that only the source knows: the target was set back to before them,
 * and applications may have written to it since. Asked before anything is written to a target whose
 * own records say that the task was not cut over. Stateless.
 */
public final class UnknownCutovers {
  private UnknownCutovers() {}

  /**
   * One problem for each; none while a cutover of the task is decided, of which the target knows.
   *
   * @throws SluiceException if the source does not answer
   */
  public static List<Problem> problems(TaskContext context) {
    List<WriterStop.Moved> moved =
        context.source().writers().stream()
            .flatMap(writers -> writers.moved(context.ownCutovers()).stream())
            .toList();
    // Read last: a cutover is noted on the target before the source is asked to decide it.
    return moved.isEmpty() || StartPlan.isDecided(context.steps().all(context.task()))
        ? List.of()
        : moved.stream().map(found -> problem(context, found)).toList();
  }

  /**
   * Stops the start before anything is changed.
   *
   * @throws SluiceException.Fatal with all problems, if there is any
   */
  public static void require(TaskContext context) {
    List<Problem> problems = problems(context);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private static Problem problem(TaskContext context, WriterStop.Moved moved) {
    return new Problem(
        "task " + context.task(),
        "the source was closed for writers by cutover %s at %s, which moved the applications to this target (%s, such as %s), and the target does not know of it: it was restored, or failed over, to before that, or the task was removed from it (sluice stop --drop)"
            .formatted(
                moved.cutover(),
                moved.at(),
                Counted.of(moved.tables().size(), "table"),
                moved.tables().get(0)),
        "a target that knows of its cutover, or a source that takes writes",
        "Nothing is applied, and no row is changed: applications may have written to the target"
            + " since. If the target can be restored to a later moment, do that. Otherwise choose"
            + " the side that goes on: the source has everything up to the cutover; the target may"
            + " lack the end of that, and alone has what was written to it since. To go on with the"
            + " source, keep the applications off the target, and run sluice stop TASK.yaml --drop"
            + " --reopen-source --yes. To go on with the target, leave the source closed, and copy by hand"
            + " what it lacks");
  }
}
