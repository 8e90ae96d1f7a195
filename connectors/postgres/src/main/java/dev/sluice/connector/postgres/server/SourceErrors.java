package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;

/** Classifies the source's errors as retryable or fatal, by SQLSTATE. Stateless. */
public final class SourceErrors {
  private static final Set<String> NOT_READY = Set.of("postinit.c", "xlogfuncs.c");

  private SourceErrors() {}

  /**
   * @param attempted verb and object, for the message, such as {@code read public.orders}
   */
  public static SluiceException classify(String attempted, SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    String message = "could not %s: %s (SQLSTATE %s)".formatted(attempted, textOf(error), state);
    return isRetryable(error)
        ? new SluiceException.Retryable(message, error)
        : new SluiceException.Fatal(message, error);
  }

  /*
   * Connections (08); deadlocks and serialization (40); out of disk, memory or connections (53);
   * cancelled or shut down (57); a lock that was not free (55P03); idle in transaction for too long
   * (25P03), or in one transaction (25P04); a server that is read-only until it is promoted (25006).
   */
  public static boolean isRetryable(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    return state.startsWith("08")
        || state.startsWith("40")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("55P03")
        || state.equals("25P03")
        || state.equals("25P04")
        || state.equals("25006")
        || isNotReady(state, error)
        || error.getCause() instanceof IOException;
  }

  /*
   * A database that accepts no sessions for a while, as when it is copied or renamed; or a standby whose log
   * position is queried. 55000 alone is too general, so the server's source file decides: these create
   * sessions and return log positions.
   */
  private static boolean isNotReady(String state, SQLException error) {
    return state.equals("55000")
        && error instanceof PSQLException reported
        && reported.getServerErrorMessage() != null
        && NOT_READY.contains(String.valueOf(reported.getServerErrorMessage().getFile()));
  }

  private static String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^(ERROR|FATAL|PANIC): ", "").replaceAll("\\s*\\n\\s*", "; ");
  }
}
