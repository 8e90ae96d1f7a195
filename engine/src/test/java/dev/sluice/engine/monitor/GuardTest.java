package dev.sluice.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class GuardTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final long MB = 1024 * 1024;

  private final Guard guard =
      new Guard("the log", "Mend it", Duration.ofHours(24), Duration.ofHours(2));
  private final List<String> told = new ArrayList<>();

  @Test
  void theHoursLeftAreTheRoomAtTheRateOfTheLastMinutes() {
    GuardState state = null;
    for (int minute = 0; minute <= 30; minute++) {
      // Ten times as fast in the first twenty minutes, which are forgotten by then.
      long gone = minute <= 20 ? minute * 10L : 200 + (minute - 20);
      state = measure(minute * 60, (10_000 - gone) * MB);
    }
    assertThat(state.bytesPerSecond().orElseThrow()).isCloseTo(MB / 60.0, within(0.001));
    assertThat(GuardState.hours(state.left().get())).isCloseTo(9_790 / 60.0, within(0.01));
  }

  @Test
  void whatIsHeldInStepsHasTheRateOfTheSteps() {
    GuardState state = null;
    for (int second = 0; second <= 600; second++) {
      state = measure(second, 10_000 * MB - second / 90 * 16 * MB);
    }
    assertThat(state.bytesPerSecond().orElseThrow()).isCloseTo(16 * MB / 90.0, within(0.05 * MB));
  }

  @Test
  void withoutALimitNoTimeIsReportedHoweverFastItGrows() {
    GuardState state = null;
    for (int second = 0; second <= 600; second++) {
      state = guard.measure(START.plusSeconds(second), GuardReading.unlimited(second * MB));
    }
    assertThat(state.left()).isEmpty();
    assertThat(state.level()).isEqualTo(GuardLevel.FINE);
    assertThat(state.words()).contains("no limit known").contains("3.5 GiB more in an hour");
  }

  @Test
  void aLimitThatIsSetOrRemovedResetsTheRate() {
    for (int second = 0; second <= 60; second++) {
      guard.measure(START.plusSeconds(second), GuardReading.unlimited(second * MB));
    }
    assertThat(measure(61, 1_000 * MB).left()).isEmpty();
    GuardState state = measure(121, 940 * MB);
    assertThat(state.bytesPerSecond().orElseThrow()).isCloseTo(MB, within(0.001));
    assertThat(state.left()).hasValue(Duration.ofSeconds(940));
    state = guard.measure(START.plusSeconds(122), GuardReading.unlimited(MB));
    assertThat(state.bytesPerSecond()).isEmpty();
  }

  @Test
  void roomThatDoesNotBecomeLessLastsForEver() {
    GuardState state = null;
    for (int second = 0; second <= 600; second++) {
      state = measure(second, MB + second);
    }
    assertThat(state.left()).isEmpty();
    assertThat(state.level()).isEqualTo(GuardLevel.FINE);
  }

  @Test
  void nothingIsConcludedFromTheFirstSeconds() {
    measure(0, 1_000 * MB);
    assertThat(measure(20, MB).left()).isEmpty();
  }

  @Test
  void itIsLoggedWhenTheLevelRisesThenEachHourAndWhenItIsOver() {
    int second = 0;
    long room = 30L * 3600 * MB;
    for (; room > 3600 * MB; second += 60, room -= 60 * MB) {
      measure(second, room);
    }
    // 6 hours of warning and 1 of problem: at the crossings, and at each full hour between.
    assertThat(told.get(0)).contains("the log: ").contains("24.0 hours left").contains("Mend it");
    assertThat(told).filteredOn(line -> line.contains(" 2.0 hours left")).hasSize(1);
    assertThat(told).hasSizeBetween(23, 25);
    told.clear();
    for (int minute = 0; minute < 70; minute++, second += 60) {
      measure(second, 30L * 3600 * MB);
    }
    assertThat(told).singleElement().asString().contains("fine again");
  }

  @Test
  void noRoomAndAnUrgentReasonAreProblemsWhateverTheRate() {
    assertThat(measure(0, 0).level()).isEqualTo(GuardLevel.PROBLEM);
    GuardState state =
        guard.measure(START, GuardReading.unlimited(MB).inDanger("wal_status is unreserved"));
    assertThat(state.level()).isEqualTo(GuardLevel.PROBLEM);
    assertThat(state.words()).contains("wal_status is unreserved");
  }

  @Test
  void aDiskThatOthersFillIsNotTakenForOurs() {
    GuardState others = null;
    for (int second = 0; second <= 600; second++) {
      others = measure(second, MB, (1_000L - second) * MB);
    }
    assertThat(others.level()).isEqualTo(GuardLevel.PROBLEM);
    assertThat(guard.problem(others))
        .contains("3.5 GiB more in an hour, most of it by others", "Something else fills that disk")
        .doesNotContain("Mend it");

    GuardState ours = null;
    for (int second = 601; second <= 1_300; second++) {
      ours = measure(second, second * MB, (2_000L - second) * MB);
    }
    assertThat(ours.level()).isEqualTo(GuardLevel.PROBLEM);
    assertThat(guard.problem(ours)).contains("Mend it").doesNotContain("others");
  }

  @Test
  void ofTwoLimitsTheNarrowerCounts() {
    GuardReading reading =
        GuardReading.unlimited(1).limited(50, "wide").limited(20, "narrow").limited(90, "widest");
    assertThat(reading.room()).isEqualTo(OptionalLong.of(20));
    assertThat(reading.limitedBy()).contains("narrow");
    assertThat(reading.limited(-5, "passed").room()).isEqualTo(OptionalLong.of(0));
  }

  /** Nothing else is on the disk. */
  private GuardState measure(int second, long room) {
    return measure(second, 1_000_000 * MB - room, room);
  }

  private GuardState measure(int second, long used, long room) {
    Instant now = START.plusSeconds(second);
    GuardState state = guard.measure(now, GuardReading.unlimited(used).limited(room, "the disk"));
    guard.news(now, state).ifPresent(told::add);
    return state;
  }
}
