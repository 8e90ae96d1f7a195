package dev.sluice.engine.context;

/**
 * How much the validation has compared. Immutable.
 *
 * @param sessions that have compared something
 * @param rows compared in parts of tables, or looked up by their keys
 */
public record ComparedRows(long sessions, long rows) {
  public static final ComparedRows NONE = new ComparedRows(0, 0);

  public ComparedRows plus(ComparedRows more) {
    return new ComparedRows(sessions + more.sessions, rows + more.rows);
  }
}
