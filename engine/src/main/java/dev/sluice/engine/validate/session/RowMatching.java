package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the keys whose hashed rows are not the same on both sides. Pure. */
final class RowMatching {
  private RowMatching() {}

  /** The keys with other rows on one side than on the other, in the order of the sides. */
  static List<RowKey> unequal(List<HashedRow> source, List<HashedRow> target) {
    Map<RowKey, List<HashedRow>> left = byKey(source);
    Map<RowKey, List<HashedRow>> right = byKey(target);
    Set<RowKey> keys = new LinkedHashSet<>(left.keySet());
    keys.addAll(right.keySet());
    return keys.stream().filter(key -> !sameRows(left.get(key), right.get(key))).toList();
  }

  private static Map<RowKey, List<HashedRow>> byKey(List<HashedRow> rows) {
    Map<RowKey, List<HashedRow>> found = new LinkedHashMap<>();
    rows.forEach(row -> found.computeIfAbsent(row.key(), key -> new ArrayList<>(1)).add(row));
    return found;
  }

  private static boolean sameRows(List<HashedRow> left, List<HashedRow> right) {
    return left != null && right != null && counted(left).equals(counted(right));
  }

  /** How often each row occurs. */
  static Map<HashedRow, Integer> counted(List<HashedRow> rows) {
    Map<HashedRow, Integer> counts = new HashMap<>();
    rows.forEach(row -> counts.merge(row, 1, Integer::sum));
    return counts;
  }

  /** The rows of the first list that the second does not have as often, once for each. */
  static List<HashedRow> surplus(List<HashedRow> rows, List<HashedRow> others) {
    Map<HashedRow, Integer> counts = counted(others);
    List<HashedRow> surplus = new ArrayList<>();
    for (HashedRow row : rows) {
      if (counts.merge(row, -1, Integer::sum) < 0) {
        surplus.add(row);
      }
    }
    return surplus;
  }
}
