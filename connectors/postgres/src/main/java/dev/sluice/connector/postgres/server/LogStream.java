package dev.sluice.connector.postgres.server;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * The log that a slot keeps, from the slot's position on, as messages of pgoutput's protocol
 * version 1 with logical messages. Confirms no position by itself. Used by the thread that opened
 * it.
 */
public final class LogStream implements AutoCloseable {
  /** The server ends a reader that says nothing for its {@code wal_sender_timeout}. */
  private static final Duration STATUS_INTERVAL = Duration.ofSeconds(10);

  private final Connection connection;
  private final PGReplicationStream stream;

  private LogStream(Connection connection, PGReplicationStream stream) {
    this.connection = connection;
    this.stream = stream;
  }

  /**
   * Opens a session of its own and begins to read.
   *
   * @param publications names of the publications whose changes the server sends
   * @param sessionName in {@code pg_stat_activity}
   * @throws SQLException in particular if somebody reads the slot, or it does not exist
   */
  public static LogStream open(
      SourceServer server, String slot, List<String> publications, String sessionName)
      throws SQLException {
    Connection connection = server.openForReplication(sessionName);
    try {
      return new LogStream(connection, start(connection, slot, publications));
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /*
   * Without a start position the server begins at the slot's. The driver's own flushes would confirm
   * positions of which nothing is known to be stored.
   */
  private static PGReplicationStream start(
      Connection connection, String slot, List<String> publications) throws SQLException {
    String names = publications.stream().map(TableId::quote).collect(Collectors.joining(","));
    return connection
        .unwrap(PGConnection.class)
        .getReplicationAPI()
        .replicationStream()
        .logical()
        .withSlotName(slot)
        .withSlotOption("proto_version", 1)
        // The driver puts the value between single quotes without escaping it.
        .withSlotOption("publication_names", names.replace("'", "''"))
        .withSlotOption("messages", true)
        .withStatusInterval((int) STATUS_INTERVAL.toSeconds(), TimeUnit.SECONDS)
        .withAutomaticFlush(false)
        .start();
  }

  /**
   * The next message, with an array after it; null if none has arrived. Waits only for the rest of
   * a message that has begun to arrive.
   */
  public ByteBuffer readPending() throws SQLException {
    return stream.readPending();
  }

  /** The position of the last message. */
  public Position position() {
    return new Position(stream.getLastReceiveLSN().asLong());
  }

  /** Tells the server that the log up to the position is no longer needed. */
  public void confirm(Position position) throws SQLException {
    if (position.high() != 0) {
      throw new IllegalArgumentException(
          "BUG: %s is not a log position of PostgreSQL".formatted(position));
    }
    LogSequenceNumber number = LogSequenceNumber.valueOf(position.low());
    stream.setFlushedLSN(number);
    stream.setAppliedLSN(number);
    stream.forceUpdateStatus();
  }

  /** Tells the server that the reader lives, although it reads nothing. */
  public void keepAlive() throws SQLException {
    stream.forceUpdateStatus();
  }

  /** Ends reading, and waits until the server has let the slot go. */
  public void end() throws SQLException {
    stream.close();
  }

  /**
   * Closes the session. The server lets the slot go when it notices that. An orderly {@link #end}
   * would wait for the rest of a transaction that is being sent.
   */
  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
