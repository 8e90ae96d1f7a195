package dev.sluice.connector.postgres.capture;

import io.debezium.connector.postgresql.PostgresConnectorConfig;
import io.debezium.connector.postgresql.PostgresConnectorTask;
import io.debezium.connector.postgresql.PostgresSchema;
import io.debezium.connector.postgresql.connection.PostgresConnection;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import java.sql.SQLException;

/** Debezium's task, reading from a {@link TextReplicationConnection}. Made by Debezium. */
public final class SluicePostgresTask extends PostgresConnectorTask {
  @Override
  protected ReplicationConnection buildReplicationConnection(
      PostgresConnection connection, PostgresSchema schema, PostgresConnectorConfig config)
      throws SQLException {
    return new TextReplicationConnection(
        super.buildReplicationConnection(connection, schema, config));
  }
}
