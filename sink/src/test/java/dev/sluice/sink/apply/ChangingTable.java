package dev.sluice.sink.apply;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A source table in memory, with a key and unique values, that numbers change: each stands for a
 * change that is valid at that moment, or for none. It returns the changes as a capture would.
 */
final class ChangingTable {

  /**
   * What a table is like. Immutable.
   *
   * @param key the number of key columns, 1 or 2
   * @param uniqueU whether {@code u} is unique
   * @param uniqueVw whether {@code v} and {@code w} together are unique
   */
  record Shape(int key, boolean uniqueU, boolean uniqueVw) {
    RowSchema schema() {
      return key == 1
          ? TargetLab.schema("t", "*k int", "l text", "u int", "v int", "w text", "x text")
          : TargetLab.schema("t", "*k int", "*l text", "u int", "v int", "w text", "x text");
    }
  }

  private static final int L = 1;
  private static final int U = 2;
  private static final int V = 3;
  private static final int W = 4;
  private static final int X = 5;

  /** Few values, so that they meet often; texts that are nearly the same. */
  private static final List<String> TEXTS = List.of("a", "A", "ä", "a b", "", "\\N\t'\"");

  private final Shape shape;
  private final RowSchema schema;
  private final Map<List<String>, String[]> rows = new LinkedHashMap<>();

  ChangingTable(Shape shape) {
    this.shape = shape;
    this.schema = shape.schema();
  }

  /** The rows as their columns with bars between them. */
  List<String> rows() {
    return rows.values().stream()
        .map(row -> String.join("|", Arrays.stream(row).map(String::valueOf).toList()))
        .toList();
  }

  /** The changes that a number stands for. */
  List<ChangeEvent> change(int number) {
    Digits digits = new Digits(number);
    List<ChangeEvent> changes = new ArrayList<>();
    int kind = digits.next(12);
    if (rows.isEmpty() || kind < 4) {
      replace(null, randomRow(digits), changes);
      return changes;
    }
    List<List<String>> keys = List.copyOf(rows.keySet());
    List<String> key = keys.get(digits.next(keys.size()));
    List<String> other = keys.get(digits.next(keys.size()));
    switch (kind) {
      case 4, 5 -> delete(key, changes);
      case 6 -> {
        String[] moved = rows.get(key).clone();
        String[] random = randomRow(digits);
        System.arraycopy(random, 0, moved, 0, shape.key());
        replace(key, moved, changes);
      }
      case 7, 9, 10 -> swap(key, other, changes);
      case 8 -> {
        if (digits.next(4) == 0) {
          rows.clear();
          changes.add(new Truncate(List.of(new Emptied(schema.table(), null))));
        }
      }
      default -> {
        String[] updated = randomRow(digits);
        System.arraycopy(rows.get(key), 0, updated, 0, shape.key());
        if (digits.next(2) == 0) {
          updated[X] = rows.get(key)[X];
        }
        replace(key, updated, changes);
      }
    }
    return changes;
  }

  /** Exchanges the unique values of two rows, by way of NULL. */
  private void swap(List<String> one, List<String> other, List<ChangeEvent> changes) {
    if (one.equals(other)) {
      return;
    }
    String[] first = rows.get(one).clone();
    String[] second = rows.get(other).clone();
    String[] between = first.clone();
    between[U] = null;
    between[V] = null;
    replace(one, between, changes);
    String[] secondAfter = second.clone();
    secondAfter[U] = first[U];
    secondAfter[V] = first[V];
    secondAfter[W] = first[W];
    replace(other, secondAfter, changes);
    String[] firstAfter = first.clone();
    firstAfter[U] = second[U];
    firstAfter[V] = second[V];
    firstAfter[W] = second[W];
    replace(one, firstAfter, changes);
  }

  private String[] randomRow(Digits digits) {
    return new String[] {
      "" + digits.next(6),
      TEXTS.get(digits.next(TEXTS.size())),
      digits.next(3) == 0 ? null : "" + digits.next(8),
      digits.next(3) == 0 ? null : "" + digits.next(3),
      TEXTS.get(digits.next(3)),
      digits.next(3) == 0 ? null : "wide " + digits.next(50)
    };
  }

  private void delete(List<String> key, List<ChangeEvent> changes) {
    rows.remove(key);
    changes.add(new RowChange(schema, matchOf(key), null));
  }

  /** Inserts or updates a row unless another one has its key or its unique values. */
  private void replace(List<String> old, String[] row, List<ChangeEvent> changes) {
    List<String> key = keyOf(row);
    boolean taken =
        rows.entrySet().stream()
            .filter(each -> !each.getKey().equals(old))
            .anyMatch(each -> each.getKey().equals(key) || meets(each.getValue(), row));
    if (taken) {
      return;
    }
    String[] before = old == null ? null : rows.remove(old);
    rows.put(key, row);
    RowBuilder logged = new RowBuilder(64);
    for (int i = 0; i < row.length; i++) {
      if (i == X && before != null && row[X] != null && row[X].equals(before[X])) {
        logged.addUnchanged();
      } else {
        logged.add(row[i]);
      }
    }
    changes.add(new RowChange(schema, old == null ? null : matchOf(old), logged.build()));
  }

  private boolean meets(String[] one, String[] other) {
    return shape.uniqueU() && one[U] != null && one[U].equals(other[U])
        || shape.uniqueVw()
            && one[V] != null
            && one[V].equals(other[V])
            && Objects.equals(one[W], other[W]);
  }

  private List<String> keyOf(String[] row) {
    return shape.key() == 1 ? List.of(row[0]) : List.of(row[0], row[L]);
  }

  private static Row matchOf(List<String> key) {
    return RowBuilder.rowOf(key.toArray(String[]::new));
  }

  /** Takes small numbers out of a large one. */
  private static final class Digits {
    private long rest;

    private Digits(int number) {
      // Neighbours differ in all digits, so that shrinking still changes them one by one.
      rest = Math.abs(number * 0x9E3779B97F4A7C15L >>> 1);
    }

    private int next(int bound) {
      int digit = (int) (rest % bound);
      rest = rest / bound + rest * 31 % 1_000_003;
      return digit;
    }
  }
}
