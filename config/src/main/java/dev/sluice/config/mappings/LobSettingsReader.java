package dev.sluice.config.mappings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.util.List;
import java.util.Optional;

/** Reads the {@code lob-settings} of one table-settings rule. Stateless. */
final class LobSettingsReader {
  static final String KEY = "lob-settings";

  private static final String MODE = "mode";
  private static final String SIZE = "bulk-max-size";
  private static final int MOST = 1024 * 1024;

  private LobSettingsReader() {}

  /**
   * @param rule the rule's id
   * @return the size in KB at which the table's values are cut, 0 for complete values; empty after
   *     a problem
   */
  static Optional<Long> read(Node.Mapping mapping, Problems problems, String rule) {
    int before = problems.count();
    Fields fields = new Fields(mapping, problems);
    Optional<String> mode =
        fields.requireText(
            MODE, Fields.oneOf(List.of("limited", "unlimited")), "Add \"mode\": \"unlimited\"");
    Optional<Node> size = fields.take(SIZE);
    fields.refuseOthers();
    if (mode.isEmpty()) {
      return Optional.empty();
    }
    if (mode.get().equals("none")) {
      problems.add(
          fields.placeOf(MODE),
          "rule " + rule + " skips LOB columns, which is not supported",
          "limited or unlimited",
          "Write a transformation rule remove-column for each of these columns, or \"mode\":"
              + " \"unlimited\"");
    } else if (fields.isAllowed(MODE, mode.get(), List.of("limited", "unlimited"))) {
      if (mode.get().equals("unlimited")) {
        return Optional.of(0L);
      }
      Optional<Long> kilobytes = size.flatMap(LobSettingsReader::kilobytes);
      if (kilobytes.isEmpty()) {
        problems.add(
            size.map(Node::place).orElse(fields.place()),
            "rule " + rule + " cuts values, but has no valid " + SIZE,
            SIZE + " from 1 to " + MOST + ", in KB",
            "Add \"" + SIZE + "\": \"32\"");
      }
      return kilobytes.filter(read -> problems.count() == before);
    }
    return Optional.empty();
  }

  /** DMS writes numbers in these rules as texts. */
  private static Optional<Long> kilobytes(Node node) {
    try {
      long size = Long.parseLong(String.valueOf(Node.scalarText(node)).strip());
      return size >= 1 && size <= MOST ? Optional.of(size) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
