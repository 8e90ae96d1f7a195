package dev.sluice.sink.touched;

import dev.sluice.connector.api.TransactionEnd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/**
 * The transactions that no snapshot is known to show, in the order of the journal, each with the
 * numbers of the keys that it touched in one table. Guarded by the lock of {@link TableTouches}.
 */
final class RecentTransactions {
  /** Heap bytes of a transaction with its end and position. */
  private static final int BYTES_OF_ONE = 112;

  private static final int SMALLEST = 16;

  private final List<Recent> transactions = new ArrayList<>();
  private int[] keys = new int[SMALLEST];
  private int size;

  /** A transaction; its keys stand in the array from where those of the one before it end. */
  private static final class Recent {
    final TransactionEnd end;
    int until;
    boolean unknown;

    Recent(TransactionEnd end) {
      this.end = end;
    }
  }

  /** Heap bytes. */
  long memory() {
    return (long) BYTES_OF_ONE * transactions.size() + 4L * keys.length;
  }

  void add(TransactionEnd end, int key) {
    if (size == keys.length) {
      keys = Arrays.copyOf(keys, 2 * size);
    }
    keys[size++] = key;
    last(end).until = size;
  }

  /** Adds a transaction of which not all keys are known. */
  void addUnknown(TransactionEnd end) {
    Recent last = last(end);
    last.until = size;
    last.unknown = true;
  }

  /**
   * Finds the keys of some transactions.
   *
   * @return false if not all keys of one of them are known
   */
  boolean find(Predicate<TransactionEnd> wanted, IntConsumer key) {
    int at = 0;
    for (Recent recent : transactions) {
      if (wanted.test(recent.end)) {
        if (recent.unknown) {
          return false;
        }
        for (; at < recent.until; at++) {
          key.accept(keys[at]);
        }
      }
      at = recent.until;
    }
    return true;
  }

  /**
   * Removes the other transactions.
   *
   * @param removed receives their keys, each as often as it is there
   */
  void retain(Predicate<TransactionEnd> kept, IntConsumer removed) {
    List<Recent> left = new ArrayList<>();
    int from = 0;
    int to = 0;
    for (Recent recent : transactions) {
      int until = recent.until;
      if (kept.test(recent.end)) {
        System.arraycopy(keys, from, keys, to, until - from);
        to += until - from;
        recent.until = to;
        left.add(recent);
      } else {
        for (int at = from; at < until; at++) {
          removed.accept(keys[at]);
        }
      }
      from = until;
    }
    transactions.clear();
    transactions.addAll(left);
    size = to;
    if (keys.length > SMALLEST && size < keys.length / 4) {
      keys = Arrays.copyOf(keys, Math.max(SMALLEST, 2 * size));
    }
  }

  /** Gives the keys other numbers. */
  void renumber(IntUnaryOperator numbers) {
    for (int i = 0; i < size; i++) {
      keys[i] = numbers.applyAsInt(keys[i]);
    }
  }

  private Recent last(TransactionEnd end) {
    Recent last = transactions.isEmpty() ? null : transactions.get(transactions.size() - 1);
    if (last == null || last.end != end) {
      last = new Recent(end);
      transactions.add(last);
    }
    return last;
  }
}
