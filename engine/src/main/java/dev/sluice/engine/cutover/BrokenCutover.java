package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a cutover that was interrupted or failed, and says what holds then. Used by the cutover's
 * thread.
 */
final class BrokenCutover {
  private static final Logger LOG = LoggerFactory.getLogger(BrokenCutover.class);

  private static final String INTERRUPTED =
      "interrupted, since the daemon ends; run sluice cutover again when the daemon runs";

  private static final String UNKNOWN =
      "not known yet: the source was asked to decide, and the daemon ended before it had answered."
          + " Keep the applications where they are: the daemon asks again when it starts, and sluice"
          + " status shows what was decided";

  private final CutoverState state;
  private final CutoverSteps steps;
  private final CutoverTask live;

  BrokenCutover(CutoverState state, CutoverSteps steps, CutoverTask live) {
    this.state = state;
    this.steps = steps;
    this.live = live;
  }

  /** The daemon ends. */
  Outcome interrupted(Cutover cutover) {
    return end(cutover, "the daemon ends", () -> failed(cutover, INTERRUPTED));
  }

  /** It failed for this reason. */
  Outcome failedBy(Cutover cutover, String reason) {
    return end(cutover, reason, () -> giveUp(cutover, reason));
  }

  /**
   * A verdict stands, and after source and target were proven equal the cutover cannot be given up.
   *
   * @param before run if source and target were not yet proven equal
   */
  private Outcome end(Cutover cutover, String reason, Supplier<Outcome> before) {
    Outcome verdict = state.verdict();
    if (verdict != null) {
      cutover.validationLeft(reason);
      return verdict;
    }
    if (cutover.isAsking()) {
      LOG.warn("the cutover ends while the source decides: {}", reason);
      cutover.brokenOff(reason);
      return Outcome.of(Ending.UNDECIDED, 0, UNKNOWN, List.of());
    }
    if (!state.isFinishing()) {
      return before.get();
    }
    LOG.warn("the last steps of the cutover failed: {}", reason);
    cutover.brokenOff(reason);
    live.problem(Optional.of("the cutover's last steps broke off: " + reason));
    state.wantEnd();
    return Outcome.of(
        Ending.UNDECIDED,
        0,
        "not done yet: source and target were proven equal, nothing more is applied, and the last"
            + " steps failed. Point no application elsewhere, and start none: fix the cause, and run"
            + " sluice cutover again; the daemon also continues when it starts: "
            + reason,
        List.of());
  }

  /**
   * Returns to replication. The failure is reported only after the target has recorded it: users
   * start their applications on the source then, so no later start may finish this cutover. An
   * earlier write of another step may have succeeded although its answer was lost. A cutover that
   * never asked the source to decide cannot be finished by anybody, so nobody waits for the record.
   */
  private Outcome giveUp(Cutover cutover, String reason) {
    if (cutover.mustRecordFailure()) {
      cutover.givingUp(reason);
      try {
        steps.noteFailed(reason);
      } catch (InterruptedException | SluiceException e) {
        String why =
            e instanceof InterruptedException ? "the daemon ended meanwhile" : e.getMessage();
        return failed(
            cutover,
            reason
                + "; that could not be recorded on the target: "
                + why
                + cutover.adviceWithoutRecord());
      }
    }
    state.givenUp();
    return failed(cutover, reason);
  }

  private Outcome failed(Cutover cutover, String reason) {
    LOG.warn("the cutover has failed: {}", reason);
    String words = reason + live.held().map("; "::concat).orElse("");
    cutover.failed(words);
    return new Outcome(false, 0, "the cutover failed: " + words, List.of());
  }
}
