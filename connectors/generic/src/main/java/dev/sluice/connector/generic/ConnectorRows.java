package dev.sluice.connector.generic;

import dev.sluice.connector.api.source.UnchangedRowLogging;

/** What the log has of old rows is the DBA's to set: no table is changed. Stateless. */
final class ConnectorRows extends UnchangedRowLogging {
  @Override
  public String kind() {
    return "the logging of old rows";
  }

  @Override
  public String whyLeft() {
    return "the task changes none";
  }
}
