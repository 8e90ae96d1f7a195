package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.debezium.LogReader;
import dev.sluice.connector.debezium.MessagePrefixes;
import dev.sluice.connector.journal.EventQueue;
import io.debezium.connector.postgresql.PostgresConnectorConfig;
import io.debezium.connector.postgresql.PostgresConnectorTask;
import io.debezium.connector.postgresql.PostgresSchema;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.PostgresConnection;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import java.sql.SQLException;
import java.util.List;
import org.apache.kafka.connect.source.SourceTask;

/**
 * Debezium's PostgreSQL task with a {@link LogDecoder} instead of Debezium's decoder. Connections,
 * slot, streaming loop and error handling are Debezium's. Run by a capture's threads.
 */
public final class SluicePostgresTask extends PostgresConnectorTask implements LogReader {
  private final MessagePrefixes prefixes;
  private final OwnMessages own;
  private final SourceTables tables;
  private final EventQueue queue;
  private final String sessionName;
  private final List<String> publications;
  private volatile LogStream stream;

  /**
   * @param own the messages that this process wrote; all others are ignored
   * @param publications names of the publications whose changes the server sends
   * @param queue receives the events
   * @param sessionName name of the session that reads the slot, in {@code pg_stat_activity}
   */
  public SluicePostgresTask(
      MessagePrefixes prefixes,
      OwnMessages own,
      List<String> publications,
      SourceTables tables,
      EventQueue queue,
      String sessionName) {
    this.prefixes = prefixes;
    this.own = own;
    this.publications = List.copyOf(publications);
    this.tables = tables;
    this.queue = queue;
    this.sessionName = sessionName;
  }

  @Override
  public SourceTask task() {
    return this;
  }

  @Override
  public void acknowledge(Position position) throws SQLException {
    stream.flushLsn(lsnOf(position));
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
    LogDecoder decoder =
        new LogDecoder(prefixes, own, tables, new TransactionIds(newestTransaction(connection)));
    ReplicationConnection replication =
        super.buildReplicationConnection(connection, schema, config);
    DecoderSlot.install(replication, decoder, publications);
    return new LogConnection(replication, decoder, queue, sessionName, this::started);
  }

  private static long newestTransaction(PostgresConnection connection) throws SQLException {
    return connection.queryAndMap(
        "SELECT pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot())",
        connection.singleResultMapper(row -> row.getLong(1), "the server returned no snapshot"));
  }

  private static Lsn lsnOf(Position position) {
    if (position.high() != 0) {
      throw new IllegalArgumentException(
          "BUG: %s is not a log position of PostgreSQL".formatted(position));
    }
    return Lsn.valueOf(position.low());
  }

  /** A second stream would repeat, within one term, a transaction that the first one had begun. */
  private void started(LogStream begun) {
    if (stream != null) {
      throw new IllegalStateException("BUG: Debezium's task streams a second time");
    }
    stream = begun;
  }
}
