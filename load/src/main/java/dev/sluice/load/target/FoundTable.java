package dev.sluice.load.target;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * Something of the target that has the name of a table to be made. Immutable.
 *
 * @param kind as the catalog has it: {@code BASE TABLE}
 * @param ordinary whether it is a table that DROP TABLE drops, and nothing else
 * @param comment that it carries
 * @param triggers their names; they would go with the table
 */
public record FoundTable(
    TableId table, String kind, boolean ordinary, String comment, List<String> triggers) {
  public FoundTable {
    triggers = List.copyOf(triggers);
  }
}
