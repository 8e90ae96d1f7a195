package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
  @Test
  void theMiddleOfAnEvenNumberIsTheMeanOfTwo() {
    assertThat(MedianSpread.of(List.of(4.0, 1.0, 3.0), value -> value).median()).isEqualTo(3);
    assertThat(MedianSpread.of(List.of(4.0, 1.0, 3.0, 2.0), value -> value))
        .isEqualTo(new MedianSpread(1, 2.5, 4));
  }

  @Test
  void aTableHasMediansAndTheRatioToThePeer() {
    Result peer = result("peer", 1, 2, 4);
    Result other = result("other", 1, 1, 1);
    assertThat(Result.table(List.of(peer, other), peer))
        .contains("| peer | 500,000 | 250,000 – 1,000,000 | 1.00 | 3.0 | 3 |")
        .contains("| other | 1,000,000 | 1,000,000 – 1,000,000 | 2.00 | 3.0 | 3 |");
  }

  @Test
  void aTargetThatFallsBehindAtASteadyRateIsSaidTo() {
    assertThat(course(0.5).growth().getAsDouble()).isCloseTo(0.5, within(1e-9));
    assertThat(course(0).growth().getAsDouble()).isCloseTo(0, within(1e-9));
  }

  @Test
  void ratesAreTakenOverTenSeconds() {
    LatencyCourse course = course(0);
    assertThat(course.maxCaptured()).isCloseTo(100, within(1e-9));
    assertThat(course.maxApplied()).isCloseTo(50, within(1e-9));
  }

  @Test
  void allProblemsOfTheArgumentsAreSaidAtOnce() {
    Arguments arguments =
        new Arguments("a benchmark")
            .withCount("runs", 3, "a number of runs")
            .withNumber("size", "1", "a size");
    assertThat(arguments.read("size=0.5").number("size")).isEqualTo(0.5);
    assertThat(arguments.count("runs")).isEqualTo(3);
    assertThatThrownBy(() -> arguments.read("runs=0", "sise=1", "size=0.0"))
        .isInstanceOf(Arguments.Refused.class)
        .hasMessageContaining("runs=0: expected a number of runs")
        .hasMessageContaining("sise=1: expected one of runs=, size=")
        .hasMessageContaining("size=0.0: expected a size");
  }

  private static Result result(String name, int... seconds) {
    return new Result(
        name,
        java.util.Arrays.stream(seconds)
            .mapToObj(second -> new Measurement(1_000_000, Duration.ofSeconds(second), 3, 1))
            .toList());
  }

  /** Sixty seconds, a hundred changes captured and fifty applied in each. */
  private static LatencyCourse course(double growth) {
    LatencyCourse course = new LatencyCourse();
    for (int second = 0; second < 60; second++) {
      course.add(
          new LatencyCourse.Sample(second, 0, 1 + growth * second, second * 100L, second * 50L));
    }
    return course;
  }
}
