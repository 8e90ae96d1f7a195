package dev.sluice.connector.api.load;

import java.util.List;

/**
 * What makes a set of tables on a target on which they are not, each list in the order in which its
 * statements can run. Immutable.
 *
 * @param needed schemas, extensions, types, functions and sequences that the tables need
 * @param tables the tables with their partitions and children, without any key
 * @param details comments, storage parameters and the like: a target that does not know one is
 *     usable without it
 * @param keys primary keys, and the unique indexes that are a replica identity
 * @param rest indexes and statistics; constraints and triggers come with {@code CONSTRAINTS}
 */
public record TableDefinitions(
    List<DefinitionStatement> needed,
    List<DefinitionStatement> tables,
    List<DefinitionStatement> details,
    List<CompletionStep> keys,
    List<CompletionStep> rest) {
  public TableDefinitions {
    needed = List.copyOf(needed);
    tables = List.copyOf(tables);
    details = List.copyOf(details);
    keys = List.copyOf(keys);
    rest = List.copyOf(rest);
  }
}
