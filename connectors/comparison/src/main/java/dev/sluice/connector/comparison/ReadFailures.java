package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;

/** Classifies the errors of a read. Stateless. */
final class ReadFailures {
  /** The SQLSTATE of a connection that failed. */
  private static final String SILENT = "08006";

  private ReadFailures() {}

  /**
   * @param blocking whether the read was cancelled because others waited for its lock
   */
  static RuntimeException of(SideServer server, String what, boolean blocking, SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    String where = "%s of the %s".formatted(what, server);
    if (error.getCause() instanceof SocketTimeoutException) {
      return server.failed(
          "compare " + where,
          new SQLException("the server has been silent for too long", SILENT, error));
    }
    if (state.startsWith("08")
        || state.startsWith("57P")
        || error.getCause() instanceof IOException) {
      return server.failed("compare " + where, error);
    }
    return switch (state) {
      // A lock timeout; a deadlock.
      case "55P03", "40P01" ->
          new NotReadable(Reason.BLOCKED, where + ": others hold a lock on it", error);
      case "57014" ->
          blocking
              ? new NotReadable(Reason.BLOCKED, where + ": others wait for a lock on it", error)
              : new NotReadable(Reason.OUT_OF_TIME, where + ": not read in time", error);
      case "25P03", "72000" ->
          new NotReadable(Reason.OUT_OF_TIME, where + ": its time is over: " + text(error), error);
      // The table or a column does not exist any more.
      case "42P01", "42703", "3F000" ->
          new NotReadable(Reason.CHANGED, where + " was altered: " + text(error), error);
      case "42501" -> new NotReadable(Reason.REFUSED, where + ": " + text(error), error);
      default -> new NotReadable(Reason.FAILED, where + ": " + text(error), error);
    };
  }

  /** The error of an import: the session that holds the snapshot has ended. */
  static RuntimeException ofSnapshot(SideServer server, SQLException error) {
    RuntimeException failure = of(server, "a snapshot", false, error);
    return failure instanceof NotReadable
        ? new NotReadable(
            Reason.OUT_OF_TIME,
            "the snapshot of the %s is over: %s".formatted(server, text(error)),
            error)
        : failure;
  }

  private static String text(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^(ERROR|FATAL|PANIC): ", "").replaceAll("\\s*\\n\\s*", "; ")
        + " (SQLSTATE "
        + error.getSQLState()
        + ")";
  }
}
