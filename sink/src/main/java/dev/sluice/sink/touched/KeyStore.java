package dev.sluice.sink.touched;

import dev.sluice.connector.api.Row;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * A set of keys. Each has a number, from 0 in the order in which they came. The encoded keys stand
 * in one array one after the other, found by a hash table with open addressing: millions of them
 * are a handful of objects. Guarded by the lock of {@link TableTouches}.
 */
final class KeyStore {
  private static final int SMALLEST = 16;

  private byte[] bytes = new byte[SMALLEST * 8];

  /** Where each key ends in the bytes; it begins where the one before it ends. */
  private int[] ends = new int[SMALLEST];

  private int[] hashes = new int[SMALLEST];

  /** Numbers + 1 at the places that hashes give, or after them; 0 is free. At most half full. */
  private int[] slots = new int[2 * SMALLEST];

  private int size;

  /** The number of keys, and the number of the next one. */
  int size() {
    return size;
  }

  /** Heap bytes. */
  long memory() {
    return bytes.length + 4L * (ends.length + hashes.length + slots.length);
  }

  /** The number of a key; -1 if it is not in the set. */
  int find(Row key) {
    int found = slots[slotOf(key)];
    return found - 1;
  }

  /** Adds a key if it is new, and returns its number. */
  int add(Row key) {
    int slot = slotOf(key);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    int begin = end(size - 1);
    int end = begin + key.encodedBytes();
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + bytes.length / 2));
    }
    key.copyTo(bytes, begin);
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, size + size / 2);
      hashes = Arrays.copyOf(hashes, ends.length);
    }
    ends[size] = end;
    hashes[size] = key.hashCode();
    slots[slot] = ++size;
    if (2 * size > slots.length) {
      fillSlots(2 * slots.length);
    }
    return size - 1;
  }

  /**
   * A key by its number.
   *
   * @param columns the number of its values
   */
  Row key(int number, int columns) {
    return Row.ofEncoded(bytes, end(number - 1), end(number), columns);
  }

  /** Removes the keys of other numbers; the rest get new numbers, in the same order. */
  void retain(IntPredicate kept) {
    int left = 0;
    int leftBytes = 0;
    int begin = 0;
    for (int i = 0; i < size; i++) {
      int end = ends[i];
      if (kept.test(i)) {
        System.arraycopy(bytes, begin, bytes, leftBytes, end - begin);
        leftBytes += end - begin;
        ends[left] = leftBytes;
        hashes[left] = hashes[i];
        left++;
      }
      begin = end;
    }
    size = left;
    int room = Math.max(SMALLEST, left + left / 2);
    bytes = Arrays.copyOf(bytes, Math.max(SMALLEST, leftBytes + leftBytes / 2));
    ends = Arrays.copyOf(ends, room);
    hashes = Arrays.copyOf(hashes, room);
    fillSlots(Integer.highestOneBit(room) * 4);
  }

  private void fillSlots(int count) {
    slots = new int[count];
    for (int i = 0; i < size; i++) {
      int slot = spread(hashes[i]) & count - 1;
      while (slots[slot] != 0) {
        slot = slot + 1 & count - 1;
      }
      slots[slot] = i + 1;
    }
  }

  /** The key's slot, or the free one where it belongs. */
  private int slotOf(Row key) {
    int hash = key.hashCode();
    int slot = spread(hash) & slots.length - 1;
    while (slots[slot] != 0) {
      int number = slots[slot] - 1;
      if (hashes[number] == hash && key.isEncodedAs(bytes, end(number - 1), end(number))) {
        return slot;
      }
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private int end(int number) {
    return number < 0 ? 0 : ends[number];
  }

  /** Hashes of keys that count up differ in few bits, which would make long runs of slots. */
  private static int spread(int hash) {
    int mixed = hash * 0x9E3779B9;
    return mixed ^ mixed >>> 16;
  }
}
