package dev.sluice.engine.connect;

/** The topics between the two connectors, which decide what order is kept. */
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

  /** The value of {@code topic.layout}. */
  @Override
  public String toString() {
    return text;
  }
}
