package dev.sluice.config.retry;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The failures in a row of one activity, and when it is tried again: after the wait that the policy
 * says, or at once by command. Owned by one thread, which waits for the next try or asks whether it
 * is due.
 */
public final class Retries {

  /** How long a command or a stop may go unnoticed in {@link #await}. */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  /** What a server does not explain is tried again for so long, and so often, at least. */
  private static final Duration UNEXPLAINED_FOR = Duration.ofMinutes(5);

  private static final int UNEXPLAINED_TRIES = 5;

  /** Waits for a part of the time until the next try. */
  @FunctionalInterface
  public interface Pause {
    /**
     * Waits.
     *
     * @param longest at least one millisecond; it may return earlier
     * @return true if there is to be no next try, since a stop was requested
     */
    boolean await(Duration longest) throws InterruptedException;
  }

  private final RetryPolicy policy;
  private final RetryRequests requests;
  private final Clock clock;

  private int failures;

  /** Failures in a row that no server has explained, and when the first of them came. */
  private int unexplained;

  private Instant unexplainedSince = Instant.EPOCH;
  private Instant due = Instant.EPOCH;
  private long requestsBefore;

  /**
   * @param requests the commands to retry at once
   * @param clock one that never goes back
   */
  public Retries(RetryPolicy policy, RetryRequests requests, Clock clock) {
    this.policy = policy;
    this.requests = requests;
    this.clock = clock;
  }

  /** Retries that no command can hasten. */
  public Retries(RetryPolicy policy, Clock clock) {
    this(policy, new RetryRequests(), clock);
  }

  /** Counts a failure. Returns the wait before the next try; empty if there is none. */
  public Optional<Duration> failed() {
    failures++;
    Optional<Duration> wait = policy.waitAfter(failures);
    if (wait.isPresent()) {
      due = clock.instant().plus(wait.get());
      requestsBefore = requests.count();
    }
    return wait;
  }

  /**
   * Counts a failure by its kind. Returns the wait before the next try; empty if there is none.
   *
   * @throws SluiceException.Fatal if a server has failed without a known reason for too long
   */
  public Optional<Duration> failed(SluiceException failure) {
    Instant now = clock.instant();
    if (!(failure instanceof SluiceException.Unexplained)) {
      unexplained = 0;
    } else if (unexplained++ == 0) {
      unexplainedSince = now;
    }
    Duration lasted = Duration.between(unexplainedSince, now);
    if (unexplained >= UNEXPLAINED_TRIES && lasted.compareTo(UNEXPLAINED_FOR) >= 0) {
      throw new SluiceException.Fatal(
          "given up after %s in a row within %d s, with an error that is not known to pass: %s. Nothing was skipped. Remove the cause on the server, then start again: it continues there"
              .formatted(
                  Counted.of(unexplained, "failure"), lasted.toSeconds(), failure.getMessage()),
          failure);
    }
    return failed();
  }

  /** The next failure counts as the first in a row. */
  public void succeeded() {
    failures = 0;
    unexplained = 0;
  }

  /** The same, but not among the failures that no server has explained. */
  public void ranWell() {
    failures = 0;
  }

  /** Failures in a row. */
  public int failures() {
    return failures;
  }

  /** The time of the next try, in whole seconds. */
  public Instant nextTry() {
    return due.truncatedTo(ChronoUnit.SECONDS);
  }

  /** Text for the status: a problem, and the time of the next try. */
  public String words(String problem) {
    return "%s; next try at %s, or at once by sluice retry".formatted(problem, nextTry());
  }

  /** Whether the wait has passed, or a command requests the next try. */
  public boolean isDue() {
    return !clock.instant().isBefore(due) || requests.count() != requestsBefore;
  }

  /** Waits for the next try. */
  public void await() throws InterruptedException {
    await(
        time -> {
          Thread.sleep(time.toMillis());
          return false;
        });
  }

  /** Waits for the next try. Returns false if there is to be none, since a stop was requested. */
  public boolean await(Pause pause) throws InterruptedException {
    while (!isDue()) {
      long left = Duration.between(clock.instant(), due).toMillis();
      long longest = Math.max(1, Math.min(left, POLL_INTERVAL.toMillis()));
      if (pause.await(Duration.ofMillis(longest))) {
        return false;
      }
    }
    return true;
  }
}
