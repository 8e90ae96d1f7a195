package dev.sluice.sink.window.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class WindowPolicyTest {
  private static final Instant OPENED = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration MIN = Duration.ofMillis(100);
  private static final Duration MAX = Duration.ofSeconds(30);
  private static final Duration COMMIT = Duration.ofSeconds(2);

  private final WindowPolicy batch = WindowPolicy.batch(10_000);
  private final WindowPolicy transactional = WindowPolicy.transactional(1000);

  @Test
  void anEmptyWindowStaysOpen() {
    WindowState empty = new State().empty().caughtUp().state();
    assertThat(batch.decide(empty, OPENED.plus(MAX))).isEmpty();
    assertThat(batch.nextDecisionIn(empty, OPENED)).isEmpty();
  }

  @Test
  void aBarrierComesBeforeEverythingAlsoWhileTheApplierIsBusy() {
    WindowState barrier = new State().barrier().full().busy().state();
    assertThat(batch.decide(barrier, OPENED)).contains(CloseReason.BARRIER);
    assertThat(transactional.decide(barrier, OPENED)).contains(CloseReason.BARRIER);
  }

  @Test
  void aFullWindowTakesNoMoreAlsoWhileTheApplierIsBusy() {
    WindowState full = new State().full().busy().state();
    assertThat(batch.decide(full, OPENED)).contains(CloseReason.MEMORY);
    assertThat(batch.nextDecisionIn(full, OPENED)).contains(Duration.ZERO);
  }

  @Test
  void whileTheApplierIsBusyTimeAloneClosesNothing() {
    WindowState busy = new State().netChanges(50_000).caughtUp().busy().state();
    assertThat(batch.decide(busy, OPENED.plus(MAX).plus(MAX))).isEmpty();
    assertThat(batch.nextDecisionIn(busy, OPENED)).isEmpty();
  }

  @Test
  void beforeTheMinimumEnoughChangesCloseNothing() {
    WindowState enough = new State().netChanges(10_000).caughtUp().state();
    assertThat(batch.decide(enough, OPENED.plus(MIN).minusNanos(1))).isEmpty();
    assertThat(batch.nextDecisionIn(enough, OPENED.plusMillis(40))).contains(Duration.ofMillis(60));
    assertThat(batch.decide(enough, OPENED.plus(MIN))).contains(CloseReason.READY);
  }

  @Test
  void theMinimumIsATimeBetweenTwoWindowsSoAChangeAfterAQuietTimeDoesNotWait() {
    WindowState late = new State().caughtUp().after(OPENED.minus(MIN)).state();
    assertThat(batch.decide(late, OPENED)).contains(CloseReason.CAUGHT_UP);
    WindowState soon = new State().caughtUp().after(OPENED.minusMillis(40)).state();
    assertThat(batch.decide(soon, OPENED.plusMillis(60).minusNanos(1))).isEmpty();
    assertThat(batch.nextDecisionIn(soon, OPENED)).contains(Duration.ofMillis(60));
    assertThat(batch.decide(soon, OPENED.plusMillis(60))).contains(CloseReason.CAUGHT_UP);
    WindowState more = new State().after(OPENED.minus(MIN)).state();
    assertThat(batch.decide(more, OPENED)).as("the journal has more").isEmpty();
  }

  @Test
  void theMaximumRunsFromTheOpeningOfTheWindowOn() {
    WindowState few = new State().after(OPENED.minus(MAX)).state();
    assertThat(batch.decide(few, OPENED.plus(MAX).minusNanos(1))).isEmpty();
    assertThat(batch.decide(few, OPENED.plus(MAX))).contains(CloseReason.MAX_TIME);
  }

  @Test
  void ofABacklogWhatTheSourceCommittedInTheMinimumIsWaitedForNoLonger() {
    WindowState less = new State().netChanges(10_000).span(MIN.minusNanos(1)).state();
    assertThat(batch.decide(less, OPENED)).isEmpty();
    WindowState enough = new State().netChanges(10_000).span(MIN).state();
    assertThat(batch.decide(enough, OPENED)).contains(CloseReason.READY);
    WindowState few = new State().netChanges(9_999).span(MIN).state();
    assertThat(batch.decide(few, OPENED)).isEmpty();
    assertThat(batch.nextDecisionIn(few, OPENED)).contains(MAX);
    WindowState atTheEnd = new State().netChanges(9_999).span(MIN).caughtUp().state();
    assertThat(batch.decide(atTheEnd, OPENED)).contains(CloseReason.CAUGHT_UP);
    WindowState busy = new State().netChanges(10_000).span(MAX).busy().state();
    assertThat(batch.decide(busy, OPENED)).isEmpty();
  }

  @Test
  void fewChangesWaitForTheJournalsEndOrTheMaximum() {
    WindowState few = new State().netChanges(9_999).state();
    assertThat(batch.decide(few, OPENED.plus(MIN))).isEmpty();
    assertThat(batch.decide(few, OPENED.plus(MAX).minusNanos(1))).isEmpty();
    assertThat(batch.nextDecisionIn(few, OPENED.plus(MIN))).contains(MAX.minus(MIN));
    assertThat(batch.decide(few, OPENED.plus(MAX))).contains(CloseReason.MAX_TIME);
    WindowState atTheEnd = new State().netChanges(9_999).caughtUp().state();
    assertThat(batch.decide(atTheEnd, OPENED.plus(MIN))).contains(CloseReason.CAUGHT_UP);
  }

  @Test
  void progressWithoutChangesIsAppliedSeldom() {
    WindowState progress = new State().onlyProgress().caughtUp().state();
    assertThat(batch.decide(progress, OPENED.plusMillis(2_999))).isEmpty();
    assertThat(batch.nextDecisionIn(progress, OPENED)).contains(Duration.ofSeconds(3));
    assertThat(batch.decide(progress, OPENED.plusMillis(3_000))).contains(CloseReason.CAUGHT_UP);
    WindowState behind = new State().onlyProgress().state();
    assertThat(batch.decide(behind, OPENED.plus(MAX))).isEmpty();
    assertThat(batch.nextDecisionIn(behind, OPENED.plus(MAX))).isEmpty();
  }

  @Test
  void inTransactionalModeMinTransactionSizeOrCommitTimeoutClose() {
    WindowState few = new State().changes(999).committing().caughtUp().state();
    assertThat(transactional.decide(few, OPENED.plus(COMMIT).minusNanos(1))).isEmpty();
    assertThat(transactional.nextDecisionIn(few, OPENED)).contains(COMMIT);
    assertThat(transactional.decide(few, OPENED.plus(COMMIT))).contains(CloseReason.MAX_TIME);
    WindowState enough = new State().changes(1000).committing().state();
    assertThat(transactional.decide(enough, OPENED)).contains(CloseReason.READY);
    WindowState growing = new State().changes(999).committing().busy().state();
    assertThat(transactional.decide(growing, OPENED.plus(COMMIT))).isEmpty();
    WindowState waiting = new State().changes(1000).committing().busy().state();
    assertThat(transactional.decide(waiting, OPENED)).contains(CloseReason.READY);
  }

  @Test
  void inTransactionalModeAGroupOfManyTablesGrowsWhileTheApplierIsBusy() {
    WindowState ofTen = new State().changes(1000).tables(10).committing().busy().state();
    assertThat(transactional.decide(ofTen, OPENED)).contains(CloseReason.READY);
    WindowState growing = new State().changes(11_999).tables(120).committing().busy().state();
    assertThat(transactional.decide(growing, OPENED)).isEmpty();
    WindowState grown = new State().changes(12_000).tables(120).committing().busy().state();
    assertThat(transactional.decide(grown, OPENED)).contains(CloseReason.READY);
    WindowState atOnce = new State().changes(1000).tables(120).committing().state();
    assertThat(transactional.decide(atOnce, OPENED)).contains(CloseReason.READY);
  }

  @Test
  void theNextDecisionFallsAtTheTimeThatWasAnnounced() {
    for (WindowPolicy policy : new WindowPolicy[] {batch, transactional}) {
      WindowState waiting = new State().changes(5).netChanges(5).state();
      Duration left = policy.nextDecisionIn(waiting, OPENED.plus(MIN)).orElseThrow();
      Instant due = OPENED.plus(MIN).plus(left);
      assertThat(policy.decide(waiting, due.minusNanos(1))).isEqualTo(Optional.empty());
      assertThat(policy.decide(waiting, due)).isPresent();
    }
  }

  /** A window opened at OPENED with one change, while the applier is idle. */
  private static final class State {
    private boolean empty;
    private boolean barrier;
    private boolean full;
    private WindowTimes times = new WindowTimes(MIN, MAX);
    private Instant openedAt = OPENED;
    private Duration span = Duration.ZERO;
    private long changes = 1;
    private long netChanges = 1;
    private int tables = 1;
    private boolean idle = true;
    private boolean caughtUp;
    private Instant lastWithChanges;

    State empty() {
      empty = true;
      return onlyProgress();
    }

    State barrier() {
      barrier = true;
      return this;
    }

    State full() {
      full = true;
      return this;
    }

    State onlyProgress() {
      openedAt = null;
      changes = 0;
      netChanges = 0;
      return this;
    }

    State committing() {
      times = new WindowTimes(Duration.ZERO, COMMIT);
      return this;
    }

    State span(Duration value) {
      span = value;
      return this;
    }

    State changes(long value) {
      changes = value;
      return this;
    }

    State netChanges(long value) {
      netChanges = value;
      return this;
    }

    State tables(int value) {
      tables = value;
      return this;
    }

    State busy() {
      idle = false;
      return this;
    }

    State caughtUp() {
      caughtUp = true;
      return this;
    }

    State after(Instant windowWithChanges) {
      lastWithChanges = windowWithChanges;
      return this;
    }

    WindowState state() {
      return new WindowState(
          empty,
          barrier,
          full,
          times,
          openedAt,
          span,
          changes,
          netChanges,
          tables,
          idle,
          caughtUp,
          OPENED,
          lastWithChanges);
    }
  }
}
