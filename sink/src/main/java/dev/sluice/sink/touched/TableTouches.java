package dev.sluice.sink.touched;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The touched rows of one table. Fed by one thread, in the order of the journal, and read by
 * others: threadsafe.
 */
final class TableTouches {
  /** A smaller change is not added to the sum of all tables. */
  private static final int MEASURED = 4096;

  private final TouchedLimits limits;
  private final KeptKeys keys = new KeptKeys();
  private final RecentTransactions recent = new RecentTransactions();

  private List<String> columns = List.of();

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
      if (!keys.isEmpty()) {
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
    int number = keys.add(key);
    if (!keys.touch(number, end.position())) {
      return;
    }
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
    if (!keys.isEmpty() && !names.equals(columns)) {
      return false;
    }
    columns = names;
    keys.touchEarlier(keys.add(key), at);
    boolean fits = bytes() <= limits.ofTable().bytes();
    if (!fits) {
      forgetUncompared();
      keys.tidy(recent);
    }
    count();
    return fits;
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
    found.stream().forEach(keys::setUncompared);
    return new NotShown.Rows(rows(found));
  }

  private Position latestRecorded() {
    return latest == null ? Position.ZERO : latest.position();
  }

  synchronized void shownBy(VisibleTransactions snapshot) {
    recent.retain(end -> !snapshot.shows(end.transactionId()), keys::endTransaction);
    keys.tidy(recent);
    count();
  }

  synchronized Optional<String> voidedAfter(Position position) {
    return voided != null && voided.position().isAfter(position)
        ? Optional.of(voided.what())
        : Optional.empty();
  }

  synchronized Uncompared uncompared(int most, Position upTo) {
    return new Uncompared(
        rows(keys.uncompared(most, upTo)), keys.uncompared(), Optional.ofNullable(dirtySince));
  }

  /** The lowest of the positions at which uncompared rows were touched last; empty without one. */
  synchronized Optional<Position> oldestUncompared() {
    return keys.oldestUncompared();
  }

  synchronized void compared(Iterable<Row> rows, Position upTo) {
    for (Row row : rows) {
      keys.compared(row, upTo);
    }
    keys.tidy(recent);
    count();
  }

  synchronized void readAll(Position began) {
    if (dirtySince != null && !dirtySince.isAfter(began)) {
      dirtySince = null;
    }
  }

  /** Forgets all keys. */
  synchronized void forgetAll() {
    forgetUncompared();
    forgetRecent();
    keys.tidy(recent);
    count();
  }

  private TouchedRows rows(BitSet numbers) {
    List<Row> rows = keys.rows(numbers, columns.size());
    return new TouchedRows(rows.isEmpty() ? List.of() : columns, rows);
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
      keys.tidy(recent);
      // Half of it, or it would soon be full again, and each time all of it is copied.
      if (bytes() > most / 2) {
        forgetRecent();
        recent.addUnknown(latest);
        unknown = latest;
        keys.tidy(recent);
      }
    }
    count();
  }

  private void forgetUncompared() {
    if (keys.uncompared() > 0) {
      // A pass that runs may have left some of them out, however far behind they were: it does not
      // suffice, nor does one that began before the last session.
      Position next = asked.next();
      dirty(latest == null ? next : latest.position().max(next));
      keys.forgetUncompared(this::dirty);
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
        keys::endTransaction);
  }

  private long bytes() {
    return keys.memory() + recent.memory();
  }

  private void count() {
    long change = bytes() - counted;
    if (Math.abs(change) >= MEASURED) {
      counted += change;
      total.addAndGet(change);
    }
  }
}
