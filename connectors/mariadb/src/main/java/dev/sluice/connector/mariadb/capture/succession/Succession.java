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

/** Whether a task may continue with another server, which was a replica of the former one. */
public sealed interface Succession {
  /**
   * Searches the log of a server.
   *
   * @param session of the server
   * @param server as it answered just before
   * @param then the transactions that the task has
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
   * Its log continues exactly where the task is.
   *
   * @param place the place after which the log has exactly the transactions that the task lacks;
   *     without a timeline
   */
  public record At(BinlogPosition place) implements Succession {}

  /** The task cannot continue there, or that cannot be proven. */
  public record Refused(Problem problem) implements Succession {}

  /**
   * The failure that the server still applies transactions that the task has: the start has to be
   * decided again.
   *
   * @param lacks what the server still lacks
   */
  static SluiceException.Retryable applying(String lacks) {
    return new SluiceException.Retryable(
        "the source still applies what it received from the former server; the task continues with it after that: "
            + lacks,
        null);
  }
}
