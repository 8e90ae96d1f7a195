package dev.sluice.engine.cutover;

import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;
import java.util.Optional;

/**
 * What the target remembers of a cutover after which it could be used. Immutable.
 *
 * @param cutover distinguishes it from other cutovers of the task
 * @param seconds to the verdict
 */
record UsableNote(String cutover, double seconds, List<String> report) {
  private static final int HEAD = 2;

  UsableNote {
    report = List.copyOf(report);
  }

  /** The note of this cutover; empty if the target was not reported as usable yet. */
  static Optional<UsableNote> of(TaskContext context, String cutover) {
    return context
        .steps()
        .read(context.task(), TaskStepNames.CUTOVER_USABLE)
        .map(TaskStep::detail)
        .map(UsableNote::parse)
        .filter(note -> note.cutover().equals(cutover));
  }

  private static UsableNote parse(String detail) {
    List<String> lines = List.of(detail.split("\n"));
    return new UsableNote(
        lines.get(0), Double.parseDouble(lines.get(1)), lines.subList(HEAD, lines.size()));
  }

  String detail() {
    return cutover + "\n" + seconds + "\n" + String.join("\n", report);
  }
}
