package dev.sluice.sink.target;

/**
 * A column of a staged set, or of a table that rows go straight into. Immutable.
 *
 * @param column the target column whose values it has; null for the set's own columns
 */
public record StagedColumn(String name, Kind kind, TargetColumn column) {

  /** What a staged column holds. */
  public enum Kind {
    /** A whole number of 64 bits. */
    NUMBER,
    /** A text of the digits 0 and 1. */
    BITS,
    /** A value of the target column's type. */
    VALUE,
    /** The same, part of the key by which a row is updated: no two rows have the same key. */
    KEY
  }

  /** A target column as a column of its own table, for rows that go straight there. */
  public static StagedColumn itself(TargetColumn column) {
    return new StagedColumn(column.quoted(), Kind.VALUE, column);
  }
}
