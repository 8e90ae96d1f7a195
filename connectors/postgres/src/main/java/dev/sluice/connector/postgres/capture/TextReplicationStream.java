package dev.sluice.connector.postgres.capture;

import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationMessage;
import io.debezium.connector.postgresql.connection.ReplicationStream;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;

/** A replication stream whose row messages give text. Used by Debezium's streaming thread. */
@SuppressWarnings("try") // Debezium closes with any exception
final class TextReplicationStream implements ReplicationStream {
  private final ReplicationStream stream;

  TextReplicationStream(ReplicationStream stream) {
    this.stream = stream;
  }

  @Override
  public void read(ReplicationMessageProcessor processor)
      throws SQLException, InterruptedException {
    stream.read(message -> processor.process(asText(message)));
  }

  @Override
  public boolean readPending(ReplicationMessageProcessor processor)
      throws SQLException, InterruptedException {
    return stream.readPending(message -> processor.process(asText(message)));
  }

  private static ReplicationMessage asText(ReplicationMessage message) {
    if (message == null || message.isSkippedMessage()) {
      return message;
    }
    switch (message.getOperation()) {
      case INSERT:
      case UPDATE:
      case DELETE:
        return new TextRowMessage(message);
      default:
        return message;
    }
  }

  @Override
  public void flushLsn(Lsn lsn) throws SQLException {
    stream.flushLsn(lsn);
  }

  @Override
  public Lsn lastReceivedLsn() {
    return stream.lastReceivedLsn();
  }

  @Override
  public Lsn startLsn() {
    return stream.startLsn();
  }

  @Override
  public void startKeepAlive(ExecutorService service) {
    stream.startKeepAlive(service);
  }

  @Override
  public void stopKeepAlive() {
    stream.stopKeepAlive();
  }

  @Override
  public void close() throws Exception {
    stream.close();
  }
}
