package dev.sluice.sink.apply.plan;

import java.util.HashSet;
import java.util.Set;

/**
 * The target tables whose rows a session sends as text: a column's type or a value had no binary
 * form. A new session tries again. Owned by the apply thread.
 */
public final class TextOnlyTables {
  private final Set<Long> tables = new HashSet<>();

  /** Whether all tables are, until the next window begins. */
  private boolean all;

  void beginWindow() {
    all = false;
  }

  /**
   * Adds all tables until the next window begins. What the server then says about a row is about
   * its values, and not about bytes that were meant for another table or type.
   */
  public void addAllInWindow() {
    all = true;
  }

  /**
   * @param table its object id
   */
  public void add(long table) {
    // Of the rows of such a window, none was tried in binary.
    if (!all) {
      tables.add(table);
    }
  }

  public boolean contains(long table) {
    return all || tables.contains(table);
  }
}
