package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A deferrable unique or exclusion constraint, which PostgreSQL does not check in the replica role.
 * Immutable.
 *
 * @param name name of the constraint, for messages
 * @param relation the table or partition with the constraint
 * @param partitioned whether that relation is itself partitioned
 * @param elements two rows conflict if they agree in all of these
 * @param predicate SQL condition of the rows it applies to, over the relation's columns; null: all
 *     rows
 * @param nullsEqual whether two NULLs count as equal
 */
public record DeferredConstraint(
    String name,
    TableId relation,
    boolean partitioned,
    List<Element> elements,
    String predicate,
    boolean nullsEqual) {
  public DeferredConstraint {
    elements = List.copyOf(elements);
  }

  /**
   * @param expression SQL over the relation's columns One compared value of a constraint.
   * @param operator SQL operator that is true for two conflicting values
   */
  public record Element(String expression, String operator) {}
}
