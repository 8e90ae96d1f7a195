package dev.sluice.connector.postgres.slot;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.postgres.capture.MessagePrefixes;
import dev.sluice.connector.postgres.capture.OwnMessages;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The source's log: its end, the sessions that write to it, and the task's own messages in it. */
public final class PostgresLog implements SourceLog {

  private static final String OPEN =
      """
      SELECT 'process ' || pid, xact_start, usename, backend_xid::text,
        nullif(application_name, '')
      FROM pg_catalog.pg_stat_activity
      WHERE backend_xid IS NOT NULL AND datname = pg_catalog.current_database()
        AND pid <> pg_catalog.pg_backend_pid()
      UNION ALL
      SELECT 'prepared transaction ' || pg_catalog.quote_literal(gid), prepared, owner,
        transaction::text, NULL
      FROM pg_catalog.pg_prepared_xacts WHERE database = pg_catalog.current_database()
      ORDER BY 2
      """;

  /** Without this task's own sessions and those that only read the log. */
  private static final String SESSIONS =
      """
      SELECT pid, usename, nullif(application_name, ''), pg_catalog.host(client_addr),
        state_change
      FROM pg_catalog.pg_stat_activity a
      WHERE datname = pg_catalog.current_database() AND pid <> pg_catalog.pg_backend_pid()
        AND usesysid IS NOT NULL AND coalesce(backend_type = 'client backend', true)
        AND application_name IS DISTINCT FROM pg_catalog.current_setting('application_name')
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_replication r WHERE r.pid = a.pid)
      ORDER BY state_change DESC NULLS LAST, pid
      """;

  private static final String NEXT_TRANSACTION =
      "SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot())";

  private static final String MESSAGE = "SELECT pg_catalog.pg_logical_emit_message(true, ?, '')";

  /** A message must be in the log, but need not be flushed or replicated to a standby. */
  private static final String WITHOUT_WAITING = "SET LOCAL synchronous_commit TO off";

  /** The log is sent when it is on the server's own disk. */
  private static final String WITHOUT_STANDBYS = "SET LOCAL synchronous_commit TO local";

  private final SourceServer server;
  private final MessagePrefixes prefixes;
  private final OwnMessages own;

  /**
   * @param own records the messages that are written
   */
  public PostgresLog(SourceServer server, MessagePrefixes prefixes, OwnMessages own) {
    this.server = server;
    this.prefixes = prefixes;
    this.own = own;
  }

  /** The position up to which the source has written. */
  @Override
  public Position current() {
    try (Connection connection = server.borrow()) {
      return current(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's log position", e);
    }
  }

  /** The transaction id that the server assigns next, with its epoch. */
  public long nextTransactionId() {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(NEXT_TRANSACTION)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's newest transaction id", e);
    }
  }

  static Position current(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_catalog.pg_current_wal_lsn()")) {
      rows.next();
      return Position.parse(rows.getString(1));
    }
  }

  /**
   * Writes and commits a progress message, which lets the slot of an idle source advance.
   *
   * @param connection without an open transaction
   */
  public void emitProgress(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(WITHOUT_WAITING);
    }
    emit(connection, prefixes.progress(), OwnMessages.Kind.PROGRESS);
  }

  /**
   * Writes and commits a fence. The sink reports it after all changes committed before this call.
   *
   * @return its position in the log, by which the sink reports it; valid in this process only
   */
  @Override
  public Position emitFence() {
    try (Connection connection = server.borrow()) {
      connection.setAutoCommit(false);
      return emit(connection, prefixes.fence(), OwnMessages.Kind.FENCE);
    } catch (SQLException e) {
      throw SourceFailures.classify("writing a fence into the source's log", e);
    }
  }

  @Override
  public void endWindows() {
    try (Connection connection = server.borrow()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute(WITHOUT_STANDBYS);
      }
      emit(connection, prefixes.fence(), OwnMessages.Kind.FENCE);
    } catch (SQLException e) {
      throw SourceFailures.classify("writing a fence into the source's log", e);
    }
  }

  /** The position is recorded before the commit: after it the log may send the message. */
  private Position emit(Connection connection, String prefix, OwnMessages.Kind kind)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MESSAGE)) {
      statement.setString(1, prefix);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Position position = Position.parse(row.getString(1));
        own.note(position, kind);
        connection.commit();
        return position;
      }
    }
  }

  /** Rolled back, so that it waits for no standby. */
  @Override
  public OptionalLong takeTransactionId() {
    try (Connection connection = server.borrow()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT pg_catalog.txid_current()")) {
        row.next();
        return OptionalLong.of(row.getLong(1));
      } finally {
        connection.rollback();
      }
    } catch (SQLException e) {
      throw SourceFailures.classify("taking a transaction id on the source", e);
    }
  }

  /** The current time of the source's clock. */
  @Override
  public Instant clock() {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_catalog.clock_timestamp()")) {
      row.next();
      return row.getTimestamp(1).toInstant();
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's time", e);
    }
  }

  /** The sessions of this database, most recently active first. */
  @Override
  public List<SourceSession> sessions() {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(SESSIONS)) {
      List<SourceSession> sessions = new ArrayList<>();
      while (rows.next()) {
        sessions.add(
            new SourceSession(
                rows.getLong(1),
                Optional.ofNullable(rows.getString(2)),
                Optional.ofNullable(rows.getString(3)),
                Optional.ofNullable(rows.getString(4)),
                Optional.ofNullable(rows.getTimestamp(5)).map(Timestamp::toInstant)));
      }
      return sessions;
    } catch (SQLException e) {
      throw SourceFailures.classify("listing the source's sessions", e);
    }
  }

  /** The open transactions of this database that have written something, oldest first. */
  @Override
  public List<OpenTransaction> openTransactions() {
    return openTransactions(server);
  }

  static List<OpenTransaction> openTransactions(SourceServer server) {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(OPEN)) {
      List<OpenTransaction> open = new ArrayList<>();
      while (rows.next()) {
        Timestamp since = rows.getTimestamp(2);
        open.add(
            new OpenTransaction(
                rows.getString(1),
                rows.getString(4),
                Optional.ofNullable(since).map(Timestamp::toInstant),
                Optional.ofNullable(rows.getString(3)),
                Optional.ofNullable(rows.getString(5))));
      }
      return open;
    } catch (SQLException e) {
      throw SourceFailures.classify("listing the source's open transactions", e);
    }
  }

  @Override
  public long ignoredMessages() {
    return own.ignored();
  }
}
