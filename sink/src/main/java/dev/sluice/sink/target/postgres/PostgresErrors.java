package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import java.io.IOException;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** Classifies PostgreSQL's errors by their SQLSTATE. Stateless, threadsafe. */
final class PostgresErrors implements TargetErrors {

  @Override
  public TargetFault faultOf(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("40")) {
      return TargetFault.TRANSACTION_CONFLICT;
    }
    if (state.equals("57014")) {
      return TargetFault.CANCELLED;
    }
    if (mayPass(state, error)) {
      return TargetFault.UNAVAILABLE;
    }
    return switch (state) {
      case "42501" -> TargetFault.MISSING_RIGHT;
      case "23505", "23P01" -> TargetFault.DUPLICATE_ROW;
      case "22001" -> TargetFault.TOO_LONG;
      case "2BP01" -> TargetFault.DEPENDENT_OBJECT;
      default -> ofClass(state);
    };
  }

  private static TargetFault ofClass(String state) {
    if (state.startsWith("42")) {
      return TargetFault.BAD_NAME;
    }
    if (isOfRow(state)) {
      return TargetFault.BAD_ROW;
    }
    return isOfObject(state) ? TargetFault.UNSUPPORTED : TargetFault.OTHER;
  }

  /*
   * Connections; out of disk, memory or connections; shut down; a lock that is not available; a
   * prepared statement that was deallocated; a server that is read-only because it is about to be
   * promoted; and a binary form that is not of the column's type, which is then not the type that
   * was read: never an error of the source's row.
   */
  private static boolean mayPass(String state, SQLException error) {
    return state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("55P03")
        || state.equals("26000")
        || state.equals("25006")
        || state.equals("22P03")
        || acceptsNoSessions(state, error)
        || error.getCause() instanceof IOException;
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
   * Values and constraints; the check of a view; values too large for an index; and errors that a
   * trigger of the target raises.
   */
  private static boolean isOfRow(String state) {
    return state.startsWith("22")
        || state.startsWith("23")
        || state.startsWith("44")
        || state.startsWith("54")
        || state.equals("P0001");
  }

  /** Not supported; or an object is missing, in another state, or others depend on it. */
  private static boolean isOfObject(String state) {
    return state.startsWith("0A")
        || state.startsWith("2B")
        || state.startsWith("3F")
        || state.startsWith("55");
  }

  @Override
  public String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^(ERROR|FATAL|PANIC): ", "").replaceAll("\\s*\\n\\s*", "; ");
  }

  @Override
  public String fixOfMissingRight(SQLException error) {
    return MissingRight.fix(textOf(error));
  }
}
