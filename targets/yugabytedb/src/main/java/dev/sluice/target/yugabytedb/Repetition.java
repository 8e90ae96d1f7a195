package dev.sluice.target.yugabytedb;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.sink.target.postgres.SessionTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * In READ COMMITTED each statement sees what is committed when it begins. So a transaction that has
 * only read, and holds no locks, is as good as a new one. If the answer is missing or uncertain,
 * nothing is repeated. Nor is DDL repeated: a part of it may have been executed, and only the
 * caller can tell what is there then.
 */
/** Decides when a session's statement is repeated. Used by the session's thread. */
final class Repetition {
  private static final Logger LOG = LoggerFactory.getLogger(Repetition.class);

  private static final Set<String> REPEATABLE =
      Set.of("select", "with", "insert", "update", "delete", "show", "set", "reset", "close");

  private static final Pattern FIRST_WORD = Pattern.compile("\\s*\\(?\\s*(\\w+)");

  /** Functions and clauses by which a query changes its transaction or its session. */
  private static final Pattern EFFECT =
      Pattern.compile(
          "\\bfor\\s+(no\\s+key\\s+update|update|share|key\\s+share)\\b"
              + "|\\binto\\b|advisory|set_config|setval|nextval|\\blo_|\\binsert\\b|\\bupdate\\b"
              + "|\\bdelete\\b|pg_cancel|pg_terminate|txid_current|;",
          Pattern.CASE_INSENSITIVE);

  private final Connection driver;
  private final SessionTransaction transaction;

  /** Whether the open transaction has only read, and has no open result. */
  private volatile boolean onlyRead;

  Repetition(Connection driver) throws SQLException {
    this.driver = driver;
    this.transaction = SessionTransaction.of(driver);
  }

  /** Sends a statement, and returns the server's answer. */
  interface Sending<T> {
    T send() throws SQLException;
  }

  /** Notes that a statement may have been sent without this class. */
  void passedBy() {
    onlyRead = false;
  }

  /**
   * Sends a statement, and repeats it if that is safe.
   *
   * @param streamed whether rows are fetched while the transaction is open
   */
  <T> T run(String sql, boolean streamed, Sending<T> sending) throws SQLException {
    boolean first = transaction.isNone();
    boolean mayRepeat = (first || isReading()) && REPEATABLE.contains(firstWord(sql));
    Retries retries = mayRepeat ? new Retries(RetryPolicy.OVERTAKEN, new MonotonicClock()) : null;
    while (true) {
      try {
        T answer = sending.send();
        onlyRead = (first || onlyRead) && isRead(sql, streamed);
        return answer;
      } catch (SQLException e) {
        if (retries == null
            || !YugabyteErrors.isUndone(e)
            || retries.failed().isEmpty()
            || !isAwaited(retries)) {
          onlyRead = false;
          throw e;
        }
        LOG.debug("sent again: {}", e.getMessage());
        if (!driver.getAutoCommit()) {
          driver.rollback();
        }
      }
    }
  }

  private boolean isReading() {
    return onlyRead && transaction.isAlive();
  }

  /** Whether a statement only reads, in a transaction that the driver has begun and will end. */
  private boolean isRead(String sql, boolean streamed) throws SQLException {
    return !streamed
        && !driver.getAutoCommit()
        && firstWord(sql).equals("select")
        && !EFFECT.matcher(sql).find();
  }

  private static String firstWord(String sql) {
    Matcher word = FIRST_WORD.matcher(sql);
    return word.lookingAt() ? word.group(1).toLowerCase(Locale.ROOT) : "";
  }

  private static boolean isAwaited(Retries retries) {
    try {
      retries.await();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
