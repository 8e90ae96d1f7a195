package dev.sluice.config.mappings;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the {@code parallel-load} of one table-settings rule. Used once. */
final class ParallelLoadReader {
  private static final String TYPE = "type";
  private static final String COLUMNS = "columns";
  private static final String BOUNDARIES = "boundaries";
  private static final String PARTITIONS = "partitions";

  private static final List<String> TYPES =
      List.of("none", "partitions-auto", "partitions-list", "ranges");

  private final Fields fields;
  private final Problems problems;
  private final String rule;

  private ParallelLoadReader(Fields fields, Problems problems, String rule) {
    this.fields = fields;
    this.problems = problems;
    this.rule = rule;
  }

  /**
   * @param rule the rule's id
   * @return empty after a problem
   */
  static Optional<ParallelLoad> read(Node.Mapping mapping, Problems problems, String rule) {
    int before = problems.count();
    Optional<ParallelLoad> read =
        new ParallelLoadReader(new Fields(mapping, problems), problems, rule).read();
    return problems.count() == before ? read : Optional.empty();
  }

  private Optional<ParallelLoad> read() {
    Optional<String> type =
        fields.requireText(TYPE, Fields.oneOf(TYPES), "Add \"type\": \"ranges\"");
    if (type.isEmpty()) {
      return Optional.empty();
    }
    if (type.get().startsWith("subpartitions-") || fields.take("subpartitions").isPresent()) {
      problems.add(
          fields.place(),
          "rule " + rule + " has subpartitions",
          "partitions: in PostgreSQL a subpartition is a partition like any other",
          "Write \"type\": \"partitions-auto\", which includes all levels");
      return Optional.empty();
    }
    if (!fields.isAllowed(TYPE, type.get(), TYPES)) {
      return Optional.empty();
    }
    ParallelLoad read =
        switch (type.get()) {
          case "none" -> new ParallelLoad.Whole();
          case "partitions-auto" -> new ParallelLoad.Partitions(rule, List.of());
          case "partitions-list" -> new ParallelLoad.Partitions(rule, texts(PARTITIONS));
          default -> ranges();
        };
    fields.refuseOthers();
    return Optional.of(read);
  }

  private ParallelLoad ranges() {
    List<String> columns = texts(COLUMNS);
    List<List<String>> boundaries = new ArrayList<>();
    for (Node boundary : items(BOUNDARIES)) {
      // With one column, a boundary may be a value instead of a list.
      List<String> values =
          texts(boundary instanceof Node.Sequence list ? list.items() : List.of(boundary));
      boundaries.add(values);
      if (!columns.isEmpty() && values.size() != columns.size()) {
        problems.add(
            boundary.place(),
            "rule " + rule + " has a boundary of " + Counted.of(values.size(), "value"),
            Counted.of(columns.size(), "value") + ", one for each of the columns " + columns,
            "Write one value for each column");
      }
    }
    return new ParallelLoad.Ranges(rule, columns, boundaries);
  }

  private List<String> texts(String key) {
    return texts(items(key));
  }

  private List<String> texts(List<Node> nodes) {
    List<String> texts = new ArrayList<>();
    for (Node node : nodes) {
      fields.textOf(node).ifPresent(texts::add);
    }
    return texts;
  }

  /** The items of a required list, which must not be empty. */
  private List<Node> items(String key) {
    Optional<Node> list = fields.require(key, "a list", "Add \"" + key + "\": [ … ]");
    if (list.isEmpty()) {
      return List.of();
    }
    if (list.get() instanceof Node.Sequence sequence && !sequence.items().isEmpty()) {
      return sequence.items();
    }
    problems.add(
        list.get().place(), list.get().kind(), "a list with at least one item", "Write [ … ]");
    return List.of();
  }
}
