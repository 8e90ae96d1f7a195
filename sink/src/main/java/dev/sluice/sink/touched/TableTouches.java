package dev.sluice.sink.touched;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The touched rows of one table. Fed by one thread, in the order of the journal, and read by
 * others: threadsafe.
 */
final class TableTouches {
  /** Of a key's state: the row is to be compared. The other bits count transactions. */
  private static final int UNCOMPARED = 1;

  private static final int TRANSACTION = 2;
  private static final int SMALLEST = 16;

  /** Heap bytes of a key's state and position, if no other key has the same one. */
  private static final int BYTES_OF_ONE = 8 + 32;

  /** Less is not added to the sum of all tables. */
  private static final int MEASURED = 4096;

  private final TouchedLimits limits;
  private final KeyStore keys = new KeyStore();
  private final RecentTransactions recent = new RecentTransactions();

  // By the key's number: why it is kept, and the position of the last transaction that touched it.
  private int[] states = new int[SMALLEST];
  private Position[] last = new Position[SMALLEST];

  private List<String> columns = List.of();

  /** The number of keys with a state. */
  private int live;

  private int uncompared;

  /** The last transaction that was recorded; null before the first. */
  private TransactionEnd latest;

  /** The transaction of which keys are not kept, as there are too many; null if there is none. */
  private TransactionEnd unknown;

  /** No transaction above this id was forgotten; 0 if none was. */
  private long forgotten;

  /** The last position of a touched row that is not kept as uncompared; null if all are kept. */
  private Position dirtySince;

  /** The highest position up to which rows were asked for that a snapshot does not show. */
  private Position asked = Position.ZERO;

  private VoidedAt voided;

  /** Heap bytes of all tables. */
  private final AtomicLong total;

  /** This table's share in it. */
  private volatile long counted;

  /** A TRUNCATE, or DDL. */
  private record VoidedAt(Position position, String what) {}

  /**
   * @param total the heap bytes of all tables, to which this one adds its own
   */
  TableTouches(TouchedLimits limits, AtomicLong total) {
    this.limits = limits;
    this.total = total;
    count();
  }

  /** This table's share in the heap bytes of all. */
  long memory() {
    return counted;
  }

  /** Sets the columns of the keys that come; those of a transaction may change within it. */
  synchronized void columns(TransactionEnd end, List<String> names) {
    if (!names.equals(columns)) {
      if (keys.size() > 0) {
        // What was touched under the former key cannot be looked up by the new one.
        forgetAll();
        if (latest == end) {
          addUnknown(end);
        }
      }
      columns = names;
    }
  }

  synchronized void add(TransactionEnd end, Row key) {
    latest = end;
    if (end == unknown) {
      return;
    }
    int number = numberOf(key);
    if (last[number] == end.position()) {
      // The same object, not only an equal one: this transaction has touched the row before.
      return;
    }
    last[number] = end.position();
    if (states[number] == 0) {
      live++;
    }
    if ((states[number] & UNCOMPARED) == 0) {
      uncompared++;
    }
    states[number] = states[number] + TRANSACTION | UNCOMPARED;
    recent.add(end, number);
    bound();
  }

  /**
   * Adds a row that was touched before the record began, and may not be compared since. Each
   * snapshot that is compared shows its transaction.
   *
   * @return false if it cannot be looked up: there are too many, or later ones have another key
   */
  synchronized boolean addEarlier(List<String> names, Row key, Position at) {
    if (keys.size() > 0 && !names.equals(columns)) {
      return false;
    }
    columns = names;
    int number = numberOf(key);
    if (last[number] == null || at.isAfter(last[number])) {
      last[number] = at;
    }
    if (states[number] == 0) {
      live++;
    }
    setUncompared(number);
    boolean fits = bytes() <= limits.ofTable().bytes();
    if (!fits) {
      forgetUncompared();
      tidy();
    }
    count();
    return fits;
  }

  /** The number of a key, which is added if it is new. */
  private int numberOf(Row key) {
    int number = keys.add(key);
    if (number == states.length) {
      states = Arrays.copyOf(states, number + number / 2);
      last = Arrays.copyOf(last, states.length);
    }
    return number;
  }

  /** Records a transaction of which no keys are known: too many, or the table has no key. */
  synchronized void addUnknown(TransactionEnd end) {
    latest = end;
    unknown = end;
    recent.addUnknown(end);
    dirty(end.position());
    bound();
  }

  synchronized void voided(TransactionEnd end, String what) {
    voided = new VoidedAt(end.position(), what);
    addUnknown(end);
  }

  synchronized NotShown notShown(VisibleTransactions snapshot, Position upTo) {
    if (forgotten != 0 && snapshot.oldest() <= forgotten) {
      return new NotShown.Unknown(
          "more rows were changed than are kept, and a transaction of before is still running on the source");
    }
    BitSet found = new BitSet();
    boolean known =
        recent.find(
            end -> !end.position().isAfter(upTo) && !snapshot.shows(end.transactionId()),
            found::set);
    if (!known || found.cardinality() > limits.keysLeftOut()) {
      return new NotShown.Unknown("too many rows were changed at once, or rows without a key");
    }
    asked = asked.max(upTo.equals(Position.MAX) ? latestRecorded() : upTo);
    // They are left out now, so they are to be compared later, even if they had been before.
    found.stream().forEach(this::setUncompared);
    return new NotShown.Rows(rows(found));
  }

  private Position latestRecorded() {
    return latest == null ? Position.ZERO : latest.position();
  }

  synchronized void shownBy(VisibleTransactions snapshot) {
    recent.retain(end -> !snapshot.shows(end.transactionId()), this::isShown);
    tidy();
    count();
  }

  synchronized Optional<String> voidedAfter(Position position) {
    return voided != null && voided.position().isAfter(position)
        ? Optional.of(voided.what())
        : Optional.empty();
  }

  synchronized Uncompared uncompared(int most, Position upTo) {
    BitSet found = new BitSet();
    int count = 0;
    for (int i = 0; i < keys.size() && count < most; i++) {
      if ((states[i] & UNCOMPARED) != 0 && !last[i].isAfter(upTo)) {
        found.set(i);
        count++;
      }
    }
    return new Uncompared(rows(found), uncompared, Optional.ofNullable(dirtySince));
  }

  /** The lowest of the positions at which uncompared rows were touched last; empty without one. */
  synchronized Optional<Position> oldestUncompared() {
    Position oldest = null;
    for (int i = 0; i < keys.size() && uncompared > 0; i++) {
      if ((states[i] & UNCOMPARED) != 0 && (oldest == null || oldest.isAfter(last[i]))) {
        oldest = last[i];
      }
    }
    return Optional.ofNullable(oldest);
  }

  synchronized void compared(Iterable<Row> rows, Position upTo) {
    for (Row row : rows) {
      int number = keys.find(row);
      if (number >= 0 && (states[number] & UNCOMPARED) != 0 && !last[number].isAfter(upTo)) {
        clearUncompared(number);
      }
    }
    tidy();
    count();
  }

  synchronized void readAll(Position began) {
    if (dirtySince != null && !dirtySince.isAfter(began)) {
      dirtySince = null;
    }
  }

  /** Keeps no key any more. */
  synchronized void forgetAll() {
    forgetUncompared();
    forgetRecent();
    tidy();
    count();
  }

  private TouchedRows rows(BitSet numbers) {
    List<Row> rows = new ArrayList<>(numbers.cardinality());
    numbers.stream().forEach(number -> rows.add(keys.key(number, columns.size())));
    return new TouchedRows(rows.isEmpty() ? List.of() : columns, rows);
  }

  private void setUncompared(int number) {
    if ((states[number] & UNCOMPARED) == 0) {
      states[number] |= UNCOMPARED;
      uncompared++;
    }
  }

  private void clearUncompared(int number) {
    states[number] &= ~UNCOMPARED;
    uncompared--;
    live -= states[number] == 0 ? 1 : 0;
  }

  private void isShown(int number) {
    states[number] -= TRANSACTION;
    live -= states[number] == 0 ? 1 : 0;
  }

  private void dirty(Position position) {
    if (dirtySince == null || position.isAfter(dirtySince)) {
      dirtySince = position;
    }
  }

  /** Forgets keys if there are more than the limit allows. */
  private void bound() {
    long most = limits.ofTable().bytes();
    if (bytes() > most) {
      forgetUncompared();
      tidy();
      // Half of it, or it would soon be full again, and each time all of it is copied.
      if (bytes() > most / 2) {
        forgetRecent();
        recent.addUnknown(latest);
        unknown = latest;
        tidy();
      }
    }
    count();
  }

  private void forgetUncompared() {
    if (uncompared > 0) {
      // A pass that runs may have left some of them out, however far behind they were: it does not
      // suffice, nor does one that began before the last session.
      Position next = asked.next();
      dirty(latest == null ? next : latest.position().max(next));
      for (int i = 0; i < keys.size(); i++) {
        if ((states[i] & UNCOMPARED) != 0) {
          dirty(last[i]);
          clearUncompared(i);
        }
      }
    }
  }

  private void forgetRecent() {
    recent.retain(
        end -> {
          long id = end.transactionId();
          // Without an id it is never known to be shown.
          forgotten = Math.max(forgotten, id == 0 ? Long.MAX_VALUE : id);
          return false;
        },
        this::isShown);
  }

  /** Removes keys without a state, once they are most of all. */
  private void tidy() {
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

  private long bytes() {
    return keys.memory() + recent.memory() + (long) BYTES_OF_ONE * live;
  }

  private void count() {
    long change = bytes() - counted;
    if (Math.abs(change) >= MEASURED) {
      counted += change;
      total.addAndGet(change);
    }
  }
}
