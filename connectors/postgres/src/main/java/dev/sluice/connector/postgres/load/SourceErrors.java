package dev.sluice.connector.postgres.load;

import dev.sluice.config.SluiceException;
import java.io.IOException;
import java.sql.SQLException;

/** Tells what kind of failure the source reported, by its SQLSTATE. Stateless. */
public final class SourceErrors {
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
   * down; a lock not to be had; this side stood still for too long.
   */
  public static boolean isRetryable(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    return state.startsWith("08")
        || state.startsWith("40")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("55P03")
        || state.equals("25P03")
        || error.getCause() instanceof IOException;
  }

  private static String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^(ERROR|FATAL|PANIC): ", "").replaceAll("\\s*\\n\\s*", "; ");
  }
}
