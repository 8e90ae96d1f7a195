package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;

/**
 * What one statement made of one table. Immutable.
 *
 * @param before null where the table is new
 * @param after null where the table is gone
 * @param begins whether the task follows the table from here on, with its first row
 * @param rewritten whether the source wrote the table's rows anew
 * @param obstacle why the target cannot be the same any more although the task follows the table;
 *     null where nothing is in the way
 */
public record DefinitionChange(
    TableDefinition before,
    TableDefinition after,
    boolean begins,
    boolean rewritten,
    String obstacle) {

  public DefinitionChange {
    if (before == null && after == null) {
      throw new IllegalArgumentException("BUG: a definition that neither was nor is");
    }
  }

  /** The table, by the name under which its changes come from here on. */
  public TableId table() {
    return after != null ? after.table() : before.table();
  }

  public boolean drops() {
    return after == null;
  }
}
