package dev.sluice.target.db2;

import dev.sluice.config.net.LostConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * By SQLSTATE, which both Db2 and Derby send, and by error numbers of the driver, which occur
 * without an answer of the server.
 */
/** Classifies errors of Db2 and of its driver. Stateless, threadsafe. */
final class Db2Errors implements TargetErrors {

  /** The connection is lost (-4499), closed (-4470), or was made again without its work (-4498). */
  private static final Set<Integer> LOST = Set.of(-4470, -4498, -4499);

  /** The driver cannot convert a value to the parameter's type (-4461), or it is out of range. */
  private static final Set<Integer> BAD_PARAMETER = Set.of(-4220, -4228, -4461);

  /**
   * A deadlock, a lock that was not granted in time (57033), and an access plan that is no longer
   * valid.
   */
  private static final Set<String> CONFLICT = Set.of("40001", "40XL1", "40XL2", "51002", "57033");

  /**
   * A lock that was not granted in time, for Db2 (-913) and Derby. With Db2's -911 it is a reason
   * code.
   */
  private static final Set<String> LOCK_TIMEOUT = Set.of("40XL1", "40XL2", "57033");

  /** The reason code of a rollback (-911) in the text of the driver or the server. */
  private static final Pattern REASON = Pattern.compile("(?:SQLERRMC=|[Rr]eason code \"?)(\\d+)");

  private static final String OF_TIMEOUT = "68";

  /** A function of the server has failed, such as one that lists tables for the driver. */
  private static final String IN_FUNCTION = "38000";

  /** Derby's text for a deadlock or a lock timeout inside a function. */
  private static final String LOCK = "SQLException: A lock could not be obtained ";

  /** An internal error of Derby. */
  private static final String JAVA_EXCEPTION = "XJ001";

  /** Derby's text if DDL of another session invalidates a statement while it is executed. */
  private static final String NO_STATEMENT = "NullPointerException";

  private static final String ROLLED_BACK = "40001";

  /** The communication with the server fails (58004, 58005, 58009), or no connection is left. */
  private static final Set<String> UNAVAILABLE = Set.of("58004", "58005", "58009", "XJ040");

  /** The table needs an operator, after a LOAD or for a REORG. */
  private static final Set<String> NEEDS_OPERATOR = Set.of("57007", "57016", "57019");

  private static final Set<String> MISSING_RIGHT =
      Set.of(
          "28000", "42500", "42501", "42502", "42506", "42507", "42508", "42509", "42512", "42517");

  private static final Map<String, TargetFault> BY_STATE =
      Map.of(
          "57014", TargetFault.CANCELLED,
          "23505", TargetFault.DUPLICATE_ROW,
          "22001", TargetFault.TOO_LONG,
          "42893", TargetFault.DEPENDENT_OBJECT);

  /** By the first two characters of the state. */
  private static final Map<String, TargetFault> BY_CLASS =
      Map.of(
          "09", TargetFault.BAD_ROW,
          "22", TargetFault.BAD_ROW,
          "23", TargetFault.BAD_ROW,
          "38", TargetFault.BAD_ROW,
          "44", TargetFault.BAD_ROW,
          "42", TargetFault.BAD_NAME,
          "0A", TargetFault.UNSUPPORTED,
          "57", TargetFault.UNAVAILABLE);

  @Override
  public TargetFault faultOf(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    String text = String.valueOf(error.getMessage());
    if (CONFLICT.contains(state)
        || state.equals(IN_FUNCTION) && text.contains(LOCK)
        || state.equals(JAVA_EXCEPTION) && text.contains(NO_STATEMENT)) {
      return TargetFault.TRANSACTION_CONFLICT;
    }
    if (isLost(error) || UNAVAILABLE.contains(state)) {
      return TargetFault.UNAVAILABLE;
    }
    if (BAD_PARAMETER.contains(error.getErrorCode())) {
      return TargetFault.BAD_ROW;
    }
    if (MISSING_RIGHT.contains(state)) {
      return TargetFault.MISSING_RIGHT;
    }
    if (NEEDS_OPERATOR.contains(state) || state.length() < 2) {
      return TargetFault.OTHER;
    }
    return BY_STATE.getOrDefault(
        state, BY_CLASS.getOrDefault(state.substring(0, 2), TargetFault.OTHER));
  }

  @Override
  public boolean isLockTimeout(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    String text = String.valueOf(error.getMessage());
    if (LOCK_TIMEOUT.contains(state)
        || state.equals(IN_FUNCTION) && text.contains(LOCK + "within the time")) {
      return true;
    }
    Matcher reason = REASON.matcher(text);
    return state.equals(ROLLED_BACK) && reason.find() && reason.group(1).equals(OF_TIMEOUT);
  }

  private static boolean isLost(SQLException error) {
    return LOST.contains(error.getErrorCode()) || LostConnection.isIn(error);
  }

  /** Without the driver's version at the end. */
  @Override
  public String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceAll(",? ?DRIVER=[\\d.]+", "").replaceAll("\\s*\\n\\s*", "; ");
  }

  @Override
  public String fixOfMissingRight(SQLException error) {
    return "Run: GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE the named table TO USER the user of"
        + " target.url; setting an identity needs ALTER on its table, creating a schema needs"
        + " IMPLICIT_SCHEMA or DBADM, and staging needs USE of a user temporary tablespace";
  }
}
