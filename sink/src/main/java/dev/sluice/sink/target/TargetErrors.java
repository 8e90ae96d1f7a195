package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Classifies errors of one kind of target. What follows from a {@link TargetFault} is the same for
 * every kind. Stateless, threadsafe.
 */
public interface TargetErrors {

  /** What the error means. */
  TargetFault faultOf(SQLException error);

  /**
   * Whether the error, a {@link TargetFault#TRANSACTION_CONFLICT conflict}, is a lock timeout, so
   * that the server has already waited.
   */
  default boolean isLockTimeout(SQLException error) {
    return false;
  }

  /**
   * Whether the session can be used again after a rollback, for a temporary error that is no
   * conflict: the error came from another server than the session's.
   */
  default boolean leavesSession(SQLException error) {
    return false;
  }

  /** The target's message on one line, without the driver's additions. */
  String textOf(SQLException error);

  /** How to get the right that the user lacks. */
  String fixOfMissingRight(SQLException error);

  /**
   * Classifies an error.
   *
   * @param attempted what was done and on what, such as {@code insert into public.orders}
   */
  default SluiceException classify(String attempted, SQLException error) {
    TargetFault fault = faultOf(error);
    String message =
        "could not %s: %s (SQLSTATE %s)"
            .formatted(
                attempted, textOf(error), error.getSQLState() == null ? "" : error.getSQLState());
    if (fault == TargetFault.INTERNAL) {
      return new SluiceException.Unexplained(message, error);
    }
    if (fault.mayPass()) {
      return new SluiceException.Retryable(message, error);
    }
    if (fault == TargetFault.MISSING_RIGHT) {
      return new SluiceException.Fatal(message + ". " + fixOfMissingRight(error), error);
    }
    return fault.isOfChange()
        ? new SluiceException.Data(message, error)
        : new SluiceException.Fatal(message, error);
  }

  /**
   * The same for DDL: if the target rejects the definition, that is an error of the table and not
   * fatal.
   */
  default SluiceException classifyDefinition(String attempted, SQLException error) {
    SluiceException classified = classify(attempted, error);
    return faultOf(error).rejectsDefinition()
        ? new SluiceException.Data(classified.getMessage(), error)
        : classified;
  }

  /** What the target's error behind a failure means; empty if the target raised no error. */
  default Optional<TargetFault> faultOf(SluiceException failure) {
    return failure.getCause() instanceof SQLException error && error.getSQLState() != null
        ? Optional.of(faultOf(error))
        : Optional.empty();
  }

  /** The SQLSTATE of a failure, for reports; empty if the target raised no error. */
  static String stateOf(SluiceException failure) {
    return failure.getCause() instanceof SQLException error && error.getSQLState() != null
        ? error.getSQLState()
        : "";
  }
}
