package dev.sluice.connector.api.load;

import java.util.List;

/**
 * What makes a set of tables on a target on which they are not, each list in the order in which its
 * statements can run. Immutable.
 *
 * @param needed schemas, extensions, types and sequences that the tables need
 * @param tables the tables with their partitions, without any key
 * @param keys primary keys, and the unique indexes that are a replica identity
 */
public record TableDefinitions(
    List<DefinitionStatement> needed,
    List<DefinitionStatement> tables,
    List<DefinitionStatement> keys) {
  public TableDefinitions {
    needed = List.copyOf(needed);
    tables = List.copyOf(tables);
    keys = List.copyOf(keys);
  }
}
