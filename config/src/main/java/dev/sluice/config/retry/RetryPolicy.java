package dev.sluice.config.retry;

import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.Optional;

/**
 * Retry policy after recoverable errors, with the meaning of DMS's RecoverableError settings.
 * Immutable, pure.
 *
 * @param count number of retries; -1 is unlimited, 0 is none
 * @param interval the wait before the first retry
 * @param throttling true if each wait is twice the previous one
 * @param throttlingMax the longest wait
 * @param stopAfterThrottlingMax true to give up after the first wait of that length
 */
public record RetryPolicy(
    int count,
    Duration interval,
    boolean throttling,
    Duration throttlingMax,
    boolean stopAfterThrottlingMax) {

  /** Unlimited retries after 5, 10, 20 … seconds, at most half an hour. */
  public static final RetryPolicy DEFAULTS =
      new RetryPolicy(-1, Duration.ofSeconds(5), true, Duration.ofMinutes(30), false);

  /** A few tries within seconds, for a step that others wait for. */
  public static final RetryPolicy FEW =
      new RetryPolicy(4, Duration.ofMillis(500), true, Duration.ofSeconds(15), false);

  /** Some tries within a second, for work that another transaction has overtaken. */
  public static final RetryPolicy OVERTAKEN =
      new RetryPolicy(6, Duration.ofMillis(10), true, Duration.ofSeconds(1), false);

  /** Unlimited retries, all after the same wait. */
  public static RetryPolicy every(Duration interval) {
    return new RetryPolicy(-1, interval, false, interval, false);
  }

  /** The policy in the task settings. */
  public static RetryPolicy of(TaskSettings settings) {
    return new RetryPolicy(
        settings.get(ErrorBehavior.RECOVERABLE_ERROR_COUNT),
        settings.get(ErrorBehavior.RECOVERABLE_ERROR_INTERVAL),
        settings.get(ErrorBehavior.RECOVERABLE_ERROR_THROTTLING),
        settings.get(ErrorBehavior.RECOVERABLE_ERROR_THROTTLING_MAX),
        settings.get(ErrorBehavior.RECOVERABLE_ERROR_STOP_RETRY_AFTER_THROTTLING_MAX));
  }

  /**
   * How long to wait before the next try; empty if there is none.
   *
   * @param failures number of failures in a row, at least 1
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
