package dev.sluice.engine.connect;

/** Which topics lie between the two connectors, and so which order is kept. */
public enum ConnectLayout {
  /** One topic for everything: transactions are kept. */
  ORDERED("ordered"),
  /** A topic for each table, and one for the transactions, which are kept. */
  TABLES_WITH_TRANSACTIONS("tables-with-transactions"),
  /** A topic for each table: the order of each partition is kept, and no more. */
  TABLES("tables");

  private final String text;

  ConnectLayout(String text) {
    this.text = text;
  }

  /** As {@code topic.layout} has it. */
  @Override
  public String toString() {
    return text;
  }
}
