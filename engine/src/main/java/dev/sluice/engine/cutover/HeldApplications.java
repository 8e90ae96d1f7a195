package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.HookReport;
import java.time.Duration;
import java.util.UUID;

/**
 * Applications that the task's hooks hold during a cutover. Closing it lets them go on at the
 * source, unless the source was asked to decide. Used by the cutover's thread.
 */
final class HeldApplications implements AutoCloseable {
  private final CutoverHooks hooks;
  private final UUID cutover;
  private final CutoverProgress progress;
  private boolean kept;

  private HeldApplications(CutoverHooks hooks, UUID cutover, CutoverProgress progress) {
    this.hooks = hooks;
    this.cutover = cutover;
    this.progress = progress;
  }

  /**
   * Holds them.
   *
   * @param budget of the cutover
   * @throws SluiceException.Fatal if a hook failed; all have let go again
   */
  static HeldApplications hold(
      CutoverHooks hooks, UUID cutover, Duration budget, CutoverProgress progress)
      throws InterruptedException {
    if (!hooks.isEmpty()) {
      progress.step("the hooks hold the applications");
      HookReport report = hooks.pause(cutover.toString(), budget);
      report.lines().forEach(progress::reached);
      if (!report.succeeded()) {
        throw new SluiceException.Fatal(report.problems());
      }
    }
    return new HeldApplications(hooks, cutover, progress);
  }

  /** They stay held, since only the source knows where they belong. */
  void keep() {
    kept = true;
  }

  /** The source has not decided: they belong to it. */
  void release() {
    kept = false;
  }

  @Override
  public void close() {
    if (!kept && !hooks.isEmpty()) {
      HookReport report = hooks.resume(cutover.toString(), CutoverOutcome.RELEASED);
      report.lines().forEach(progress::reached);
    }
  }
}
