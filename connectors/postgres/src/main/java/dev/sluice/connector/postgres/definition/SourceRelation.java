package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A table, a partitioned table, a partition or a view of the source that becomes a table on a
 * target. Immutable.
 *
 * @param root the target's name of the root of its tree; its own name if it is in no tree
 * @param parent the target's name of its partitioned parent; null if it is no partition
 * @param bound of the partition, with FOR VALUES
 * @param partitionKey strategy and columns; null if it is not partitioned
 * @param height levels above the lowest partition of its tree
 * @param inOrder whether its columns have the parent's order
 * @param inherits the target's names of the tables from which it inherits; empty if one is not
 *     created
 */
record SourceRelation(
    long oid,
    TableId table,
    TableId target,
    TableId root,
    TableId parent,
    String bound,
    String partitionKey,
    boolean unlogged,
    int height,
    boolean inOrder,
    List<TableId> inherits) {
  SourceRelation {
    inherits = List.copyOf(inherits);
  }

  boolean isPartition() {
    return parent != null;
  }

  boolean isPartitioned() {
    return partitionKey != null;
  }

  /** Whether it inherits columns and constraints. */
  boolean isChild() {
    return isPartition() || !inherits.isEmpty();
  }

  /** The beginning of an ALTER TABLE of this table without its descendants. */
  String only() {
    return "ALTER TABLE ONLY " + target.quoted() + " ";
  }

  /** The quoted name of an object in its schema on the target, such as an index. */
  String beside(String name) {
    return new TableId(target.schema(), name).quoted();
  }
}
