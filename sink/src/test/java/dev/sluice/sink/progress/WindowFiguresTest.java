package dev.sluice.sink.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.retry.RetriedWork;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WindowFiguresTest {

  @Test
  void aValueIsCountedInTheFirstBucketThatHoldsIt() {
    Histogram histogram = Histogram.upTo(1, 10).with(0.5).with(1).with(1.5).with(10).with(11);
    assertThat(histogram.counts()).containsExactly(2, 2, 1);
    assertThat(histogram.bounds()).containsExactly(1, 10, Double.POSITIVE_INFINITY);
    assertThat(histogram.count()).isEqualTo(5);
    assertThat(histogram.sum()).isEqualTo(24);
  }

  @Test
  void histogramsWithTheSameBoundsAddUpAndOthersDoNot() {
    Histogram one = Histogram.upTo(1, 10).with(5);
    assertThat(one.plus(Histogram.upTo(1, 10).with(6)))
        .isEqualTo(Histogram.upTo(1, 10).with(6).with(5));
    assertThatThrownBy(() -> one.plus(Histogram.upTo(1, 11))).hasMessageContaining("BUG");
  }

  @Test
  void aPartOfTheValuesIsNotAboveTheBoundOfTheBucketInWhichItEnds() {
    Histogram histogram = Histogram.upTo(1, 10, 100);
    assertThat(histogram.upperBound(0.5)).isNaN();
    for (int i = 0; i < 98; i++) {
      histogram = histogram.with(0.5);
    }
    histogram = histogram.with(7).with(50);
    assertThat(histogram.upperBound(0.5)).isEqualTo(1);
    assertThat(histogram.upperBound(0.98)).isEqualTo(1);
    assertThat(histogram.upperBound(0.99)).isEqualTo(10);
    assertThat(histogram.upperBound(1)).isEqualTo(100);
    assertThat(histogram.with(101).upperBound(1)).isInfinite();
  }

  @Test
  void theValuesSinceAnEarlierStateAreThoseThatCameAfterIt() {
    Histogram earlier = Histogram.upTo(1, 10).with(5);
    assertThat(earlier.with(0.5).with(20).since(earlier))
        .isEqualTo(Histogram.upTo(1, 10).with(0.5).with(20));
    assertThatThrownBy(() -> earlier.since(Histogram.upTo(1))).hasMessageContaining("BUG");
  }

  @Test
  void aWindowIsCountedUnderItsReasonOnly() {
    WindowFigures figures =
        WindowFigures.NONE.with(window(CloseReason.MEMORY, 40), Duration.ofMillis(250));
    assertThat(figures.rows().get(CloseReason.MEMORY).sum()).isEqualTo(40);
    assertThat(figures.seconds().get(CloseReason.MEMORY).sum()).isEqualTo(2);
    assertThat(figures.rows().get(CloseReason.READY).count()).isZero();
    assertThat(figures.commitToVisible().sum()).isEqualTo(0.25);
  }

  @Test
  void aWindowWithoutChangesHasNoLatencyAndAClockThatIsAheadGivesNone() {
    WindowFigures empty =
        WindowFigures.NONE.with(window(CloseReason.BARRIER, 0), Duration.ofHours(1));
    assertThat(empty.commitToVisible().count()).isZero();
    assertThat(empty.rows().get(CloseReason.BARRIER).count()).isEqualTo(1);

    WindowFigures ahead =
        WindowFigures.NONE.with(window(CloseReason.READY, 1), Duration.ofSeconds(-3));
    assertThat(ahead.commitToVisible().count()).isEqualTo(1);
    assertThat(ahead.commitToVisible().sum()).isZero();
  }

  @Test
  void lanesAndAttemptsAddUp() {
    WindowFigures one =
        WindowFigures.NONE
            .with(window(CloseReason.READY, 3), Duration.ofSeconds(1))
            .with(Map.of(ApplyStage.INSERT, Duration.ofSeconds(2)))
            .retried(RetriedWork.APPLY);
    WindowFigures other =
        WindowFigures.NONE
            .with(window(CloseReason.READY, 4), Duration.ofSeconds(1))
            .with(Map.of(ApplyStage.INSERT, Duration.ofSeconds(1)))
            .retried(RetriedWork.APPLY)
            .retried(RetriedWork.DURABLE);
    WindowFigures both = one.plus(other);
    assertThat(both.rows().get(CloseReason.READY).sum()).isEqualTo(7);
    assertThat(both.commitToVisible().count()).isEqualTo(2);
    assertThat(both.stages()).containsEntry(ApplyStage.INSERT, Duration.ofSeconds(3));
    assertThat(both.retries())
        .containsEntry(RetriedWork.APPLY, 2L)
        .containsEntry(RetriedWork.DURABLE, 1L);
    assertThat(one.plus(WindowFigures.NONE)).isEqualTo(one);
  }

  private static LastWindow window(CloseReason reason, long changes) {
    return new LastWindow(reason, 1, changes, changes, 1, Duration.ofSeconds(2));
  }
}
