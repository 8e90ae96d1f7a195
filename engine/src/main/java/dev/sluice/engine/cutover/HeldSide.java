package dev.sluice.engine.cutover;

import dev.sluice.engine.context.LostSource;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.fallback.FallbackGate;

/**
 * The side to which applications belong that a hook still holds since a cutover has ended. A way
 * back may have brought the others back to the source meanwhile. Stateless.
 */
final class HeldSide {
  private HeldSide() {}

  /**
   * Asks the source, if the task has a way back. One that does not answer in ten seconds is taken
   * for lost: the applications cannot be there.
   *
   * @param moved whether the source has decided the cutover
   */
  static CutoverOutcome of(TaskContext context, boolean moved) {
    return moved && !isBroughtBack(context) ? CutoverOutcome.MOVED : CutoverOutcome.RELEASED;
  }

  private static boolean isBroughtBack(TaskContext context) {
    return context.config().fallback().isPresent()
        && new LostSource(context).ask(() -> FallbackGate.isBroughtBack(context)).orElse(false);
  }
}
