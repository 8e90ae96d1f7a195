package dev.sluice.sink.window.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for every window at every time, in both modes. */
final class WindowPolicyPropertiesTest {
  private static final Instant OPENED = Instant.parse("2026-01-01T00:00:00Z");
  private static final long ENOUGH = 3;

  /** A window, looked at some time after it was opened. */
  record Look(WindowPolicy policy, boolean batch, WindowState window, Instant now) {
    Optional<CloseReason> decide() {
      return policy.decide(window, now);
    }

    Instant leastEnds() {
      Instant last = window.lastWithChanges();
      return (last == null ? OPENED : last).plus(window.times().least());
    }

    Duration age() {
      return Duration.between(OPENED, now);
    }
  }

  @Property
  void theReasonIsTheFirstOfTheListThatHolds(@ForAll("looks") Look look) {
    WindowState window = look.window();
    Optional<CloseReason> expected = Optional.empty();
    boolean enough = (look.batch() ? window.netChanges() : window.changes()) >= ENOUGH;
    boolean afterLeast =
        !look.now().isBefore(look.leastEnds())
            || window.span().compareTo(window.times().least()) >= 0;
    if (window.barrier()) {
      expected = Optional.of(CloseReason.BARRIER);
    } else if (window.full()) {
      expected = Optional.of(CloseReason.MEMORY);
    } else if (!window.applierIdle()) {
      boolean forAll = 10 * window.changes() >= ENOUGH * window.tables();
      expected =
          look.batch() || !enough || !forAll ? Optional.empty() : Optional.of(CloseReason.READY);
    } else if (look.age().compareTo(window.times().longest()) >= 0) {
      expected = Optional.of(CloseReason.MAX_TIME);
    } else if (afterLeast && enough) {
      expected = Optional.of(CloseReason.READY);
    } else if (afterLeast && look.batch() && window.caughtUp()) {
      expected = Optional.of(CloseReason.CAUGHT_UP);
    }
    assertThat(look.decide()).isEqualTo(expected);
  }

  @Property
  void theAnswerHoldsUntilTheNextDecisionAndChangesThere(@ForAll("looks") Look look) {
    Optional<Duration> next = look.policy().nextDecisionIn(look.window(), look.now());
    if (look.decide().isPresent()) {
      assertThat(next).contains(Duration.ZERO);
    } else if (next.isPresent()) {
      Instant due = look.now().plus(next.get());
      assertThat(look.policy().decide(look.window(), due.minusNanos(1))).isEmpty();
      boolean onlyMayBegin = due.equals(look.leastEnds());
      if (!onlyMayBegin) {
        assertThat(look.policy().decide(look.window(), due)).isPresent();
      }
    } else {
      assertThat(look.policy().decide(look.window(), look.now().plus(Duration.ofDays(1))))
          .as("time alone closes nothing")
          .isEmpty();
    }
  }

  @Property
  void whatIsDueStaysDue(@ForAll("looks") Look look) {
    if (look.decide().isPresent()) {
      assertThat(look.policy().decide(look.window(), look.now().plusSeconds(60))).isPresent();
    }
  }

  @Provide
  Arbitrary<Look> looks() {
    Arbitrary<Duration> times = Arbitraries.of(0L, 1L, 2L, 5L, 10L).map(Duration::ofMillis);
    Arbitrary<WindowTimes> pairs =
        Combinators.combine(times, times)
            .as((least, more) -> new WindowTimes(least, least.plus(more)));
    Arbitrary<WindowState> windows =
        Combinators.combine(
                pairs,
                Arbitraries.longs().between(-1, 6).map(Duration::ofMillis),
                Arbitraries.longs().between(1, 5),
                Arbitraries.longs().between(0, 5),
                Arbitraries.integers().between(0, 31),
                Arbitraries.integers().between(1, 25),
                Arbitraries.longs().between(0, 12).map(OPENED::minusMillis).injectNull(0.3))
            .as(
                (pair, span, changes, net, flags, tables, last) ->
                    new WindowState(
                        false,
                        flags % 8 == 7,
                        flags % 8 == 6,
                        pair,
                        OPENED,
                        span,
                        changes,
                        Math.min(changes, net),
                        tables,
                        (flags & 8) == 0,
                        (flags & 16) == 0,
                        OPENED,
                        last));
    return Combinators.combine(
            Arbitraries.of(true, false), windows, Arbitraries.longs().between(0, 20_000_000))
        .as(
            (batch, window, age) ->
                new Look(
                    batch ? WindowPolicy.batch(ENOUGH) : WindowPolicy.transactional(ENOUGH),
                    batch,
                    window,
                    OPENED.plusNanos(age - age % 500_000)));
  }
}
