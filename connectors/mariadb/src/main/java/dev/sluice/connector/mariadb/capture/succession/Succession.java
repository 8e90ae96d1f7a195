package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.GtidBookmark;
import dev.sluice.connector.mariadb.capture.position.GtidSetBookmark;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import java.sql.Connection;
import java.sql.SQLException;

/** Whether a task may go on with another server, which was a replica of the one before. */
public sealed interface Succession {
  /**
   * Searches the log of a server.
   *
   * @param session of the server
   * @param server asked just before
   * @param then what the task has
   * @throws SluiceException.Retryable if the log cannot be read at present
   */
  static Succession find(
      Connection session, LogServer server, LogBeginnings beginnings, LogBookmark then)
      throws SQLException {
    return then instanceof GtidBookmark ofMariadb
        ? new SwitchSearch(server, beginnings, ofMariadb).find(session)
        : new MysqlSwitchSearch(server, beginnings, (GtidSetBookmark) then).find(session);
  }

  /**
   * Its log has all that the task has, and what comes after.
   *
   * @param place after which the log has exactly what the task lacks; without a timeline
   */
  public record At(BinlogPosition place) implements Succession {}

  /** That is not so, or cannot be proven. */
  public record Refused(Problem problem) implements Succession {}

  /**
   * The server still applies what the task has: the start has to be decided again.
   *
   * @param lacks what is missing
   */
  static SluiceException.Retryable applying(String lacks) {
    return new SluiceException.Retryable(
        "the source still applies what it received from the former server, and the task goes on with it then: "
            + lacks,
        null);
  }
}
