package dev.sluice.sink.touched;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The touched keys of one table by their numbers. Each has a state, which says why it is kept, and
 * the position of the last transaction that touched it. Guarded by the lock of {@link
 * TableTouches}.
 */
final class KeptKeys {
  /** Of a key's state: the row is to be compared. The other bits count transactions. */
  private static final int UNCOMPARED = 1;

  private static final int TRANSACTION = 2;
  private static final int SMALLEST = 16;

  /** Heap bytes of a key's state and position, if no other key has the same one. */
  private static final int BYTES_OF_ONE = 8 + 32;

  private final KeyStore keys = new KeyStore();

  // By the key's number.
  private int[] states = new int[SMALLEST];
  private Position[] last = new Position[SMALLEST];

  /** The number of keys with a state. */
  private int live;

  private int uncompared;

  boolean isEmpty() {
    return keys.size() == 0;
  }

  /** Heap bytes. */
  long memory() {
    return keys.memory() + (long) BYTES_OF_ONE * live;
  }

  /** The number of a key, which is added if it is new. */
  int add(Row key) {
    int number = keys.add(key);
    if (number == states.length) {
      states = Arrays.copyOf(states, number + number / 2);
      last = Arrays.copyOf(last, states.length);
    }
    return number;
  }

  /**
   * Keeps a key for a transaction that touched it, and as uncompared.
   *
   * @param at the transaction's position, the same object each time
   * @return false if the transaction has touched it before
   */
  boolean touch(int number, Position at) {
    if (last[number] == at) {
      // The same object, not only an equal one.
      return false;
    }
    last[number] = at;
    setUncompared(number);
    states[number] += TRANSACTION;
    return true;
  }

  /** Keeps a key as uncompared for a transaction that every snapshot shows. */
  void touchEarlier(int number, Position at) {
    if (last[number] == null || at.isAfter(last[number])) {
      last[number] = at;
    }
    setUncompared(number);
  }

  /** One of the transactions that touched a key is shown by each later snapshot, or forgotten. */
  void endTransaction(int number) {
    states[number] -= TRANSACTION;
    live -= states[number] == 0 ? 1 : 0;
  }

  void setUncompared(int number) {
    live += states[number] == 0 ? 1 : 0;
    uncompared += isUncompared(number) ? 0 : 1;
    states[number] |= UNCOMPARED;
  }

  private void clearUncompared(int number) {
    states[number] &= ~UNCOMPARED;
    uncompared--;
    live -= states[number] == 0 ? 1 : 0;
  }

  private boolean isUncompared(int number) {
    return (states[number] & UNCOMPARED) != 0;
  }

  /** How many keys are uncompared. */
  int uncompared() {
    return uncompared;
  }

  /** The numbers of uncompared keys that nothing has touched after the position, the first ones. */
  BitSet uncompared(int most, Position upTo) {
    BitSet found = new BitSet();
    int count = 0;
    for (int i = 0; i < keys.size() && count < most; i++) {
      if (isUncompared(i) && !last[i].isAfter(upTo)) {
        found.set(i);
        count++;
      }
    }
    return found;
  }

  /** The lowest of the positions at which uncompared keys were touched last; empty without one. */
  Optional<Position> oldestUncompared() {
    Position oldest = null;
    for (int i = 0; i < keys.size() && uncompared > 0; i++) {
      if (isUncompared(i) && (oldest == null || oldest.isAfter(last[i]))) {
        oldest = last[i];
      }
    }
    return Optional.ofNullable(oldest);
  }

  /** The row of a key was compared, with what touched it up to the position. */
  void compared(Row key, Position upTo) {
    int number = keys.find(key);
    if (number >= 0 && isUncompared(number) && !last[number].isAfter(upTo)) {
      clearUncompared(number);
    }
  }

  /**
   * Forgets which keys are uncompared.
   *
   * @param lost receives the position at which each of them was touched last
   */
  void forgetUncompared(Consumer<Position> lost) {
    for (int i = 0; i < keys.size(); i++) {
      if (isUncompared(i)) {
        lost.accept(last[i]);
        clearUncompared(i);
      }
    }
  }

  /**
   * The keys of these numbers.
   *
   * @param columns how many values a key has
   */
  List<Row> rows(BitSet numbers, int columns) {
    List<Row> rows = new ArrayList<>(numbers.cardinality());
    numbers.stream().forEach(number -> rows.add(keys.key(number, columns)));
    return rows;
  }

  /**
   * Removes keys without a state, once they are most of all.
   *
   * @param recent gets the new numbers of the others
   */
  void tidy(RecentTransactions recent) {
    int size = keys.size();
    if (size <= SMALLEST || live > size / 2) {
      return;
    }
    int[] numbers = new int[size];
    int left = 0;
    for (int i = 0; i < size; i++) {
      if (states[i] != 0) {
        numbers[i] = left;
        states[left] = states[i];
        last[left] = last[i];
        left++;
      } else {
        numbers[i] = -1;
      }
    }
    keys.retain(number -> numbers[number] >= 0);
    recent.renumber(number -> numbers[number]);
    int room = Math.max(SMALLEST, left + left / 2);
    states = Arrays.copyOf(Arrays.copyOf(states, left), room);
    last = Arrays.copyOf(Arrays.copyOf(last, left), room);
  }
}
