package dev.sluice.engine.context;

/**
 * How much the validation has compared. Immutable.
 *
 * @param sessions that have compared something
 * @param rows compared in parts of tables, or looked up by their keys
 */
public record ComparisonTotals(long sessions, long rows) {
  public static final ComparisonTotals NONE = new ComparisonTotals(0, 0);

  public ComparisonTotals plus(ComparisonTotals more) {
    return new ComparisonTotals(sessions + more.sessions, rows + more.rows);
  }
}
