package dev.sluice.sink.apply;

import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.window.NetChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Brings large sets about into the order of their keys, so that a statement walks through index and
 * table instead of jumping: each page is then read and written once. A matter of speed only; any
 * order is right. Stateless.
 */
final class KeyOrder {
  /** Fewer rows jump within the cache anyway. */
  private static final int WORTH_SORTING = 500;

  private static final int LONGEST_NUMBER = 18;

  private record Placed(NetChange change, long[] place) {}

  private KeyOrder() {}

  static List<NetChange> of(RowSchema schema, List<NetChange> changes) {
    if (changes.size() <= WORTH_SORTING) {
      return changes;
    }
    List<Placed> placed = new ArrayList<>(changes.size());
    for (NetChange change : changes) {
      Row key = change.match() == null ? schema.matchOf(change.row()) : change.match();
      placed.add(new Placed(change, placeOf(key)));
    }
    placed.sort(Comparator.comparing(Placed::place, Arrays::compare));
    return placed.stream().map(Placed::change).toList();
  }

  private static long[] placeOf(Row key) {
    long[] place = new long[key.columns()];
    ValueCursor cursor = key.cursor();
    for (int i = 0; cursor.next(); i++) {
      place[i] = placeOf(cursor);
    }
    return place;
  }

  /** A whole number is its own place, anything else goes by its first eight bytes. */
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
