package dev.sluice.sink.target;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats complete work on the target a few times after conflicts with other transactions.
 * Stateless.
 */
public final class RepeatedTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedTransaction.class);

  private RepeatedTransaction() {}

  /**
   * Work that keeps nothing from an earlier try, and leaves nothing on the target after a conflict.
   */
  public interface Work<T> {
    T run() throws SQLException;
  }

  /** Work that returns nothing. */
  public interface Task {
    void run() throws SQLException;
  }

  /** Runs the work; the last failure is thrown. */
  public static <T> T of(TargetErrors errors, Work<T> work) throws SQLException {
    return of(errors, new MonotonicClock(), work);
  }

  static <T> T of(TargetErrors errors, Clock clock, Work<T> work) throws SQLException {
    OvertakenTries tries = new OvertakenTries(clock);
    while (true) {
      try {
        return work.run();
      } catch (SQLException e) {
        if (!isAgain(errors, e, tries)) {
          throw e;
        }
      } catch (SluiceException.Retryable e) {
        if (!(e.getCause() instanceof SQLException cause) || !isAgain(errors, cause, tries)) {
          throw e;
        }
      }
    }
  }

  /** The same for work that returns nothing. */
  public static void run(TargetErrors errors, Task task) throws SQLException {
    of(
        errors,
        () -> {
          task.run();
          return null;
        });
  }

  /**
   * Whether a conflict with another transaction is the reason, so that the session can be used
   * again after a rollback.
   */
  public static boolean isOvertaken(TargetErrors errors, SluiceException failure) {
    return failure instanceof SluiceException.Retryable
        && failure.getCause() instanceof SQLException cause
        && errors.faultOf(cause) == TargetFault.TRANSACTION_CONFLICT;
  }

  private static boolean isAgain(TargetErrors errors, SQLException failure, OvertakenTries tries) {
    if (errors.faultOf(failure) != TargetFault.TRANSACTION_CONFLICT
        || !tries.failed(errors.isLockTimeout(failure))) {
      return false;
    }
    LOG.debug("done again: {}", failure.getMessage());
    return tries.await();
  }
}
