package dev.sluice.config.net;

import java.io.IOException;
import java.sql.SQLException;

/** Recognizes that a server, or the way to it, ended a connection. Stateless. */
public final class LostConnection {
  private LostConnection() {}

  /** Whether this exception says so by itself; its causes are not asked. */
  public static boolean isSaidBy(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof SQLException sql && isOfConnection(sql.getSQLState());
  }

  /** Whether this exception or one of its causes says so. */
  public static boolean isIn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (isSaidBy(cause)) {
        return true;
      }
    }
    return false;
  }

  /** Classes of SQL states: the connection, the server's resources, and its operator. */
  private static boolean isOfConnection(String state) {
    return state != null
        && (state.startsWith("08") || state.startsWith("53") || state.startsWith("57P"));
  }
}
