package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Set;

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
 * @param adapted target tables whose columns are altered once they are made: their keys and
 *     indexes, which name the columns as the source does, are made before that, and so before the
 *     rows
 * @param adaptations what alters them
 */
public record TableDefinitions(
    List<DefinitionStatement> needed,
    List<DefinitionStatement> tables,
    List<DefinitionStatement> details,
    List<CompletionStep> keys,
    List<CompletionStep> rest,
    Set<TableId> adapted,
    List<DefinitionStatement> adaptations) {
  public TableDefinitions {
    needed = List.copyOf(needed);
    tables = List.copyOf(tables);
    details = List.copyOf(details);
    keys = List.copyOf(keys);
    rest = List.copyOf(rest);
    adapted = Set.copyOf(adapted);
    adaptations = List.copyOf(adaptations);
  }

  /** Tables as they are on the source. */
  public TableDefinitions(
      List<DefinitionStatement> needed,
      List<DefinitionStatement> tables,
      List<DefinitionStatement> details,
      List<CompletionStep> keys,
      List<CompletionStep> rest) {
    this(needed, tables, details, keys, rest, Set.of(), List.of());
  }

  /** The same tables, altered then. */
  public TableDefinitions adaptedBy(Set<TableId> altered, List<DefinitionStatement> statements) {
    return new TableDefinitions(needed, tables, details, keys, rest, altered, statements);
  }
}
