package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A deferrable unique or exclusion constraint, which PostgreSQL does not check in the replica role.
 * Immutable.
 *
 * @param name for messages
 * @param relation the table or partition that has it
 * @param partitioned whether that is itself partitioned
 * @param elements what two rows must not have in common, all of them together
 * @param predicate SQL over the relation's columns that a row must fulfil to count; null: all count
 * @param nullsEqual whether two NULLs are the same value
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
   * @param expression SQL over the relation's columns
   * @param operator true for two values that meet
   */
  public record Element(String expression, String operator) {}
}
