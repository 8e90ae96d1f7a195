package dev.sluice.config.mappings;

import java.util.List;
import java.util.stream.Collectors;

/** The segments in which a table is loaded, from a table-settings rule. Immutable. */
public sealed interface ParallelLoad {
  String KEY = "parallel-load";

  /** {@code none}: the table, or each of its partitions, is one segment, whatever its size. */
  record Whole() implements ParallelLoad {
    @Override
    public String toString() {
      return "in one piece";
    }
  }

  /**
   * {@code partitions-auto} and {@code partitions-list}: one segment for each partition, which is
   * also the default for partitioned tables.
   *
   * @param rule the rule's id
   * @param names partitions that must exist; empty for all
   */
  record Partitions(String rule, List<String> names) implements ParallelLoad {
    public Partitions {
      names = List.copyOf(names);
    }

    @Override
    public String toString() {
      return "by partition";
    }
  }

  /**
   * {@code ranges}: a segment for the rows below each boundary. The last segment has all other
   * rows, also those with NULL.
   *
   * @param rule the rule's id
   * @param columns in the order of comparison
   * @param boundaries each with one value for each column, as text
   */
  record Ranges(String rule, List<String> columns, List<List<String>> boundaries)
      implements ParallelLoad {
    public Ranges {
      columns = List.copyOf(columns);
      boundaries = boundaries.stream().map(List::copyOf).toList();
    }

    @Override
    public String toString() {
      return "by ranges of (%s), below %s"
          .formatted(
              String.join(", ", columns),
              boundaries.stream().map(List::toString).collect(Collectors.joining(", ")));
    }
  }
}
