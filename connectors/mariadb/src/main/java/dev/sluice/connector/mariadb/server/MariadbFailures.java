package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.LostConnection;
import java.sql.SQLException;
import java.util.Set;

/** Classifies the server's errors as retryable or fatal, by SQL state and number. Stateless. */
public final class MariadbFailures {
  /** A table that a statement names does not exist. */
  public static final int NO_SUCH_TABLE = 1146;

  /** A table was rebuilt or truncated after the session's snapshot. */
  public static final int DEFINITION_CHANGED = 1412;

  /** The user lacks a right; several statements have a number of their own. */
  private static final Set<Integer> NO_RIGHT = Set.of(1044, 1142, 1143, 1227);

  /*
   * Too many connections (1040, 1203), shutdown (1053), aborted (1152, 1184), a lock that was not free
   * (1205), deadlock (1213), killed (1317, 1927), time limits (1969, 3024), out of memory or disk
   * (1021, 1037, 1038, 1041).
   */
  private static final Set<Integer> MAY_PASS =
      Set.of(
          1021, 1037, 1038, 1040, 1041, 1053, 1152, 1184, 1203, 1205, 1213, 1317, 1927, 1969, 3024);

  /**
   * Texts of two collations that cannot be compared. MariaDB adds some generated columns though it
   * reports this error; whenever it has loaded the table's definition, the first use fails with it.
   */
  private static final int MIX_OF_COLLATIONS = 1267;

  /**
   * Numbers below are of the server's own files and memory: a full disk, a temporary table that
   * somebody deleted.
   */
  private static final int FIRST_OF_STATEMENTS = 1000;

  private MariadbFailures() {}

  /**
   * @param attempted verb and object, for the message, such as {@code read shop.orders}
   */
  public static SluiceException classify(String attempted, SQLException error) {
    String message =
        "could not %s: %s (error %d, SQLSTATE %s)"
            .formatted(attempted, textOf(error), error.getErrorCode(), error.getSQLState());
    if (error.getErrorCode() == MIX_OF_COLLATIONS) {
      return new SluiceException.Unexplained(message, error);
    }
    return mayPass(error)
        ? new SluiceException.Retryable(message, error)
        : new SluiceException.Fatal(message, error);
  }

  /** Whether the user lacks a right for the statement. */
  public static boolean isMissingRight(SQLException error) {
    return NO_RIGHT.contains(error.getErrorCode());
  }

  private static boolean mayPass(SQLException error) {
    int number = error.getErrorCode();
    return LostConnection.isIn(error)
        || number > 0 && number < FIRST_OF_STATEMENTS
        || MAY_PASS.contains(number);
  }

  /** Without the driver's prefix, which has the connection's number. */
  static String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^\\(conn=\\d+\\) ", "").replaceAll("\\s*\\n\\s*", "; ");
  }
}
