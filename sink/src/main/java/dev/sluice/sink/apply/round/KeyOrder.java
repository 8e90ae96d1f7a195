package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.window.compaction.NetChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sorts large sets of changes roughly by key, so that a statement visits each page of index and
 * table once. This is only for speed; any order is correct. Stateless.
 */
final class KeyOrder {
  /** Below this number of rows sorting does not pay. */
  private static final int WORTH_SORTING = 500;

  private static final int LONGEST_NUMBER = 18;

  /**
   * A change with its sort key. Most keys are one number; the other columns are compared only if
   * the first is equal.
   *
   * @param key null if the key has one column
   */
  private record Placed(NetChange change, Row key, long first) implements Comparable<Placed> {
    @Override
    public int compareTo(Placed other) {
      int order = Long.compare(first, other.first);
      return order != 0 || key == null ? order : compareRest(key, other.key);
    }
  }

  private KeyOrder() {}

  static List<NetChange> of(RowSchema schema, List<NetChange> changes) {
    if (changes.size() <= WORTH_SORTING) {
      return changes;
    }
    int[] key = schema.key();
    if (isInOrder(key, changes)) {
      return changes;
    }
    Placed[] placed = new Placed[changes.size()];
    for (int i = 0; i < placed.length; i++) {
      NetChange change = changes.get(i);
      placed[i] =
          new Placed(change, key.length == 1 ? null : keyOf(schema, change), placeOf(key, change));
    }
    Arrays.sort(placed);
    List<NetChange> sorted = new ArrayList<>(placed.length);
    for (Placed each : placed) {
      sorted.add(each.change);
    }
    return sorted;
  }

  /** Whether the keys ascend already, as those of new rows mostly do. */
  private static boolean isInOrder(int[] key, List<NetChange> changes) {
    long before = Long.MIN_VALUE;
    for (NetChange change : changes) {
      long place = placeOf(key, change);
      if (place < before || place == before && key.length > 1) {
        return false;
      }
      before = place;
    }
    return true;
  }

  private static Row keyOf(RowSchema schema, NetChange change) {
    return change.match() == null ? schema.matchOf(change.row()) : change.match();
  }

  /** The sort value of the key's first column. */
  private static long placeOf(int[] key, NetChange change) {
    ValueCursor cursor;
    if (change.match() != null) {
      cursor = change.match().cursor();
    } else {
      cursor = change.row().cursor();
      for (int i = 0; i < key[0]; i++) {
        cursor.next();
      }
    }
    cursor.next();
    return placeOf(cursor);
  }

  private static int compareRest(Row key, Row other) {
    ValueCursor mine = key.cursor();
    ValueCursor theirs = other.cursor();
    mine.next();
    theirs.next();
    int order = 0;
    while (order == 0 && mine.next()) {
      theirs.next();
      order = Long.compare(placeOf(mine), placeOf(theirs));
    }
    return order;
  }

  /** The sort value: an integer itself, else the first eight bytes. */
  private static long placeOf(ValueCursor cursor) {
    byte[] bytes = cursor.buffer();
    int from = cursor.offset();
    int to = from + cursor.length();
    boolean negative = from < to && bytes[from] == '-';
    int first = negative ? from + 1 : from;
    if (first == to || to - first > LONGEST_NUMBER) {
      return prefix(bytes, from, to);
    }
    long number = 0;
    for (int i = first; i < to; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return prefix(bytes, from, to);
      }
      number = number * 10 + (bytes[i] - '0');
    }
    return negative ? -number : number;
  }

  private static long prefix(byte[] bytes, int from, int to) {
    long prefix = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      prefix = prefix << Byte.SIZE | (i < to ? bytes[i] & 0xFF : 0);
    }
    return prefix ^ Long.MIN_VALUE;
  }
}
