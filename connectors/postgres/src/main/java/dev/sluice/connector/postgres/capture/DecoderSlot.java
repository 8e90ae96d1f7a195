package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import io.debezium.connector.postgresql.TypeRegistry;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.MessageDecoder;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationStream.ReplicationMessageProcessor;
import io.debezium.connector.postgresql.connection.WalPositionLocator;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.postgresql.replication.fluent.logical.ChainedLogicalStreamBuilder;

/*
 * Debezium's own decoder creates an object for each value, then a Connect record: 16 CPU seconds per
 * million changes. Debezium has no setting for another decoder.
 */
/** Replaces the message decoder in Debezium's replication connection. Stateless. */
final class DecoderSlot {
  private DecoderSlot() {}

  /**
   * Passes the connection's messages to the given decoder. Options other than the publications
   * stay.
   *
   * @param publications names of the publications whose changes the server sends
   */
  static void install(
      ReplicationConnection connection, LogDecoder decoder, List<String> publications) {
    MessageDecoder before = DebeziumInternals.decoder(connection);
    DebeziumInternals.setDecoder(connection, new Installed(before, decoder, publications));
  }

  private static final class Installed implements MessageDecoder {
    private final MessageDecoder before;
    private final LogDecoder decoder;
    private final List<String> publications;
    private Position current = Position.ZERO;

    Installed(MessageDecoder before, LogDecoder decoder, List<String> publications) {
      this.before = before;
      this.decoder = decoder;
      this.publications = publications;
    }

    @Override
    public void processMessage(
        ByteBuffer message, ReplicationMessageProcessor processor, TypeRegistry types) {
      decoder.decode(message, current);
    }

    @Override
    public ChainedLogicalStreamBuilder defaultOptions(
        ChainedLogicalStreamBuilder builder, Function<Integer, Boolean> hasMinimumServerVersion) {
      // The driver puts the value between single quotes without escaping it.
      String names =
          publications.stream()
              .map(TableId::quote)
              .collect(Collectors.joining(","))
              .replace("'", "''");
      return before
          .defaultOptions(builder, hasMinimumServerVersion)
          .withSlotOption("publication_names", names);
    }

    /**
     * False: the stream begins at the slot's position, and the sink drops repeated transactions.
     * Debezium calls this before each message; the call gives the message's position.
     */
    @Override
    public boolean shouldMessageBeSkipped(
        ByteBuffer message, Lsn received, Lsn start, WalPositionLocator position) {
      current = new Position(received.asLong());
      return false;
    }

    @Override
    public void close() {
      before.close();
    }
  }
}
