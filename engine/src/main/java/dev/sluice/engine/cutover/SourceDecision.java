package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.validate.continuous.RepairPause;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Lets the source decide a cutover, and finds out what it decided. Owned by the cutover, used by
 * its thread; {@link #isAsking} by any.
 */
final class SourceDecision {
  private static final Duration LONGEST_QUESTION = Duration.ofSeconds(60);
  private static final Duration ASK_AGAIN = Duration.ofMillis(500);

  private final CutoverTask live;
  private final CutoverProgress progress;
  private volatile boolean asking;

  SourceDecision(CutoverTask live, CutoverProgress progress) {
    this.live = live;
    this.progress = progress;
  }

  /** Whether the source was asked to decide, and its answer is not known yet. */
  boolean isAsking() {
    return asking;
  }

  /**
   * Commits the change on the source that closes it for writers.
   *
   * @throws SluiceException if the source did not commit it; then all are released
   */
  void make(WriterStop writers, CutoverHolds held, Undecided undecided)
      throws InterruptedException {
    progress.step("the source decides");
    asking = true;
    held.applications().keep();
    try {
      held.writers().decide();
      asking = false;
      return;
    } catch (SluiceException e) {
      progress.step("asking the source what was decided: " + e.getMessage());
      held.writers().close();
      if (ask(writers, undecided.cutover()) == WriterStop.Decision.NOT_MOVED) {
        asking = false;
        held.applications().release();
        undecided.giveUp();
        throw new SluiceException.Fatal(
            "the source did not commit the cutover, and its writers go on: " + e.getMessage(), e);
      }
    }
    asking = false;
  }

  /** Both outcomes are possible until the source answers, so there is no limit. */
  private WriterStop.Decision ask(WriterStop writers, UUID cutover) throws InterruptedException {
    while (true) {
      try {
        WriterStop.Decision decision = writers.decision(cutover, LONGEST_QUESTION);
        live.problem(Optional.empty());
        return decision;
      } catch (SluiceException e) {
        // Retried after any failure, since nothing may be opened without an answer.
        String words =
            "the source does not answer what was decided about the cutover; it is asked again, and"
                + " the applications stay where they are: "
                + e.getMessage();
        progress.step(words);
        live.problem(Optional.of(words));
        if (live.awaitClosing(ASK_AGAIN)) {
          throw new InterruptedException("the daemon ends");
        }
      }
    }
  }

  /** What must continue if the source has not decided the cutover. */
  record Undecided(UUID cutover, SwitchPoint back, RepairPause repairs) {
    void giveUp() {
      back.giveUp();
      repairs.giveUp();
    }
  }
}
