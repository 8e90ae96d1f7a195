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
 * A replication connection that sets its session settings right before it starts streaming, and
 * whose stream is a {@link LogStream}. The settings decide how values are printed. Used by
 * Debezium's threads.
 */
@SuppressWarnings("try") // Debezium closes with any exception
final class LogConnection implements ReplicationConnection {
  private final ReplicationConnection connection;
  private final LogDecoder decoder;
  private final EventQueue queue;
  private final String sessionName;
  private final Consumer<LogStream> started;

  /**
   * @param connection Debezium's, whose messages go to the decoder
   * @param sessionName the session's name in {@code pg_stat_activity}
   * @param started called with the stream when it has started
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

  /** Never called: Debezium continues from a stored offset, and none is stored. */
  @Override
  public ReplicationStream startStreaming(Lsn offset, WalPositionLocator position) {
    throw new IllegalStateException(
        "BUG: Debezium streams from offset " + offset + " instead of the slot's position");
  }

  private ReplicationStream started(ReplicationStream stream) {
    LogStream log = new LogStream(stream, decoder, queue);
    started.accept(log);
    return log;
  }

  /** Overrides the settings that the role or the database has. */
  private void pin() throws SQLException, InterruptedException {
    connection.initConnection();
    if (!(connection instanceof JdbcConnection session)) {
      throw new SQLException(
          "Debezium's replication connection accepts no statements: " + connection.getClass());
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
