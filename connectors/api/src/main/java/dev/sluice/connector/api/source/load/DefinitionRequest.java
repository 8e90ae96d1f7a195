package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Which definitions a target needs. Immutable.
 *
 * @param tables names on the source
 * @param targetOf the target's name of a source's table or sequence
 * @param targetMajorVersion of the target's server, such as 16
 * @param runsCode whether code of the source's users may run on the target with the loader's rights
 */
public record DefinitionRequest(
    List<TableId> tables,
    UnaryOperator<TableId> targetOf,
    int targetMajorVersion,
    boolean runsCode) {
  public DefinitionRequest {
    tables = List.copyOf(tables);
  }
}
