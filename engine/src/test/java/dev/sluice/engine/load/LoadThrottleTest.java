package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.LoadLimits;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LoadThrottleTest {

  @Test
  void fewRowsGoAtOnceForAsLongAsRowsAreLimited() {
    AtomicReference<LoadLimits> limits = new AtomicReference<>(LoadLimits.NONE);
    LoadThrottle throttle = new LoadThrottle(limits::get, Clock.systemUTC());
    assertThat(throttle.rowsAtOnce()).isEqualTo(Integer.MAX_VALUE);

    limits.set(new LoadLimits(1_000, 0));
    assertThat(throttle.rowsAtOnce()).isEqualTo(100);

    limits.set(new LoadLimits(0, 1_000));
    assertThat(throttle.rowsAtOnce()).isEqualTo(Integer.MAX_VALUE);
  }
}
