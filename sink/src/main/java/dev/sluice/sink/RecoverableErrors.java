package dev.sluice.sink;

import dev.sluice.config.settings.ErrorBehavior;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.Optional;

/**
 * DMS's RecoverableError settings: how often and after which waits a failed environment is tried
 * again. Immutable, pure.
 *
 * @param count tries again; -1 is for ever, 0 never
 * @param interval the first wait
 * @param throttling whether each wait is twice the one before
 * @param throttlingMax the longest wait
 * @param stopAfterThrottlingMax whether to give up after the first wait of that length
 */
public record RecoverableErrors(
    int count,
    Duration interval,
    boolean throttling,
    Duration throttlingMax,
    boolean stopAfterThrottlingMax) {

  /** For ever, after 5, 10, 20 … seconds, half an hour at most. */
  public static final RecoverableErrors DEFAULTS =
      new RecoverableErrors(-1, Duration.ofSeconds(5), true, Duration.ofMinutes(30), false);

  /** As the task settings say. */
  public static RecoverableErrors of(ErrorBehavior errors) {
    return new RecoverableErrors(
        errors.recoverableErrorCount(),
        errors.recoverableErrorInterval(),
        errors.recoverableErrorThrottling(),
        errors.recoverableErrorThrottlingMax(),
        errors.recoverableErrorStopRetryAfterThrottlingMax());
  }

  /**
   * How long to wait before another try; empty where there is none.
   *
   * @param failures failures in a row, at least 1
   */
  public Optional<Duration> waitAfter(int failures) {
    if (count >= 0 && failures > count) {
      return Optional.empty();
    }
    if (throttling && stopAfterThrottlingMax && failures > 1) {
      boolean lastWasLongest = wait(failures - 1).compareTo(throttlingMax) >= 0;
      if (lastWasLongest) {
        return Optional.empty();
      }
    }
    return Optional.of(wait(failures));
  }

  private Duration wait(int failures) {
    IntervalFunction waits =
        throttling
            ? IntervalFunction.ofExponentialBackoff(interval, 2.0, throttlingMax)
            : IntervalFunction.of(interval);
    return Duration.ofMillis(waits.apply(failures));
  }
}
