package dev.sluice.load.postgres;

import dev.sluice.load.target.RowRejection;
import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Reads a server's error about a failed COPY. Stateless. */
final class CopyFailure {

  /* The words are in the server's language: COPY accounts, line 3, column balance: "x" */
  private static final Pattern CONTEXT =
      Pattern.compile(
          "^COPY .*?, \\p{L}+ (\\d+)(?:, \\p{L}+ (?:\"(.+?)\"|([^:\\n]+?)))?(?::|$)",
          Pattern.MULTILINE);

  private CopyFailure() {}

  static RowRejection rejection(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    ServerErrorMessage server =
        error instanceof PSQLException said ? said.getServerErrorMessage() : null;
    if (server == null) {
      return new RowRejection(OptionalLong.empty(), oneLine(text));
    }
    OptionalLong line = OptionalLong.empty();
    String column = server.getColumn();
    if (server.getWhere() != null) {
      Matcher context = CONTEXT.matcher(server.getWhere());
      if (context.find()) {
        line = OptionalLong.of(Long.parseLong(context.group(1)));
        column = context.group(3) != null ? context.group(3) : column;
      }
    }
    String reason =
        (column == null ? "" : "column " + column + ": ")
            + server.getMessage()
            + (server.getDetail() == null || isWholeRow(server) ? "" : "; " + server.getDetail());
    return new RowRejection(line, oneLine(reason + " (SQLSTATE " + error.getSQLState() + ")"));
  }

  /**
   * True if the context quotes the complete row, which is reported elsewhere or is in the file of
   * bad rows.
   */
  private static boolean isWholeRow(ServerErrorMessage server) {
    String state = server.getSQLState();
    return "23502".equals(state) || "23514".equals(state);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
  }
}
