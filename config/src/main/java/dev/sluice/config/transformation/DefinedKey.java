package dev.sluice.config.transformation;

import java.util.List;

/**
 * The primary key that a rule defines for a table that the task creates. Immutable.
 *
 * @param rule the id of the transformation rule, for messages
 * @param name of the constraint
 * @param columns as the source's catalog spells them
 */
public record DefinedKey(String rule, String name, List<String> columns) {
  public DefinedKey {
    columns = List.copyOf(columns);
  }
}
