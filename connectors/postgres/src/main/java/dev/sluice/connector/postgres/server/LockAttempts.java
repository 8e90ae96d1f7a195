package dev.sluice.connector.postgres.server;

import dev.sluice.config.Durations;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A session that waits for a strong lock blocks all later requests, also those that are compatible with
 * the lock's holder. So an attempt is too short for an application to notice, and the pause between
 * two attempts lets the blocked requests through.
 */
/**
 * Runs statements that lock the application's tables, in short attempts until the locks are free or
 * the time has passed. Each call is from one thread.
 *
 * <p>Has a loop of its own instead of {@code Retries}: what is bounded is the time and not the
 * count, a statement that only needs more time is no failure, and the pauses are random, so that
 * two waiting sessions do not collide again.
 */
public final class LockAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(LockAttempts.class);

  private static final Duration BUDGET = Duration.ofSeconds(30);

  /** Limit of waiting for one lock. */
  private static final Duration LOCK = Duration.ofMillis(200);

  /** Limit of a statement with all its locks; doubled each time it is exceeded without a lock. */
  private static final Duration STATEMENT = Duration.ofSeconds(1);

  /**
   * Limit between two statements of a transaction: the sessions of a frozen daemon, and their
   * locks, end after it.
   */
  private static final Duration STILL = Duration.ofSeconds(5);

  private static final Duration LONGEST_STATEMENT = Duration.ofMinutes(10);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

  private static final String STATEMENT_TIMED_OUT = "57014";
  private static final Set<String> LOCKED = Set.of("55P03", "40P01");

  private final SourceServer server;
  private final Duration budget;

  public LockAttempts(SourceServer server) {
    this(server, BUDGET);
  }

  public LockAttempts(SourceServer server, Duration budget) {
    this.server = server;
    this.budget = budget;
  }

  /** The work of an attempt; it may run several times. */
  @FunctionalInterface
  public interface Work {
    void run() throws SQLException;
  }

  /** What an attempt reads; it may run several times. */
  @FunctionalInterface
  public interface Reading<T> {
    T read() throws SQLException;
  }

  /** The same as {@link #read}, of work that has no result. */
  public void run(String attempted, Connection connection, Work work) throws SQLException {
    read(
        attempted,
        connection,
        () -> {
          work.run();
          return null;
        });
  }

  /**
   * Runs what is to be read, and repeats it if a lock was not free.
   *
   * @param attempted what is done, for messages
   * @param connection that the reading uses. A failed attempt is rolled back; the timeouts stay set
   *     on it
   * @throws SluiceException.Retryable when the time has passed, naming the sessions that hold the
   *     locks
   */
  public <T> T read(String attempted, Connection connection, Reading<T> reading)
      throws SQLException {
    long start = System.nanoTime();
    Duration statement = STATEMENT;
    Duration pause = SHORTEST_PAUSE;
    // Of the last attempt that saw any: the check may come too late for one of them.
    String seen = "";
    while (true) {
      SQLException failure;
      LockHolders holders = LockHolders.of(server, connection);
      try (holders) {
        limit(connection, statement);
        return reading.read();
      } catch (SQLException e) {
        failure = e;
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      seen = holders.seen().isEmpty() ? seen : holders.seen();
      // No lock timed out, so the statement may only need more time.
      boolean worked =
          STATEMENT_TIMED_OUT.equals(failure.getSQLState())
              && statement.compareTo(LONGEST_STATEMENT) < 0;
      if (worked) {
        statement = Durations.shorter(statement.multipliedBy(2), LONGEST_STATEMENT);
      } else if (!LOCKED.contains(failure.getSQLState())) {
        throw failure;
      }
      if (!worked && System.nanoTime() - start >= budget.toNanos()) {
        throw new SluiceException.Retryable(problem(attempted, seen).toString(), failure);
      }
      LOG.debug("{}: locked by {}; next attempt after up to {}", attempted, seen, pause);
      sleep(pause);
      pause = Durations.shorter(pause.multipliedBy(2), LONGEST_PAUSE);
    }
  }

  private static void limit(Connection connection, Duration whole) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = " + LOCK.toMillis());
      statement.execute("SET statement_timeout = " + whole.toMillis());
      statement.execute("SET idle_in_transaction_session_timeout = " + STILL.toMillis());
    }
  }

  private Problem problem(String attempted, String holders) {
    return new Problem(
        attempted,
        "the lock was not free in %d s of short attempts; held by: %s"
            .formatted(
                budget.toSeconds(), holders.isEmpty() ? "no session that was seen" : holders),
        "a lock that becomes free when these transactions end",
        "Find out what keeps these transactions open; Sluice retries, and blocks no other session"
            + " meanwhile");
  }

  /** Sleeps for a random part of the pause, so that two waiting sessions do not collide again. */
  private static void sleep(Duration pause) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(pause.toMillis() / 2, pause.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("interrupted while waiting for a lock", e);
    }
  }
}
