package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;

/**
 * Which definitions a target needs. Immutable.
 *
 * @param tables names on the source
 * @param targetOf the target's name of a source's table or sequence
 * @param targetMajorVersion of the target's server, such as 16
 * @param runsCode whether code of the source's users may run on the target with the loader's rights
 * @param taken names on the target that belong to others and stay: no index or sequence that needs
 *     a name of its own gets one of them
 * @param ordinary whether a generated column of a source's table is an ordinary one on the target,
 *     or must become one, whatever its expression is
 */
public record DefinitionRequest(
    List<TableId> tables,
    UnaryOperator<TableId> targetOf,
    int targetMajorVersion,
    boolean runsCode,
    Set<TableId> taken,
    BiPredicate<TableId, String> ordinary) {
  public DefinitionRequest {
    tables = List.copyOf(tables);
    taken = Set.copyOf(taken);
  }

  /**
   * A request for what needs no names of its own, or for a target that has nothing else, and where
   * the source's generated columns are ordinary ones.
   */
  public DefinitionRequest(
      List<TableId> tables,
      UnaryOperator<TableId> targetOf,
      int targetMajorVersion,
      boolean runsCode) {
    this(tables, targetOf, targetMajorVersion, runsCode, Set.of(), (table, column) -> true);
  }
}
