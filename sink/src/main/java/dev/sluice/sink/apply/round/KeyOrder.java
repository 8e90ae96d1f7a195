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

  private static final int INDEX_BITS = 24;
  private static final int LARGEST_SET = (1 << INDEX_BITS) - 1;

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
    long[] places = new long[changes.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = placeOf(key, changes.get(i));
    }
    if (isInOrder(places, key.length == 1)) {
      return changes;
    }
    if (key.length == 1 && packed(places)) {
      Arrays.sort(places);
      List<NetChange> sorted = new ArrayList<>(places.length);
      for (long each : places) {
        sorted.add(changes.get((int) (each & LARGEST_SET)));
      }
      return sorted;
    }
    Placed[] placed = new Placed[places.length];
    for (int i = 0; i < placed.length; i++) {
      NetChange change = changes.get(i);
      placed[i] = new Placed(change, key.length == 1 ? null : keyOf(schema, change), places[i]);
    }
    Arrays.sort(placed);
    List<NetChange> sorted = new ArrayList<>(placed.length);
    for (Placed each : placed) {
      sorted.add(each.change);
    }
    return sorted;
  }

  /** Whether the keys ascend already, as those of new rows mostly do. */
  private static boolean isInOrder(long[] places, boolean whole) {
    long before = Long.MIN_VALUE;
    for (long place : places) {
      if (place < before || place == before && !whole) {
        return false;
      }
      before = place;
    }
    return true;
  }

  /**
   * Packs each place with its index into one number, which sorts several times faster than objects.
   * Returns false, and changes nothing, if they do not fit.
   */
  private static boolean packed(long[] places) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (long place : places) {
      least = Math.min(least, place);
      most = Math.max(most, place);
    }
    // A difference that overflows is negative.
    long range = most - least;
    if (places.length > LARGEST_SET || range < 0 || range > Long.MAX_VALUE >> INDEX_BITS) {
      return false;
    }
    for (int i = 0; i < places.length; i++) {
      places[i] = places[i] - least << INDEX_BITS | i;
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
