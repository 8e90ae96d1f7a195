package dev.sluice.sink.target;

import java.util.List;
import java.util.Set;

/**
 * A unique or exclusion index of a target table or of one of its partitions. Immutable.
 *
 * @param name for messages
 * @param looksAt every column that decides whether a row meets another in it: keys, the columns of
 *     expressions and of the predicate, and for a generated column those it is computed from
 * @param uniqueKey the key columns where any two rows of the table that agree in them are refused
 *     at once; empty for exclusion, partial, expression and deferrable indexes and those of
 *     partitions
 */
public record TargetIndex(String name, Set<String> looksAt, List<String> uniqueKey) {
  public TargetIndex {
    looksAt = Set.copyOf(looksAt);
    uniqueKey = List.copyOf(uniqueKey);
  }
}
