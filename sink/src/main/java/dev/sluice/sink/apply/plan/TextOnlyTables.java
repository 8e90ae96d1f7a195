package dev.sluice.sink.apply.plan;

import java.util.HashSet;
import java.util.Set;

/**
 * The target tables whose rows a session sends as text: a column's type or a value had no binary
 * form. A new session tries again. Owned by the apply thread.
 */
public final class TextOnlyTables {
  private final Set<Long> tables = new HashSet<>();

  /**
   * @param table its object id
   */
  public void add(long table) {
    tables.add(table);
  }

  public boolean contains(long table) {
    return tables.contains(table);
  }
}
