package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.sql.SQLException;

/** Classifies a failure of the source as retryable or fatal for the task. */
public final class SourceFailures {
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String UNDEFINED_SCHEMA = "3F000";

  private SourceFailures() {}

  /**
   * @param attempted what was done, for the message, such as {@code reading the source's catalog}
   */
  public static SluiceException classify(String attempted, SQLException error) {
    String message = attempted + " failed: " + error.getMessage();
    return mayPass(error)
        ? new SluiceException.Retryable(message, error)
        : new SluiceException.Fatal(message, error);
  }

  /**
   * Classifies the failure of a statement that names tables. If one was dropped or renamed since
   * the catalog was read, the catalog is read again.
   *
   * @param attempted what was done, for the message
   */
  public static SluiceException classifyOnNamedTables(String attempted, SQLException error) {
    String state = error.getSQLState();
    boolean gone = UNDEFINED_TABLE.equals(state) || UNDEFINED_SCHEMA.equals(state);
    return gone
        ? new SluiceException.Overtaken(
            attempted + ": a table was dropped or renamed meanwhile: " + error.getMessage(), error)
        : classify(attempted, error);
  }

  /** Classifies the failure of a capture by its innermost known cause. */
  public static SluiceException classifyCapture(Throwable error) {
    SQLException sql = null;
    boolean connectionBroke = false;
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SluiceException known) {
        return known;
      }
      if (cause instanceof SQLException found) {
        sql = found;
      }
      connectionBroke |= cause instanceof IOException;
    }
    if (sql != null) {
      return classify("reading the source's log", sql);
    }
    String message = "reading the source's log failed: " + innermost(error).getMessage();
    return connectionBroke
        ? new SluiceException.Retryable(message, error)
        : new SluiceException.Fatal(message, error);
  }

  private static Throwable innermost(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /**
   * What is retryable for the load, too; a slot that is still in use; and errors without a state.
   */
  private static boolean mayPass(SQLException error) {
    String state = error.getSQLState();
    return state == null || state.equals("55006") || SourceErrors.isRetryable(error);
  }
}
