package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A table, a partitioned table, a partition or a view of the source that is to be a table on a
 * target. Immutable.
 *
 * @param root on the target, of the tree that it belongs to; its own name where it is none's part
 * @param parent of which it is a partition, on the target; null where it is none
 * @param bound of the partition, with FOR VALUES
 * @param partitionKey strategy and columns; null where it is not partitioned
 * @param height above the lowest partition of its tree
 * @param inOrder whether its columns come in the order of the parent's
 * @param inherits tables from which it inherits, on the target; none where one of them is not made
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

  /** Whether columns and constraints come from above. */
  boolean isChild() {
    return isPartition() || !inherits.isEmpty();
  }

  /** How ALTER TABLE names it without those below it. */
  String only() {
    return "ALTER TABLE ONLY " + target.quoted() + " ";
  }

  /** What is in its schema under a name, on the target: indexes are in their table's. */
  String beside(String name) {
    return new TableId(target.schema(), name).quoted();
  }
}
