package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;

/** Tells what kind of failure the source reported, by its SQLSTATE. Stateless. */
public final class SourceErrors {
  private static final Set<String> NOT_READY = Set.of("postinit.c", "xlogfuncs.c");

  private SourceErrors() {}

  /**
   * @param attempted what was done and on what, such as {@code read public.orders}
   */
  public static SluiceException classify(String attempted, SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    String message = "could not %s: %s (SQLSTATE %s)".formatted(attempted, textOf(error), state);
    return isRetryable(error)
        ? new SluiceException.Retryable(message, error)
        : new SluiceException.Fatal(message, error);
  }

  /*
   * Connections; deadlocks and serialization; out of disk, memory or connections; cancelled or shut
   * down; a lock not to be had; this side stood still for too long; a server that is read-only
   * because it is about to be promoted.
   */
  public static boolean isRetryable(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    return state.startsWith("08")
        || state.startsWith("40")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("55P03")
        || state.equals("25P03")
        || state.equals("25006")
        || isNotReady(state, error)
        || error.getCause() instanceof IOException;
  }

  /*
   * A database that takes no sessions for a while, as while it is copied or renamed, and a standby
   * that is asked for its log. The state alone says only that something is not as it must be; these
   * files of the server make sessions and answer for the log.
   */
  private static boolean isNotReady(String state, SQLException error) {
    return state.equals("55000")
        && error instanceof PSQLException told
        && told.getServerErrorMessage() != null
        && NOT_READY.contains(String.valueOf(told.getServerErrorMessage().getFile()));
  }

  private static String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^(ERROR|FATAL|PANIC): ", "").replaceAll("\\s*\\n\\s*", "; ");
  }
}
