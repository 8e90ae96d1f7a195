package dev.sluice.config.dms;

import dev.sluice.config.document.Node;
import java.util.stream.Collectors;

/** A value of DMS in a note: on one line, and not too long. Stateless. */
final class NotedValue {
  private static final int LONGEST = 120;

  private NotedValue() {}

  static String of(Node node) {
    String text = written(node).replaceAll("\\p{Cntrl}+", " ");
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }

  private static String written(Node node) {
    if (node instanceof Node.Text text) {
      return text.text().isEmpty() ? "(empty)" : text.text();
    }
    if (node instanceof Node.Sequence sequence) {
      return sequence.items().stream()
          .map(NotedValue::written)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (node instanceof Node.Mapping mapping) {
      return mapping.entries().stream()
          .map(entry -> entry.key() + ": " + written(entry.value()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return node instanceof Node.Nothing ? "null" : Node.scalarText(node);
  }
}
