package dev.sluice.connector.postgres.server;

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
 * Who waits for a strong lock holds up everybody who comes after, also those that go well together
 * with who has it. So an attempt is shorter than an application notices, and the pause between two
 * lets all through who came meanwhile.
 */
/**
 * Runs statements that lock what the application uses: in short attempts, until the locks are free
 * or the time is up. Each use is from one thread.
 */
public final class LockAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(LockAttempts.class);

  private static final Duration BUDGET = Duration.ofSeconds(30);

  /** For one lock. */
  private static final Duration LOCK = Duration.ofMillis(200);

  /** For a statement with all its locks; doubled where it took longer. */
  private static final Duration STATEMENT = Duration.ofSeconds(1);

  /**
   * Between two statements of a transaction. A daemon whose machine stands still keeps its
   * sessions, and what they have locked.
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

  /** What is tried, possibly several times. */
  @FunctionalInterface
  public interface Work {
    void run() throws SQLException;
  }

  /**
   * Runs it, and again where a lock was not to be had.
   *
   * @param attempted what is being done, in words
   * @param connection that the work uses: a failed attempt is rolled back, and the limits stay on
   *     it
   * @throws SluiceException.Retryable where the time is up, naming the sessions that are in the way
   */
  public void run(String attempted, Connection connection, Work work) throws SQLException {
    long start = System.nanoTime();
    Duration statement = STATEMENT;
    Duration pause = SHORTEST_PAUSE;
    while (true) {
      SQLException failure;
      LockHolders holders = LockHolders.of(server, connection);
      try (holders) {
        limit(connection, statement);
        work.run();
        return;
      } catch (SQLException e) {
        failure = e;
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      // It waited less for each lock than it may, so it may just have much to do.
      boolean worked =
          STATEMENT_TIMED_OUT.equals(failure.getSQLState())
              && statement.compareTo(LONGEST_STATEMENT) < 0;
      if (worked) {
        statement = shorter(statement.multipliedBy(2), LONGEST_STATEMENT);
      } else if (!LOCKED.contains(failure.getSQLState())) {
        throw failure;
      }
      if (!worked && System.nanoTime() - start >= budget.toNanos()) {
        throw new SluiceException.Retryable(problem(attempted, holders.seen()).toString(), failure);
      }
      LOG.debug("{}: locked by {}; again after {}", attempted, holders.seen(), pause);
      sleep(pause);
      pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
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
        "the lock was not to be had in %d s of short attempts; in the way: %s"
            .formatted(
                budget.toSeconds(), holders.isEmpty() ? "nobody who could be seen" : holders),
        "that their transactions end",
        "It is tried again by itself, and nobody waits for Sluice meanwhile; see what keeps these"
            + " transactions open");
  }

  /** Each time another one, so that two who wait for each other do not meet again. */
  private static void sleep(Duration pause) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(pause.toMillis() / 2, pause.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("interrupted while waiting for a lock", e);
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
