package dev.sluice.engine.validate.repair;

import dev.sluice.engine.validate.session.RowDifference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Detects rows that differ only in columns that the target computes: no statement can make them
 * equal. Pure.
 *
 * @param computed the indexes of those columns in a row's values, with their names on the target
 */
record ComputedDifference(Map<Integer, String> computed) {

  /** Why the row cannot be repaired; empty if something that can be written differs. */
  Optional<String> of(RowDifference row) {
    if (row.source().isEmpty() || row.target().isEmpty()) {
      return Optional.empty();
    }
    List<String> wanted = row.source().get().values();
    List<String> found = row.target().get().values();
    List<Integer> different =
        IntStream.range(0, wanted.size())
            .filter(i -> !Objects.equals(wanted.get(i), found.get(i)))
            .boxed()
            .toList();
    return different.isEmpty() || !computed.keySet().containsAll(different)
        ? Optional.empty()
        : Optional.of(why(computed.get(different.get(0))));
  }

  private static String why(String column) {
    return "column %s is generated on the target by another expression; make it a plain one there (in PostgreSQL: ALTER TABLE … ALTER COLUMN %s DROP EXPRESSION), then repair its rows"
        .formatted(column, column);
  }
}
