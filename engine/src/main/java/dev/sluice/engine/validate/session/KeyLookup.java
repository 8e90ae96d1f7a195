package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.FoundHash;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.engine.validate.session.BothSides.Both;
import dev.sluice.engine.validate.session.RowDifference.Image;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Looks keys up on both sides under the session's snapshots. A skipped key is hot: its row proves
 * nothing. It is skipped because of its text, or because one of the servers finds it equal to a
 * skipped one. Owned by the session's thread.
 */
final class KeyLookup {
  private final BothSides sides;
  private final ComparedRows source;
  private final ComparedRows target;
  private final RowHash hash;
  private final Lookup how;
  private final Set<RowKey> leftOut;

  /**
   * @param source the rows without skipped ones; the same for the target
   * @param how rows are found
   */
  KeyLookup(BothSides sides, ComparedRows source, ComparedRows target, RowHash hash, Lookup how) {
    this.sides = sides;
    this.source = source;
    this.target = target;
    this.hash = hash;
    this.how = how;
    this.leftOut = new HashSet<>(source.leftOut());
  }

  /**
   * What a lookup found.
   *
   * @param equal keys whose rows are equal, or on neither side
   * @param unequal keys whose rows are not
   */
  record Hashed(List<RowKey> equal, List<RowKey> unequal, List<RowKey> hot) {}

  /** Compares the rows of keys by their hashes. */
  Hashed compare(List<RowKey> keys) throws InterruptedException {
    Set<Integer> hot = hot(keys);
    Both<List<FoundHash>, List<FoundHash>> found =
        sides.ask(
            () -> sides.source().find(all(source), keys, hash, how),
            () -> sides.target().find(all(target), keys, hash, how));
    Map<Integer, Set<List<Long>>> left = numbered(found.source());
    Map<Integer, Set<List<Long>>> right = numbered(found.target());
    Hashed result = new Hashed(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < keys.size(); i++) {
      boolean same = left.getOrDefault(i, Set.of()).equals(right.getOrDefault(i, Set.of()));
      (hot.contains(i) ? result.hot() : same ? result.equal() : result.unequal()).add(keys.get(i));
    }
    return result;
  }

  private static Map<Integer, Set<List<Long>>> numbered(List<FoundHash> found) {
    Map<Integer, Set<List<Long>>> hashes = new HashMap<>();
    Map<List<Long>, Integer> times = new HashMap<>();
    for (FoundHash row : found) {
      List<Long> values = List.of((long) row.number(), row.row().first(), row.row().second());
      // Two equal rows with one key count twice.
      long time = times.merge(values, 1, Integer::sum);
      List<Long> counted = new ArrayList<>(values);
      counted.add(time);
      hashes.computeIfAbsent(row.number(), key -> new HashSet<>()).add(counted);
    }
    return hashes;
  }

  /**
   * The differences of keys.
   *
   * @param hot keys that are left out
   * @param none other keys without a difference
   */
  record Differences(List<RowDifference> found, List<RowKey> hot, List<RowKey> none) {
    private Differences() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  /** Reads the rows of keys on both sides and compares their values. */
  Differences read(List<RowKey> keys) throws InterruptedException {
    Set<Integer> hot = hot(keys);
    Both<List<FoundRow>, List<FoundRow>> found =
        sides.ask(
            () -> sides.source().read(all(source), keys, how),
            () -> sides.target().read(all(target), keys, how));
    Map<Integer, List<FoundRow>> bySource = byNumber(found.source());
    Map<Integer, List<FoundRow>> byTarget = byNumber(found.target());
    Differences result = new Differences();
    Set<List<Object>> reported = new LinkedHashSet<>();
    for (int i = 0; i < keys.size(); i++) {
      List<FoundRow> left = bySource.getOrDefault(i, List.of());
      List<FoundRow> right = byTarget.getOrDefault(i, List.of());
      if (hot.contains(i) || anyLeftOut(left) || anyLeftOut(right)) {
        result.hot().add(keys.get(i));
        continue;
      }
      List<RowDifference> differences = differences(keys.get(i), left, right);
      if (differences.isEmpty()) {
        result.none().add(keys.get(i));
      }
      for (RowDifference difference : differences) {
        // Two texts of one key return the same row twice.
        if (reported.add(List.of(difference.key(), difference.source(), difference.target()))) {
          result.found().add(difference);
        }
      }
    }
    return result;
  }

  /** Takes the skipped rows from the result of another lookup. */
  Differences settled(Differences other) throws InterruptedException {
    List<RowKey> keys = new ArrayList<>(other.found().stream().map(RowDifference::key).toList());
    keys.addAll(other.none());
    Set<Integer> moved = hot(keys);
    Differences result = new Differences();
    result.hot().addAll(other.hot());
    for (int i = 0; i < keys.size(); i++) {
      if (moved.contains(i)) {
        result.hot().add(keys.get(i));
      } else if (i < other.found().size()) {
        result.found().add(other.found().get(i));
      } else {
        result.none().add(keys.get(i));
      }
    }
    return result;
  }

  private static Map<Integer, List<FoundRow>> byNumber(List<FoundRow> rows) {
    return rows.stream().collect(Collectors.groupingBy(FoundRow::number));
  }

  private boolean anyLeftOut(List<FoundRow> rows) {
    return rows.stream().map(FoundRow::key).anyMatch(leftOut::contains);
  }

  private static List<RowDifference> differences(
      RowKey key, List<FoundRow> source, List<FoundRow> target) {
    List<Image> left =
        new ArrayList<>(source.stream().map(row -> new Image(row.values())).toList());
    List<Image> right =
        new ArrayList<>(target.stream().map(row -> new Image(row.values())).toList());
    for (Image image : List.copyOf(left)) {
      if (right.remove(image)) {
        left.remove(image);
      }
    }
    RowKey shown =
        !source.isEmpty() ? source.get(0).key() : !target.isEmpty() ? target.get(0).key() : key;
    List<RowDifference> differences = new ArrayList<>();
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      differences.add(new RowDifference(shown, at(left, i), at(right, i)));
    }
    return differences;
  }

  private static Optional<Image> at(List<Image> images, int index) {
    return index < images.size() ? Optional.of(images.get(index)) : Optional.empty();
  }

  /** The numbers of skipped keys: found only if nothing is skipped. */
  private Set<Integer> hot(List<RowKey> keys) throws InterruptedException {
    Set<Integer> hot = new HashSet<>();
    if (leftOut.isEmpty()) {
      return hot;
    }
    for (int i = 0; i < keys.size(); i++) {
      if (leftOut.contains(keys.get(i))) {
        hot.add(i);
      }
    }
    Both<Set<Integer>, Set<Integer>> both =
        sides.ask(
            () -> leftOut(keys, sides.source(), source),
            () -> leftOut(keys, sides.target(), target));
    hot.addAll(both.source());
    hot.addAll(both.target());
    return hot;
  }

  private Set<Integer> leftOut(List<RowKey> keys, SideView view, ComparedRows rows) {
    Function<ComparedRows, Set<Integer>> find =
        which -> {
          Set<Integer> numbers = new HashSet<>();
          view.find(which, keys, hash, how).forEach(row -> numbers.add(row.number()));
          return numbers;
        };
    Set<Integer> all = find.apply(all(rows));
    all.removeAll(find.apply(rows));
    return all;
  }

  private static ComparedRows all(ComparedRows rows) {
    return rows.leavingOut(List.of());
  }
}
