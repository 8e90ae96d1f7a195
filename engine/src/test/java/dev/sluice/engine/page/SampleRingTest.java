package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleRingTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final SampleRing hour = new SampleRing(Span.HOUR);

  @Test
  void samplesWithinOneStepBecomeOneThatKeepsTheWorst() {
    hour.add(sample(0, 1, 100, 9));
    hour.add(sample(2, 7, 200, 3));
    hour.add(sample(9, 2, 600, 5));
    assertThat(hour.samples()).containsExactly(sample(0, 7, 300, 3));
  }

  @Test
  void aFigureThatIsNotKnownDoesNotCount() {
    hour.add(new Sample(NOON, Map.of()));
    hour.add(sample(2, 1, 100, 9));
    hour.add(new Sample(NOON.plusSeconds(4), Map.of()));
    hour.add(sample(6, 1, 300, 9));
    assertThat(hour.samples()).containsExactly(sample(0, 1, 200, 9));
  }

  @Test
  void aDayOfSamplesTakesABoundedNumber() {
    SampleRing quarter = new SampleRing(Span.QUARTER);
    SampleRing day = new SampleRing(Span.DAY);
    for (int second = 0; second <= Duration.ofHours(30).toSeconds(); second += 2) {
      quarter.add(sample(second, 0, 0, 0));
      day.add(sample(second, 0, 0, 0));
    }
    Instant last = NOON.plus(Duration.ofHours(30));
    assertThat(quarter.samples()).hasSizeLessThanOrEqualTo(Span.QUARTER.capacity()).hasSize(451);
    assertThat(quarter.samples().get(0).at()).isEqualTo(last.minus(Duration.ofMinutes(15)));
    assertThat(day.samples()).hasSizeLessThanOrEqualTo(Span.DAY.capacity()).hasSize(361);
    assertThat(day.samples().get(0).at()).isEqualTo(last.minus(Duration.ofHours(24)));
  }

  @Test
  void samplesOfAClockThatWasSetBackSinceAreForgotten() {
    hour.add(sample(0, 1, 1, 1));
    hour.add(sample(600, 2, 2, 2));
    hour.add(sample(30, 3, 3, 3));
    assertThat(hour.samples()).containsExactly(sample(0, 1, 1, 1), sample(30, 3, 3, 3));
  }

  @Test
  void asJsonTheSamplesAreTheSame() {
    List<Sample> samples = List.of(sample(0, 1, 2, 3), new Sample(NOON.plusSeconds(10), Map.of()));
    assertThat(Series.of(Span.HOUR, samples).samples()).isEqualTo(samples);
  }

  @Test
  void listsThatDoNotFitTogetherAreNoSamples() {
    Series two = Series.of(Span.HOUR, List.of(sample(0, 1, 2, 3), sample(10, 1, 2, 3)));
    Series torn = new Series("1h", 3600, 10, two.at().subList(0, 1), two.figures());
    assertThatThrownBy(torn::samples).isInstanceOf(IllegalArgumentException.class);
  }

  private static Sample sample(int second, double latency, double rate, double hours) {
    return new Sample(
        NOON.plusSeconds(second),
        Map.of(
            Figure.TARGET_LATENCY_SECONDS,
            latency,
            Figure.SOURCE_ROWS_PER_SECOND,
            rate,
            Figure.SOURCE_LOG_HOURS_LEFT,
            hours));
  }
}
