package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import io.debezium.connector.postgresql.TypeRegistry;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.MessageDecoder;
import io.debezium.connector.postgresql.connection.PostgresReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationStream.ReplicationMessageProcessor;
import io.debezium.connector.postgresql.connection.WalPositionLocator;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.postgresql.replication.fluent.logical.ChainedLogicalStreamBuilder;

/*
 * Debezium's own decoder creates an object for each value, then a Connect record: 16 CPU seconds per
 * million changes. Debezium has no setting for another decoder. The field is looked up when this
 * class is loaded, so that an unknown release of Debezium fails at the start of a capture.
 */
/** Replaces the message decoder in Debezium's replication connection. Stateless. */
final class DecoderSlot {
  private static final String FIELD = "messageDecoder";
  private static final Field DECODER = field();

  private DecoderSlot() {}

  /** Fails if Debezium's release has another structure than expected. */
  static void requireKnown() {
    if (DECODER.getType() != MessageDecoder.class) {
      throw unknown(null);
    }
  }

  /**
   * Passes the connection's messages to the given decoder. Options other than the publications
   * stay.
   *
   * @param publications names of the publications whose changes the server sends
   */
  static void install(
      ReplicationConnection connection, LogDecoder decoder, List<String> publications) {
    try {
      MessageDecoder before = (MessageDecoder) DECODER.get(connection);
      DECODER.set(connection, new Installed(before, decoder, publications));
    } catch (IllegalAccessException | IllegalArgumentException e) {
      throw unknown(e);
    }
  }

  private static Field field() {
    try {
      Field field = PostgresReplicationConnection.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw unknown(e);
    }
  }

  private static IllegalStateException unknown(Exception e) {
    return new IllegalStateException(
        "this release of Debezium's PostgreSQL connector does not keep its decoder in "
            + PostgresReplicationConnection.class.getName()
            + "."
            + FIELD,
        e);
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
