package dev.sluice.engine.cutover;

import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The question that only the source can answer: was this cutover decided? Noted on the target
 * before the source is asked to decide. Immutable.
 *
 * @param begun when the writers were stopped
 */
record Decision(UUID cutover, Instant begun) {

  /** Whether a step's detail has one; that of a quiet source has only a time. */
  static boolean isIn(String detail) {
    return detail.contains(" ");
  }

  static Decision parse(String detail) {
    String[] parts = detail.split(" ", 2);
    return new Decision(UUID.fromString(parts[0]), Instant.parse(parts[1]));
  }

  /** The one that closed the source of a task that is cut over; empty if it was only quiet. */
  static Optional<Decision> made(TaskContext context) {
    return context
        .steps()
        .read(context.task(), TaskStepNames.CUTOVER_DECISION)
        .map(step -> parse(step.detail()));
  }

  String detail() {
    return cutover + " " + begun;
  }
}
