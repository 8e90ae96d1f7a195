package dev.sluice.connector.postgres.server;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.TaskMark;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Reads which cluster a server is of, and the history of its timelines. Stateless. */
public final class ServerIdentity {
  /**
   * The timeline is not taken from the control file alone: that is the last checkpoint's and may be
   * older.
   */
  private static final String IDENTITY =
      """
      SELECT s.system_identifier,
             CASE WHEN pg_catalog.pg_is_in_recovery() THEN c.timeline_id
                  ELSE ('x' || substr(pg_catalog.pg_walfile_name(
                    pg_catalog.pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END
      FROM pg_catalog.pg_control_system() s, pg_catalog.pg_control_checkpoint() c
      """;

  private ServerIdentity() {}

  public static SourceIdentity of(SourceServer server) {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(IDENTITY)) {
      rows.next();
      return new SourceIdentity(Long.toUnsignedString(rows.getLong(1)), rows.getInt(2));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's identity", e);
    }
  }

  /**
   * The position at which the source's history left an earlier timeline; empty if unknown.
   *
   * @param mark names the session
   * @param then the earlier timeline
   * @param now the source's present timeline
   */
  public static Optional<Position> leftTimeline(
      SourceServer server, TaskMark mark, int then, int now) {
    if (now <= then) {
      return Optional.empty();
    }
    try (Connection connection = server.openForReplication(mark.sessionName());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("TIMELINE_HISTORY " + now)) {
      row.next();
      return TimelineHistory.leftAt(row.getString(2), then);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the history of the source's timeline " + now, e);
    }
  }
}
