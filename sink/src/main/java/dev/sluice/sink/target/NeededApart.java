package dev.sluice.sink.target;

import java.sql.SQLException;

/**
 * A definition that a window needs, on a target where making it commits the open transaction: roll
 * the window back, {@link #make make} it, and begin the window again. Used by one thread.
 */
public abstract class NeededApart extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param name what is made, for messages; the same at each attempt
   */
  protected NeededApart(String name) {
    super(name, null, false, false);
  }

  /** Makes it over a session without an open transaction. */
  public abstract void make(TargetConnection connection) throws SQLException;
}
