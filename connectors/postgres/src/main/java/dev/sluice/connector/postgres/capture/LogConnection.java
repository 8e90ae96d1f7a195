package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.postgres.server.SessionSettings;
import dev.sluice.connector.postgres.server.SqlLiteral;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationStream;
import io.debezium.connector.postgresql.connection.WalPositionLocator;
import io.debezium.connector.postgresql.spi.SlotCreationResult;
import io.debezium.jdbc.JdbcConnection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A replication connection whose session settings, which decide how values are printed, are pinned
 * right before streaming begins, and whose stream is a {@link LogStream}. Used by Debezium's
 * threads as they use the connection behind it.
 */
@SuppressWarnings("try") // Debezium closes with any exception
final class LogConnection implements ReplicationConnection {
  private final ReplicationConnection connection;
  private final LogDecoder decoder;
  private final EventQueue queue;
  private final String sessionName;
  private final Consumer<LogStream> started;

  /**
   * @param connection whose messages the decoder gets
   * @param sessionName by which others know whose it is
   * @param started told of the stream
   */
  LogConnection(
      ReplicationConnection connection,
      LogDecoder decoder,
      EventQueue queue,
      String sessionName,
      Consumer<LogStream> started) {
    this.connection = connection;
    this.sessionName = sessionName;
    this.decoder = decoder;
    this.queue = queue;
    this.started = started;
  }

  @Override
  public ReplicationStream startStreaming(WalPositionLocator position)
      throws SQLException, InterruptedException {
    pin();
    return started(connection.startStreaming(position));
  }

  /** Debezium would go on from an offset of its own; none is ever stored. */
  @Override
  public ReplicationStream startStreaming(Lsn offset, WalPositionLocator position) {
    throw new IllegalStateException(
        "BUG: Debezium streams from an offset, " + offset + ", and not from the slot's position");
  }

  private ReplicationStream started(ReplicationStream stream) {
    LogStream log = new LogStream(stream, decoder, queue);
    started.accept(log);
    return log;
  }

  /** The role's or the database's own settings would otherwise decide. */
  private void pin() throws SQLException, InterruptedException {
    connection.initConnection();
    if (!(connection instanceof JdbcConnection session)) {
      throw new SQLException(
          "Debezium's replication connection takes no statements: " + connection.getClass());
    }
    session.execute(SessionSettings.STATEMENTS.toArray(String[]::new));
    session.execute("SET application_name TO " + SqlLiteral.of(sessionName));
  }

  @Override
  public Optional<SlotCreationResult> createReplicationSlot() throws SQLException {
    return connection.createReplicationSlot();
  }

  @Override
  public void initConnection() throws SQLException, InterruptedException {
    connection.initConnection();
  }

  @Override
  public boolean isConnected() throws SQLException {
    return connection.isConnected();
  }

  @Override
  public void reconnect() throws SQLException {
    connection.reconnect();
  }

  @Override
  public void close() throws Exception {
    connection.close();
  }
}
