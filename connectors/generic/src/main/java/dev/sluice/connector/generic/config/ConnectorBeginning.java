package dev.sluice.connector.generic.config;

/** Where a connector begins to read. */
public enum ConnectorBeginning {
  /** With the rows that are there, and then after them. */
  ROWS,
  /** At the present end of the log. */
  NOW,
  /** At an offset that it is given, and has not been at before. */
  PLACE;

  /** Debezium's word for it. */
  String snapshotMode(KnownConnector connector) {
    return switch (this) {
      case ROWS -> "initial";
      case NOW -> "no_data";
      // A history of definitions that is missing is made of the present ones, for the offset.
      case PLACE -> connector.hasSchemaHistory() ? "recovery" : "no_data";
    };
  }
}
