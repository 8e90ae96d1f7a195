package dev.sluice.connector.postgres.capture;

import io.debezium.connector.postgresql.PostgresConnector;
import org.apache.kafka.connect.connector.Task;

/** Debezium's connector for PostgreSQL, with values left as PostgreSQL's text. Made by Debezium. */
public final class SluicePostgresConnector extends PostgresConnector {
  @Override
  public Class<? extends Task> taskClass() {
    return SluicePostgresTask.class;
  }
}
