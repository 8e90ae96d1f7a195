package dev.sluice.sink.target;

import java.util.List;
import java.util.Set;

/**
 * A unique or exclusion index of a target table or of one of its partitions. Immutable.
 *
 * @param name name of the index, for messages
 * @param looksAt every column that decides whether two rows conflict: key columns, columns of
 *     expressions and of the predicate, and the inputs of generated columns
 * @param uniqueKey the key columns of an immediate unique index of the table itself; empty for
 *     exclusion, partial, expression and deferrable indexes and those of partitions
 */
public record TargetIndex(String name, Set<String> looksAt, List<String> uniqueKey) {
  public TargetIndex {
    looksAt = Set.copyOf(looksAt);
    uniqueKey = List.copyOf(uniqueKey);
  }
}
