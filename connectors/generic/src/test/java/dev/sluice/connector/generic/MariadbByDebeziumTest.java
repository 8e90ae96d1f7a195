package dev.sluice.connector.generic;

/** MariaDB by Debezium's connector. */
class MariadbByDebeziumTest extends GenericCaptureContract {

  @Override
  CapturedDatabase database() {
    return new MariadbDatabase();
  }
}
