package dev.sluice.sink.window.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.DataSize;
import dev.sluice.sink.window.policy.WindowPlan.Reason;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for every plan, whatever was measured. */
final class AutoPolicyPropertiesTest {

  @Property
  void aPlanKeepsToItsBounds(
      @ForAll("loads") WindowLoad load, @ForAll("bounds") AutoBounds bounds) {
    WindowPlan plan = AutoPolicy.choose(load, bounds);
    assertThat(plan.times().least()).isGreaterThanOrEqualTo(Duration.ZERO);
    assertThat(plan.times().longest())
        .isGreaterThanOrEqualTo(plan.times().least())
        .isLessThanOrEqualTo(bounds.longest());
    assertThat(plan.times().longest().toNanos())
        .as("a window that waits for enough changes does not idle")
        .isLessThanOrEqualTo(
            Math.max(plan.times().least().toNanos() * 3 / 2 + 1, bounds.goal().toNanos()));
    assertThat((plan.changes() - 1) * load.bytesPerChange())
        .as("what arrives in the least time fits into memory")
        .isLessThanOrEqualTo(bounds.memory().bytes());
  }

  @Property
  void inStepTheOldestChangeIsPlannedWithinTheGoal(
      @ForAll("loads") WindowLoad measured, @ForAll("bounds") AutoBounds bounds) {
    WindowLoad load = behind(measured, Duration.ZERO);
    double least = seconds(AutoPolicy.choose(load, bounds).times().least());
    double applied = seconds(load.fixed()) + load.utilization() * least;
    if (least > 0) {
      assertThat(least + applied).isLessThanOrEqualTo(seconds(bounds.goal()));
    }
  }

  @Property
  void inStepAWindowStaysOpenForNoLongerThanItsFixedCostIsWorth(
      @ForAll("loads") WindowLoad measured, @ForAll("bounds") AutoBounds bounds) {
    WindowLoad load = behind(measured, Duration.ZERO);
    double left = 1 - Math.min(load.utilization(), 0.95);
    assertThat(seconds(AutoPolicy.choose(load, bounds).times().least()))
        .isLessThanOrEqualTo(seconds(load.fixed()) / (0.02 * left) + 1e-6);
  }

  @Property
  void theFurtherBehindTheLargerTheWindows(
      @ForAll("loads") WindowLoad measured,
      @ForAll("bounds") AutoBounds bounds,
      @ForAll("lags") Duration lag,
      @ForAll("lags") Duration more) {
    WindowPlan less = AutoPolicy.choose(behind(measured, lag), bounds);
    WindowPlan further = AutoPolicy.choose(behind(measured, lag.plus(more)), bounds);
    assertThat(further.times().least()).isGreaterThanOrEqualTo(less.times().least());
  }

  @Property
  void aTighterGoalMakesNoWindowLonger(
      @ForAll("loads") WindowLoad measured, @ForAll("bounds") AutoBounds bounds) {
    WindowLoad load = behind(measured, Duration.ZERO);
    AutoBounds tighter =
        new AutoBounds(bounds.goal().dividedBy(2), bounds.longest(), bounds.memory());
    assertThat(AutoPolicy.choose(load, tighter).times().least())
        .isLessThanOrEqualTo(AutoPolicy.choose(load, bounds).times().least());
  }

  @Property
  void theStartKeepsToItsBoundsToo(@ForAll("bounds") AutoBounds bounds) {
    WindowPlan plan = AutoPolicy.start(bounds);
    assertThat(plan.reason()).isEqualTo(Reason.START);
    assertThat(plan.times().longest()).isLessThanOrEqualTo(bounds.longest());
  }

  @Property
  void theFiguresArePrintedForEveryPlan(
      @ForAll("loads") WindowLoad load, @ForAll("bounds") AutoBounds bounds) {
    assertThat(AutoPolicy.choose(load, bounds).toString())
        .startsWith("window ")
        .contains("/s, fixed cost ", " ms, ", " µs a change, goal ")
        .doesNotContain("NaN", "Infinity");
  }

  @Provide
  Arbitrary<WindowLoad> loads() {
    return Combinators.combine(
            Arbitraries.doubles().between(0, 500_000).ofScale(3),
            Arbitraries.doubles().between(1, 1000).ofScale(3),
            Arbitraries.longs().between(0, 5_000_000_000L),
            Arbitraries.doubles().between(0, 1e-3).ofScale(9),
            Arbitraries.doubles().between(0, 100_000).ofScale(3),
            lags())
        .as(
            (changes, perTransaction, fixed, each, bytes, lag) ->
                new WindowLoad(
                    changes,
                    changes / perTransaction,
                    Duration.ofNanos(fixed),
                    each,
                    bytes,
                    lag,
                    Duration.ZERO));
  }

  @Provide
  Arbitrary<AutoBounds> bounds() {
    return Combinators.combine(
            Arbitraries.longs().between(50, 60_000),
            Arbitraries.longs().between(0, 120_000),
            Arbitraries.longs().between(1, 2_000_000_000))
        .as(
            (goal, longest, memory) ->
                new AutoBounds(
                    Duration.ofMillis(goal), Duration.ofMillis(longest), DataSize.ofBytes(memory)));
  }

  @Provide
  Arbitrary<Duration> lags() {
    return Arbitraries.longs().between(0, 1_000_000).map(Duration::ofMillis);
  }

  private static WindowLoad behind(WindowLoad load, Duration lag) {
    return new WindowLoad(
        load.changesPerSecond(),
        load.transactionsPerSecond(),
        load.fixed(),
        load.perChange(),
        load.bytesPerChange(),
        lag,
        Duration.ZERO);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
