package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** Tells what kind of failure the target reported, by its SQLSTATE. Stateless. */
public final class TargetErrors {
  private static final String MISSING_RIGHT = "42501";

  private TargetErrors() {}

  /**
   * @param attempted what was done and on what, such as {@code insert into public.orders}
   */
  public static SluiceException classify(String attempted, SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    String message = "could not %s: %s (SQLSTATE %s)".formatted(attempted, textOf(error), state);
    if (isRetryable(state, error)) {
      return new SluiceException.Retryable(message, error);
    }
    if (state.equals(MISSING_RIGHT)) {
      return new SluiceException.Fatal(message + ". " + MissingRight.fix(textOf(error)), error);
    }
    if (isOfTheData(state)) {
      return new SluiceException.Data(message, error);
    }
    return new SluiceException.Fatal(message, error);
  }

  /**
   * The same of a statement that changes a definition: one that the target does not take is a
   * matter of that table.
   */
  public static SluiceException classifyDefinition(String attempted, SQLException error) {
    SluiceException classified = classify(attempted, error);
    return isOfTheDefinition(String.valueOf(error.getSQLState()))
            && classified instanceof SluiceException.Fatal
        ? new SluiceException.Data(classified.getMessage(), error)
        : classified;
  }

  /** Whether the target does not take a definition, whatever the state it is in. */
  public static boolean isOfTheDefinition(String state) {
    return !state.equals(MISSING_RIGHT) && (isOfTheData(state) || isOfObjects(state));
  }

  /** The SQLSTATE behind a failure; empty where the target raised none. */
  public static String stateOf(SluiceException failure) {
    return failure.getCause() instanceof SQLException error && error.getSQLState() != null
        ? error.getSQLState()
        : "";
  }

  /*
   * A database that takes no sessions for a while, as while it is copied or renamed. The state alone
   * says only that something is not as it must be; that file of the server makes sessions.
   */
  private static boolean isNoSession(String state, SQLException error) {
    return state.equals("55000")
        && error instanceof PSQLException told
        && told.getServerErrorMessage() != null
        && "postinit.c".equals(told.getServerErrorMessage().getFile());
  }

  /*
   * Connections; deadlocks and serialization; out of disk, memory or connections; cancelled or shut
   * down; a lock not to be had; a prepared statement that somebody has given up; and a server that is
   * read-only because it is about to be promoted.
   */
  private static boolean isRetryable(String state, SQLException error) {
    return state.startsWith("08")
        || state.startsWith("40")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("55P03")
        || state.equals("26000")
        || state.equals("25006")
        || isNoSession(state, error)
        || error.getCause() instanceof IOException;
  }

  /*
   * Values, constraints and names; the check of a view; what does not fit into an index; and
   * what a trigger of the target raises.
   */
  private static boolean isOfTheData(String state) {
    return state.startsWith("22")
        || state.startsWith("23")
        || state.startsWith("42")
        || state.startsWith("44")
        || state.startsWith("54")
        || state.equals("P0001");
  }

  /** What is not supported; objects that others depend on, are missing, or are in another state. */
  private static boolean isOfObjects(String state) {
    return state.startsWith("0A")
        || state.startsWith("2B")
        || state.startsWith("3F")
        || state.startsWith("55") && !state.equals("55P03");
  }

  private static String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^(ERROR|FATAL|PANIC): ", "").replaceAll("\\s*\\n\\s*", "; ");
  }
}
