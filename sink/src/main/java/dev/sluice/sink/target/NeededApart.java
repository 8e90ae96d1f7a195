package dev.sluice.sink.target;

import java.sql.SQLException;

/**
 * Thrown if a window needs a definition that must be made outside of its transaction, since DDL
 * commits on the target: roll the window back, {@link #make make} the definition, and begin the
 * window again. Used by one thread.
 */
public abstract class NeededApart extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param name what is made, for messages; the same at each attempt
   */
  protected NeededApart(String name) {
    super(name, null, false, false);
  }

  /** Makes the definition on a session without an open transaction. */
  public abstract void make(TargetConnection connection) throws SQLException;
}
