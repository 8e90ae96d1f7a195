package dev.sluice.connector.debezium;

/** Stands in Debezium's records for a value that the source's log does not repeat. */
public final class UnchangedValue {

  /** Compared by identity: no text of a user is ever taken for it. */
  @SuppressWarnings("StringOperationCanBeSimplified")
  public static final String MARK = new String("unchanged");

  private UnchangedValue() {}
}
