package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.postgres.SessionSettings;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationStream;
import io.debezium.connector.postgresql.connection.WalPositionLocator;
import io.debezium.connector.postgresql.spi.SlotCreationResult;
import io.debezium.jdbc.JdbcConnection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A replication connection whose session settings, which decide how values are printed, are pinned
 * right before streaming begins, and whose stream leaves values as text. Used by Debezium's threads
 * as they use the connection behind it.
 */
@SuppressWarnings("try") // Debezium closes with any exception
final class TextReplicationConnection implements ReplicationConnection {
  private final ReplicationConnection connection;

  TextReplicationConnection(ReplicationConnection connection) {
    this.connection = connection;
  }

  @Override
  public ReplicationStream startStreaming(WalPositionLocator position)
      throws SQLException, InterruptedException {
    pin();
    return new TextReplicationStream(connection.startStreaming(position));
  }

  @Override
  public ReplicationStream startStreaming(Lsn offset, WalPositionLocator position)
      throws SQLException, InterruptedException {
    pin();
    return new TextReplicationStream(connection.startStreaming(offset, position));
  }

  /** The role's or the database's own settings would otherwise decide. */
  private void pin() throws SQLException, InterruptedException {
    connection.initConnection();
    if (!(connection instanceof JdbcConnection session)) {
      throw new SQLException(
          "Debezium's replication connection takes no statements: " + connection.getClass());
    }
    session.execute(SessionSettings.STATEMENTS.toArray(String[]::new));
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
