package dev.sluice.sink.target;

import dev.sluice.connector.api.Column;

/**
 * Judges by the types alone whether a column of the target keeps the values of a source's column.
 * Stateless, threadsafe.
 */
public interface ColumnFit {

  /** The judgement of one column. */
  sealed interface Verdict {
    /** Each value is kept as it is. */
    Verdict KEEPS = new Keeps();

    /** Each value is kept as it is. */
    record Keeps() implements Verdict {}

    /**
     * Ordinary values are kept; a load or a window with one of these stops, or rejects the row.
     *
     * @param values what is not kept
     */
    record Except(String values) implements Verdict {}

    /**
     * The column is not for such values.
     *
     * @param why for messages
     * @param fix the type to give the column
     */
    record Unfit(String why, String fix) implements Verdict {}
  }

  /** Judges a column that is there and can be written. */
  Verdict of(Column source, TargetTable table, TargetColumn column);
}
