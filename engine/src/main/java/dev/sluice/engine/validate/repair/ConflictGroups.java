package dev.sluice.engine.validate.repair;

import dev.sluice.sink.target.TargetIndex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Groups rows that exchange values of a unique index: they must be written together, since the
 * first of two transactions would set a value that another row still has. Pure.
 *
 * @param indexes unique and exclusion indexes of the target's table
 * @param nameOnTarget of a column of the source
 */
public record ConflictGroups(List<TargetIndex> indexes, UnaryOperator<String> nameOnTarget) {
  public ConflictGroups {
    indexes = List.copyOf(indexes);
  }

  /**
   * The groups, in the order of their first rows.
   *
   * @param images the values of a row on both sides, by the columns' names on the source
   */
  public <T> List<List<T>> of(List<T> rows, Function<T, List<Map<String, String>>> images) {
    int[] leaders = new int[rows.size()];
    Map<List<Object>, Integer> holders = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      leaders[i] = i;
      for (Map<String, String> image :
          indexes.isEmpty() ? List.<Map<String, String>>of() : images.apply(rows.get(i))) {
        join(leaders, holders, i, image);
      }
    }
    Map<Integer, List<T>> groups = new LinkedHashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      groups.computeIfAbsent(leader(leaders, i), any -> new ArrayList<>()).add(rows.get(i));
    }
    return List.copyOf(groups.values());
  }

  /** Joins a row with those that have the same values in an index. */
  private void join(
      int[] leaders, Map<List<Object>, Integer> holders, int row, Map<String, String> image) {
    Map<String, String> values = new HashMap<>();
    image.forEach((name, value) -> values.put(nameOnTarget.apply(name), value));
    for (int index = 0; index < indexes.size(); index++) {
      TargetIndex unique = indexes.get(index);
      // The values of a row that is listed with digests are not known, so they do not join rows.
      if (Collections.disjoint(values.keySet(), unique.looksAt())
          || hasNull(unique.uniqueKey(), values)) {
        continue;
      }
      List<Object> held = new ArrayList<>();
      held.add(index);
      unique.looksAt().stream().sorted().map(values::get).forEach(held::add);
      Integer other = holders.putIfAbsent(held, row);
      if (other != null) {
        leaders[leader(leaders, row)] = leader(leaders, other);
      }
    }
  }

  /** NULLs do not conflict. */
  private static boolean hasNull(Collection<String> key, Map<String, String> values) {
    return values.keySet().containsAll(key)
        && key.stream().map(values::get).anyMatch(Objects::isNull);
  }

  private static int leader(int[] leaders, int row) {
    int at = row;
    while (leaders[at] != at) {
      leaders[at] = leaders[leaders[at]];
      at = leaders[at];
    }
    return at;
  }
}
