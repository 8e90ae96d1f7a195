package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** Classifies errors of the target by their SQLSTATE. Stateless. */
public final class TargetErrors {
  private static final String MISSING_RIGHT = "42501";

  private TargetErrors() {}

  /**
   * Classifies an error.
   *
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
    if (isDataError(state)) {
      return new SluiceException.Data(message, error);
    }
    return new SluiceException.Fatal(message, error);
  }

  /**
   * The same for DDL: if the target rejects the definition, that is an error of the table and not
   * fatal.
   */
  public static SluiceException classifyDefinition(String attempted, SQLException error) {
    SluiceException classified = classify(attempted, error);
    return isDefinitionError(String.valueOf(error.getSQLState()))
            && classified instanceof SluiceException.Fatal
        ? new SluiceException.Data(classified.getMessage(), error)
        : classified;
  }

  /** Whether the SQLSTATE means that the target rejects a definition. */
  public static boolean isDefinitionError(String state) {
    return !state.equals(MISSING_RIGHT) && (isDataError(state) || isObjectError(state));
  }

  /** The SQLSTATE of a failure; empty if the target raised no error. */
  public static String stateOf(SluiceException failure) {
    return failure.getCause() instanceof SQLException error && error.getSQLState() != null
        ? error.getSQLState()
        : "";
  }

  /*
   * The database accepts no sessions for a while, for example while it is copied or renamed. The
   * SQLSTATE has other meanings as well, but that source file of the server only starts sessions.
   */
  private static boolean acceptsNoSessions(String state, SQLException error) {
    return state.equals("55000")
        && error instanceof PSQLException server
        && server.getServerErrorMessage() != null
        && "postinit.c".equals(server.getServerErrorMessage().getFile());
  }

  /*
   * Connections; deadlocks and serialization; out of disk, memory or connections; cancelled or shut
   * down; a lock that is not available; a prepared statement that was deallocated; and a server that
   * is read-only because it is about to be promoted.
   */
  private static boolean isRetryable(String state, SQLException error) {
    return state.startsWith("08")
        || state.startsWith("40")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("55P03")
        || state.equals("26000")
        || state.equals("25006")
        || acceptsNoSessions(state, error)
        || error.getCause() instanceof IOException;
  }

  /*
   * Values, constraints and names; the check of a view; values too large for an index; and errors
   * that a trigger of the target raises.
   */
  private static boolean isDataError(String state) {
    return state.startsWith("22")
        || state.startsWith("23")
        || state.startsWith("42")
        || state.startsWith("44")
        || state.startsWith("54")
        || state.equals("P0001");
  }

  /** Not supported; or an object is missing, in another state, or others depend on it. */
  private static boolean isObjectError(String state) {
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
