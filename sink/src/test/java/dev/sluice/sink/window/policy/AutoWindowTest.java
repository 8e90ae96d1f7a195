package dev.sluice.sink.window.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.DataSize;
import dev.sluice.sink.window.policy.WindowPlan.Reason;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Windows that follow each other, with targets and sources of given speed. */
final class AutoWindowTest {
  private static final AutoBounds BOUNDS =
      new AutoBounds(Duration.ofSeconds(1), Duration.ofSeconds(30), DataSize.ofMebibytes(500));

  @Property(tries = 200)
  void aConstantLoadKeepsItsPlan(
      @ForAll @IntRange(min = 50, max = 100_000) int rate,
      @ForAll @IntRange(min = 500, max = 30_000) int fixedMicros,
      @ForAll @IntRange(min = 0, max = 70) int percent,
      @ForAll long seed) {
    SimulatedTarget target = new SimulatedTarget(BOUNDS, seed);
    target.changesPerSecond = rate;
    target.fixed = fixedMicros / 1e6;
    target.perChange = percent / 100.0 / rate;
    target.noise = 0.1;
    target.windows(150);
    int changes = 0;
    Duration last = target.least();
    for (int i = 0; i < 200; i++) {
      double latency = target.window();
      assertThat(latency).as("the oldest change, window %s", i).isLessThan(1.3);
      if (!target.least().equals(last)) {
        changes++;
        last = target.least();
      }
    }
    // Up to 30 where noise is larger than the whole fixed cost; all of 200 if it oscillated.
    assertThat(changes).as("plans in 200 windows").isLessThanOrEqualTo(50);
    assertThat(seconds(last)).isLessThan(0.9);
  }

  @Property(tries = 100)
  void aTargetThatBecomesSlowIsNoticed(
      @ForAll @IntRange(min = 2, max = 5) int slower, @ForAll long seed) {
    SimulatedTarget target = new SimulatedTarget(BOUNDS, seed);
    target.changesPerSecond = 20_000;
    target.fixed = 0.02;
    target.perChange = 10e-6;
    target.noise = 0.1;
    target.windows(100);
    double before = seconds(target.least());
    target.perChange *= 4.5;
    target.fixed *= slower;
    target.windows(40);
    assertThat(target.plan().load().perChange()).isBetween(30e-6, 60e-6);
    double planned =
        seconds(target.least()) * (1 + target.changesPerSecond * target.perChange) + target.fixed;
    assertThat(planned).as("still within the goal").isLessThan(1.2);
    assertThat(seconds(target.least())).isLessThanOrEqualTo(before);
  }

  @Property(tries = 100)
  void aTargetThatCannotKeepUpGetsLargerWindows(
      @ForAll @IntRange(min = 11, max = 50) int tenths, @ForAll long seed) {
    SimulatedTarget target = new SimulatedTarget(BOUNDS, seed);
    target.changesPerSecond = 10_000;
    target.fixed = 0.002;
    target.perChange = 20e-6;
    target.windows(100);
    Duration inStep = target.least();
    target.perChange = tenths / 10.0 / 10_000;
    target.windows(60);
    assertThat(target.plan().reason()).isIn(Reason.BEHIND, Reason.MEMORY);
    assertThat(target.least()).isGreaterThan(inStep.multipliedBy(4));
    target.perChange = 20e-6;
    target.windows(200);
    assertThat(target.plan().reason()).as("in step again").isNotEqualTo(Reason.BEHIND);
    assertThat(target.least()).isLessThan(Duration.ofMillis(700));
  }

  @Property(tries = 100)
  void aBurstIsAppliedWithinTheGoalAndForgottenAfterIt(
      @ForAll @IntRange(min = 5, max = 50) int times, @ForAll long seed) {
    SimulatedTarget target = new SimulatedTarget(BOUNDS, seed);
    target.changesPerSecond = 1_000;
    target.fixed = 0.005;
    target.perChange = 10e-6;
    target.noise = 0.1;
    target.windows(100);
    target.changesPerSecond *= times;
    for (int i = 0; i < 50; i++) {
      assertThat(target.window()).isLessThan(1.5);
    }
    target.changesPerSecond /= times;
    target.windows(100);
    assertThat(seconds(target.least())).as("0.24 s by its figures").isBetween(0.12, 0.48);
  }

  @Example
  void fewTransactionsAreNotWaitedFor() {
    SimulatedTarget target = new SimulatedTarget(BOUNDS, 1);
    target.changesPerSecond = 5;
    target.fixed = 0.002;
    target.perChange = 20e-6;
    target.windows(200);
    assertThat(target.least()).isLessThan(Duration.ofMillis(20));
  }

  @Example
  void thePlanIsOneLineWithItsFigures() {
    WindowLoad load =
        new WindowLoad(
            30_000, 2_000, Duration.ofMillis(8), 21e-6, 500, Duration.ZERO, Duration.ZERO);
    assertThat(AutoPolicy.choose(load, BOUNDS))
        .hasToString(
            "window 0.49 s / 14,577 changes (latency goal): read 30,000/s, fixed cost 8 ms,"
                + " 21 µs a change, goal 1 s");
    assertThat(new AutoWindow(BOUNDS).plan())
        .hasToString("window 0.25 s / 0 changes (nothing measured yet)");
  }

  @Example
  void thePlanSaysWhyItIsBehind() {
    assertThat(behind(Duration.ofSeconds(8), Duration.ofSeconds(2)))
        .startsWith("window 2 s / 2,000 changes (behind): read 1,000/s, ")
        .endsWith(", goal 1 s, behind for 8 s");
    assertThat(behind(Duration.ZERO, Duration.ofSeconds(4)))
        .startsWith("window 1 s / 1,000 changes (behind): read 1,000/s, ")
        .endsWith(", goal 1 s, last window took 4 s");
  }

  private static String behind(Duration lag, Duration slow) {
    WindowLoad load = new WindowLoad(1_000, 100, Duration.ofMillis(1), 1e-6, 500, lag, slow);
    return AutoPolicy.choose(load, BOUNDS).toString();
  }

  @Example
  void clocksThatDifferAreNoLag() {
    JournalLag lag = new JournalLag();
    Instant now = Instant.EPOCH.plusMillis(1);
    lag.add(now.minusSeconds(3600), now);
    assertThat(lag.last()).isZero();
    lag.add(now.minusSeconds(3590), now.plusSeconds(20));
    assertThat(lag.last()).isEqualTo(Duration.ofSeconds(10));
    for (int second = 30; second < 700; second++) {
      lag.add(now.plusSeconds(second - 3500), now.plusSeconds(second));
    }
    assertThat(lag.last()).as("the source's clock was set back").isZero();
    lag.add(now.plusSeconds(700 - 4000), now.plusSeconds(700));
    assertThat(lag.last()).isEqualTo(Duration.ofSeconds(500));
  }

  @Property(tries = 200)
  void whoIsInStepAgainStaysWithinTheGoal(@ForAll @IntRange(min = 1_100, max = 20_000) int lag) {
    AutoWindow auto = new AutoWindow(BOUNDS);
    for (int i = 1; i <= 30; i++) {
      Instant now = Instant.EPOCH.plusMillis(i * 100L);
      int behind = i <= 10 ? 0 : i <= 20 ? lag : i <= 25 ? 1_300 : 0;
      auto.closed(100, 10, now.minusMillis(behind), now);
      auto.applied(100, 1_000, Duration.ofMillis(40), false);
      WindowPlan plan = auto.next();
      assertThat(plan.load().behind()).isEqualTo(Duration.ofMillis(i <= 3 ? 0 : behind));
      if (i > 3 && behind == 0) {
        assertThat(plan.times().longest()).isLessThanOrEqualTo(BOUNDS.goal());
      }
    }
  }

  @Example
  void commitTimesInWholeSecondsAreNoLag() {
    AutoBounds tight =
        new AutoBounds(Duration.ofMillis(200), Duration.ofSeconds(30), DataSize.ofMebibytes(500));
    AutoWindow auto = new AutoWindow(tight);
    Instant now = Instant.EPOCH;
    for (int i = 0; i < 200; i++) {
      now = now.plusMillis(93);
      auto.closed(100, 10, now.truncatedTo(ChronoUnit.SECONDS), now);
      auto.applied(100, 1_000, Duration.ofMillis(5), false);
      WindowPlan plan = auto.next();
      assertThat(plan.load().behind()).isZero();
      assertThat(plan.reason()).isNotEqualTo(Reason.BEHIND);
      assertThat(plan.times().least()).isLessThan(tight.goal());
    }
    now = now.plusSeconds(9);
    auto.closed(100, 10, now.minusSeconds(8).truncatedTo(ChronoUnit.SECONDS), now);
    assertThat(auto.next().load().behind()).isBetween(Duration.ofSeconds(7), Duration.ofSeconds(8));
  }

  @Example
  void windowsWithoutChangesWaitOnPurposeAndAreNoLag() {
    AutoWindow auto = new AutoWindow(BOUNDS);
    Instant now = Instant.EPOCH.plusMillis(1);
    for (int i = 0; i < 50; i++) {
      now = now.plusMillis(2_500);
      auto.closed(10, 1, now, now);
      auto.applied(10, 1_000, Duration.ofMillis(5), false);
      inStep(i, auto.next());
      now = now.plusMillis(2_500);
      auto.closed(0, 0, now.minusMillis(2_500), now);
      inStep(i, auto.next());
    }
    auto.closed(10, 1, now.minusSeconds(8), now);
    auto.applied(10, 1_000, Duration.ofSeconds(6), false);
    assertThat(auto.next().load().behind()).isEqualTo(Duration.ofSeconds(8));
    now = now.plusSeconds(3);
    auto.closed(0, 0, now.minusMillis(2_500), now);
    assertThat(auto.next().load().behind()).as("all was read and applied").isZero();
  }

  private static void inStep(int window, WindowPlan plan) {
    assertThat(plan.load().behind()).isZero();
    if (window >= 4) {
      assertThat(plan.times().least()).isLessThan(Duration.ofMillis(20));
    }
  }

  @Example
  void failedAttemptsAndEmptyWindowsAreNotMeasured() {
    AutoWindow auto = new AutoWindow(BOUNDS);
    for (int i = 0; i < 20; i++) {
      auto.closed(100, 10, Instant.EPOCH.plusMillis(i * 100L), Instant.EPOCH.plusMillis(i * 100L));
      auto.applied(100, 1000, Duration.ofMinutes(1), true);
      auto.applied(0, 0, Duration.ofMinutes(1), false);
    }
    assertThat(auto.next().reason()).isEqualTo(Reason.START);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
