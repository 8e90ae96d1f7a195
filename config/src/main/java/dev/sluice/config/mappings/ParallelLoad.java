package dev.sluice.config.mappings;

import java.util.List;
import java.util.stream.Collectors;

/** What a table-settings rule says of the parts in which a table is loaded. Immutable. */
public sealed interface ParallelLoad {
  String KEY = "parallel-load";

  /** {@code none}: however large it is, each of its partitions, or the table, in one piece. */
  record Whole() implements ParallelLoad {
    @Override
    public String toString() {
      return "in one piece";
    }
  }

  /**
   * {@code partitions-auto} and {@code partitions-list}: by partition, as each partitioned table is
   * loaded anyway.
   *
   * @param rule the rule's id
   * @param names those that must be there; none where all are meant
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
   * {@code ranges}: the rows below the first boundary, those below the next, and so on; what is
   * below none, rows with NULL among them, is the last part.
   *
   * @param rule the rule's id
   * @param columns in the order in which they are compared
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
