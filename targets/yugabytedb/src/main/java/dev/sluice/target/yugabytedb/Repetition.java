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
 * only read, and holds nothing, is the same as a new one. An answer that does not come, or that may
 * be wrong, repeats nothing. Neither are definitions repeated: half of one may stay, and only its
 * owner understands what is there then.
 */
/** When a session's statement is sent again. Used by the session's thread. */
final class Repetition {
  private static final Logger LOG = LoggerFactory.getLogger(Repetition.class);

  private static final Set<String> REPEATABLE =
      Set.of("select", "with", "insert", "update", "delete", "show", "set", "reset", "close");

  private static final Pattern FIRST_WORD = Pattern.compile("\\s*\\(?\\s*(\\w+)");

  /** What a query leaves behind in its transaction or in its session. */
  private static final Pattern EFFECT =
      Pattern.compile(
          "\\bfor\\s+(no\\s+key\\s+update|update|share|key\\s+share)\\b"
              + "|\\binto\\b|advisory|set_config|setval|nextval|\\blo_|\\binsert\\b|\\bupdate\\b"
              + "|\\bdelete\\b|pg_cancel|pg_terminate|txid_current|;",
          Pattern.CASE_INSENSITIVE);

  private final Connection driver;
  private final SessionTransaction transaction;

  /** Whether the open transaction has only asked for what it does not need any more. */
  private volatile boolean onlyRead;

  Repetition(Connection driver) throws SQLException {
    this.driver = driver;
    this.transaction = SessionTransaction.of(driver);
  }

  /** Sends a statement, and returns the server's answer. */
  interface Sending<T> {
    T send() throws SQLException;
  }

  /** Something may have been sent that was not seen here. */
  void passedBy() {
    onlyRead = false;
  }

  /**
   * Sends a statement, also again.
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

  /** Of a transaction that the driver has begun, and that ends by its commit or its rollback. */
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
