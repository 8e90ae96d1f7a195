package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.HookReport;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Applications that the task's hooks hold during a cutover. Closing it lets them go on at the
 * source, unless the source was asked to decide. Threadsafe.
 */
final class HeldApplications implements AutoCloseable {
  private final CutoverHooks hooks;
  private final UUID cutover;
  private final CutoverProgress progress;
  private final Consumer<List<Problem>> left;
  private boolean kept;
  private boolean gone;

  private HeldApplications(
      CutoverHooks hooks, UUID cutover, CutoverProgress progress, Consumer<List<Problem>> left) {
    this.hooks = hooks;
    this.cutover = cutover;
    this.progress = progress;
    this.left = left;
  }

  /**
   * Holds them.
   *
   * @param budget of the cutover
   * @param left gets the reasons why applications may still be held
   * @throws SluiceException.Fatal if a hook failed
   */
  static HeldApplications hold(
      CutoverHooks hooks,
      UUID cutover,
      Duration budget,
      CutoverProgress progress,
      Consumer<List<Problem>> left)
      throws InterruptedException {
    if (!hooks.isEmpty()) {
      progress.step("the hooks hold the applications");
      HookReport report = hooks.pause(cutover.toString(), budget);
      report.lines().forEach(progress::reached);
      if (!report.succeeded()) {
        tellLeft(report, left);
        throw new SluiceException.Fatal(report.problems());
      }
    }
    return new HeldApplications(hooks, cutover, progress, left);
  }

  private static void tellLeft(HookReport report, Consumer<List<Problem>> left) {
    List<Problem> failed = report.notLetGo();
    if (!failed.isEmpty()) {
      left.accept(failed);
    }
  }

  /** They stay held, since only the source knows where they belong. */
  synchronized void keep() {
    kept = true;
  }

  /** The source has not decided: they belong to it. */
  synchronized void release() {
    kept = false;
  }

  @Override
  public synchronized void close() {
    if (!kept && !gone && !hooks.isEmpty()) {
      gone = true;
      HookReport report = hooks.resume(cutover.toString(), CutoverOutcome.RELEASED);
      report.lines().forEach(progress::reached);
      tellLeft(report, left);
    }
  }
}
