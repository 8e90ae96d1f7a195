package dev.sluice.engine.cutover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.FastClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OwnWorkTest {
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final FastClock clock = new FastClock(Duration.ZERO);
  private Duration paused = Duration.ZERO;

  private final OwnWork work =
      new OwnWork(
          clock,
          pause -> {
            paused = paused.plus(pause);
            clock.pass(pause);
          });

  @Test
  void mostOfTheTimeNothingIsLockedAndTheLastLookBeginsAfterHalfAMinute() throws Exception {
    Duration looked = Duration.ZERO;
    do {
      clock.pass(LOOK);
      looked = looked.plus(LOOK);
    } while (work.after(LOOK));
    assertThat(looked).isGreaterThanOrEqualTo(LOOK.multipliedBy(3));
    assertThat(paused).isGreaterThan(looked.multipliedBy(2));
    assertThat(looked.plus(paused)).isEqualTo(Duration.ofSeconds(30).plus(LOOK));
  }

  @Test
  void aLookThatTakesLongIsRepeatedToo() throws Exception {
    Duration look = Duration.ofSeconds(9);
    clock.pass(look);
    assertThat(work.after(look)).isTrue();
    assertThat(paused).isGreaterThan(look.multipliedBy(2));
    clock.pass(look);
    assertThat(work.after(look)).isFalse();
  }

  @Test
  void onlyALookThatWasInVainHoldsUpTheWindows() throws Exception {
    assertThat(work.isHeldUp()).isFalse();
    assertThat(work.after(LOOK)).isTrue();
    assertThat(work.isHeldUp()).isTrue();
  }
}
