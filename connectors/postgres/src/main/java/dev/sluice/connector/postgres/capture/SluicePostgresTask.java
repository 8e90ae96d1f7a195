package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.debezium.EventQueue;
import dev.sluice.connector.debezium.LogReader;
import dev.sluice.connector.debezium.MessagePrefixes;
import io.debezium.connector.postgresql.PostgresConnectorConfig;
import io.debezium.connector.postgresql.PostgresConnectorTask;
import io.debezium.connector.postgresql.PostgresSchema;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.PostgresConnection;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import java.sql.SQLException;
import java.util.function.Predicate;
import org.apache.kafka.connect.source.SourceTask;

/**
 * Debezium's task, with its connections, its slot, its streaming loop and its handling of failures;
 * what it streams is decoded by a {@link LogDecoder}. Run by a capture's threads.
 */
public final class SluicePostgresTask extends PostgresConnectorTask implements LogReader {
  private final MessagePrefixes prefixes;
  private final SourceTables tables;
  private final Predicate<TableId> captured;
  private final EventQueue queue;
  private final String sessionName;
  private volatile LogStream stream;

  /**
   * @param captured which of the published tables to capture
   * @param queue gets the events
   * @param sessionName by which others know whose the reader of the slot is
   */
  public SluicePostgresTask(
      MessagePrefixes prefixes,
      SourceTables tables,
      Predicate<TableId> captured,
      EventQueue queue,
      String sessionName) {
    DecoderSlot.requireKnown();
    this.prefixes = prefixes;
    this.tables = tables;
    this.captured = captured;
    this.queue = queue;
    this.sessionName = sessionName;
  }

  @Override
  public SourceTask task() {
    return this;
  }

  @Override
  public void acknowledge(Position position) throws SQLException {
    stream.flushLsn(Lsn.valueOf(position.lsn()));
  }

  @Override
  public boolean hasEnded() {
    LogStream begun = stream;
    return begun != null && begun.hasEnded();
  }

  @Override
  protected ReplicationConnection buildReplicationConnection(
      PostgresConnection connection, PostgresSchema schema, PostgresConnectorConfig config)
      throws SQLException {
    LogDecoder decoder = new LogDecoder(prefixes, tables, captured);
    ReplicationConnection replication =
        super.buildReplicationConnection(connection, schema, config);
    DecoderSlot.install(replication, decoder);
    return new LogConnection(replication, decoder, queue, sessionName, this::started);
  }

  /** A second stream would repeat, within one term, what the first one had begun. */
  private void started(LogStream begun) {
    if (stream != null) {
      throw new IllegalStateException("BUG: Debezium's task streams a second time");
    }
    stream = begun;
  }
}
