package dev.sluice.config.retry;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Waits until something holds by looking at it at an interval. Threadsafe; the caller's thread
 * looks and sleeps.
 */
public final class Polling {

  /** Looks once. */
  @FunctionalInterface
  public interface Look<T, E extends Exception> {
    T look() throws E;
  }

  /** Sleeps between two looks. */
  @FunctionalInterface
  interface Sleep {
    void sleep(Duration time) throws InterruptedException;
  }

  private static final Duration WITHOUT_LIMIT = Duration.ofDays(365_000);

  private final Duration interval;
  private final Clock clock;
  private final Sleep sleep;

  private Polling(Duration interval, Clock clock, Sleep sleep) {
    this.interval = interval;
    this.clock = clock;
    this.sleep = sleep;
  }

  public static Polling every(Duration interval) {
    return every(interval, new MonotonicClock());
  }

  /**
   * @param clock by which a timeout has passed
   */
  public static Polling every(Duration interval, Clock clock) {
    return new Polling(interval, clock, time -> Thread.sleep(time.toMillis()));
  }

  static Polling of(Duration interval, Clock clock, Sleep sleep) {
    return new Polling(interval, clock, sleep);
  }

  /** Waits without a limit until the look gives true. */
  public <E extends Exception> void until(Look<Boolean, E> look) throws E, InterruptedException {
    until(WITHOUT_LIMIT, look, holds -> holds);
  }

  /** Waits without a limit until the look gives a value. */
  public <T, E extends Exception> T untilPresent(Look<Optional<T>, E> look)
      throws E, InterruptedException {
    return until(WITHOUT_LIMIT, look, Optional::isPresent).orElseThrow();
  }

  /** Waits until the look gives true. Returns false if the time has passed before. */
  public <E extends Exception> boolean until(Duration timeout, Look<Boolean, E> look)
      throws E, InterruptedException {
    return until(timeout, look, holds -> holds);
  }

  /**
   * Waits until a look gives what is enough. Looks once at least.
   *
   * @return what is enough; or what the last look gave, when the time has passed
   */
  public <T, E extends Exception> T until(
      Duration timeout, Look<T, E> look, Predicate<? super T> enough)
      throws E, InterruptedException {
    Instant deadline = clock.instant().plus(timeout);
    while (true) {
      T seen = look.look();
      if (enough.test(seen) || clock.instant().isAfter(deadline)) {
        return seen;
      }
      sleep.sleep(interval);
    }
  }

  /**
   * Waits until the look gives true. For a thread that is interrupted only if the task ends.
   *
   * @param what is waited for, for the message
   * @return false if the time has passed before
   * @throws SluiceException.Retryable if the thread is interrupted; it stays so
   */
  public <E extends Exception> boolean waitFor(String what, Duration timeout, Look<Boolean, E> look)
      throws E {
    return waitFor(what, timeout, look, holds -> holds);
  }

  /**
   * Waits until a look gives what is enough. For a thread that is interrupted only if the task
   * ends.
   *
   * @param what is waited for, for the message
   * @return what is enough; or what the last look gave, when the time has passed
   * @throws SluiceException.Retryable if the thread is interrupted; it stays so
   */
  public <T, E extends Exception> T waitFor(
      String what, Duration timeout, Look<T, E> look, Predicate<? super T> enough) throws E {
    try {
      return until(timeout, look, enough);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("waiting for " + what + " was interrupted", e);
    }
  }

  /**
   * Waits until a look gives what is enough, also if the thread is interrupted: the interrupt is
   * for what comes after.
   *
   * @return what is enough; or what the last look gave, when the time has passed
   */
  public <T, E extends Exception> T untilUninterrupted(
      Duration timeout, Look<T, E> look, Predicate<? super T> enough) throws E {
    Instant deadline = clock.instant().plus(timeout);
    boolean interrupted = false;
    try {
      while (true) {
        T seen = look.look();
        if (enough.test(seen) || clock.instant().isAfter(deadline)) {
          return seen;
        }
        try {
          sleep.sleep(interval);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits without a limit until the look gives true, also if the thread is interrupted. */
  public <E extends Exception> void untilUninterrupted(Look<Boolean, E> look) throws E {
    untilUninterrupted(WITHOUT_LIMIT, look, holds -> holds);
  }
}
