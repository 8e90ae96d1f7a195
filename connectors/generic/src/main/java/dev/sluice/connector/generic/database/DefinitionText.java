package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A table as the source has it, in texts that change whenever the table becomes another one.
 * Immutable.
 *
 * @param id differs between two tables of one name; empty if the database has no such thing
 * @param parts columns with their types, and the primary key
 */
public record DefinitionText(String id, List<String> parts) {
  // Undoing a change is no way out: one of a type may have changed rows, and no log tells.
  private static final String FIX =
      "Values that the target lacks may be gone from the log's records. Load the tables again:"
          + " sluice stop --drop, and then sluice run";

  public DefinitionText {
    parts = List.copyOf(parts);
  }

  public String text() {
    return id + "\n" + String.join("\n", parts);
  }

  public static DefinitionText parse(String text) {
    List<String> lines = Arrays.asList(text.split("\n", -1));
    return new DefinitionText(lines.get(0), lines.subList(1, lines.size()));
  }

  /**
   * What the table is otherwise now; empty if it is the same.
   *
   * @param now empty if the source has no table of that name
   */
  public Optional<Problem> changed(TableId table, Optional<DefinitionText> now) {
    if (now.filter(this::equals).isPresent()) {
      return Optional.empty();
    }
    if (now.isEmpty()) {
      return problem(table, "it is gone, or is published no more", "the table", FIX);
    }
    if (!id.equals(now.get().id())) {
      return problem(
          table,
          "it was renamed, dropped or made again: it is another table now",
          "the table",
          FIX);
    }
    List<String> added = new ArrayList<>(now.get().parts());
    added.removeAll(parts);
    List<String> removed = new ArrayList<>(parts);
    removed.removeAll(now.get().parts());
    return problem(
        table,
        "its definition has " + (added.isEmpty() ? "less than before" : String.join(", ", added)),
        removed.isEmpty() ? "the definition" : String.join(", ", removed),
        FIX);
  }

  private static Optional<Problem> problem(
      TableId table, String found, String expected, String fix) {
    return Optional.of(
        new Problem("table " + table, found, expected + ", as when the capture of it began", fix));
  }
}
