package dev.sluice.connector.generic;

/** PostgreSQL by Debezium's connector. */
class PostgresByDebeziumTest extends GenericCaptureContract {

  @Override
  CapturedDatabase database() {
    return new PostgresDatabase();
  }
}
