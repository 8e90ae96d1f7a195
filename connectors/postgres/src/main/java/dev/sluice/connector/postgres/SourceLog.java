package dev.sluice.connector.postgres;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.debezium.MessagePrefixes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** The source's log: where it stands, who still writes, and the task's own messages in it. */
public final class SourceLog {

  private static final String OPEN =
      """
      SELECT 'process ' || pid, xact_start, usename FROM pg_catalog.pg_stat_activity
      WHERE backend_xid IS NOT NULL AND datname = pg_catalog.current_database()
        AND pid <> pg_catalog.pg_backend_pid()
      UNION ALL
      SELECT 'prepared transaction ' || pg_catalog.quote_literal(gid), prepared, owner
      FROM pg_catalog.pg_prepared_xacts WHERE database = pg_catalog.current_database()
      ORDER BY 2
      """;

  private static final String PROGRESS =
      """
      SELECT pg_catalog.pg_logical_emit_message(false, ?,
        (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint::text)
      """;

  private final SourceServer server;
  private final MessagePrefixes prefixes;

  SourceLog(SourceServer server, MessagePrefixes prefixes) {
    this.server = server;
    this.prefixes = prefixes;
  }

  /** Up to where the source has written. */
  public Position current() {
    try (Connection connection = server.open()) {
      return current(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("asking for the source's log position", e);
    }
  }

  static Position current(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_catalog.pg_current_wal_lsn()")) {
      rows.next();
      return Position.parse(rows.getString(1));
    }
  }

  /** Writes the message that lets the slot of an idle source move. */
  void emitProgress(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PROGRESS)) {
      statement.setString(1, prefixes.progress());
      statement.execute();
    }
  }

  /**
   * Commits a fence: what comes out of the sink after all that was committed before this returns.
   *
   * @param content what the sink gives back
   */
  public void emitFence(String content) {
    try (Connection connection = server.open();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT pg_catalog.pg_logical_emit_message(true, ?, ?::text)")) {
      statement.setString(1, prefixes.fence());
      statement.setString(2, content);
      statement.execute();
    } catch (SQLException e) {
      throw SourceFailures.classify("writing a fence into the source's log", e);
    }
  }

  /** The transactions of this database that have changed something and not ended, oldest first. */
  public List<OpenTransaction> openTransactions() {
    return openTransactions(server);
  }

  static List<OpenTransaction> openTransactions(SourceServer server) {
    try (Connection connection = server.open();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(OPEN)) {
      List<OpenTransaction> open = new ArrayList<>();
      while (rows.next()) {
        Timestamp since = rows.getTimestamp(2);
        open.add(
            new OpenTransaction(
                rows.getString(1),
                since == null ? java.time.Instant.EPOCH : since.toInstant(),
                rows.getString(3)));
      }
      return open;
    } catch (SQLException e) {
      throw SourceFailures.classify("looking for open transactions on the source", e);
    }
  }
}
