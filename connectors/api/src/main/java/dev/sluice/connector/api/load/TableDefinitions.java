package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Set;

/**
 * The statements that create tables on a target, each list in the order of execution. Immutable.
 *
 * @param needed schemas, extensions, types, functions and sequences that the tables need
 * @param tables the tables with their partitions and children, without any key
 * @param details comments, storage parameters and the like, which a target may reject without harm
 * @param keys primary keys, and the unique indexes that are a replica identity
 * @param rest indexes and statistics; constraints and triggers follow in stage {@code CONSTRAINTS}
 * @param adapted target tables whose columns are altered after creation; their keys and indexes use
 *     the source's column names, so they are created before that, and so before the rows
 * @param adaptations the statements that alter them
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

  /** Tables that are the same as on the source. */
  public TableDefinitions(
      List<DefinitionStatement> needed,
      List<DefinitionStatement> tables,
      List<DefinitionStatement> details,
      List<CompletionStep> keys,
      List<CompletionStep> rest) {
    this(needed, tables, details, keys, rest, Set.of(), List.of());
  }

  /** The same tables with adaptations. */
  public TableDefinitions adaptedBy(Set<TableId> altered, List<DefinitionStatement> statements) {
    return new TableDefinitions(needed, tables, details, keys, rest, altered, statements);
  }
}
