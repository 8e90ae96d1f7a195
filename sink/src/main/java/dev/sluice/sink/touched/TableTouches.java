package dev.sluice.sink.touched;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The touched rows of one table. Guarded by the lock of {@link TouchedKeys}. */
final class TableTouches {
  private final int most;

  /** Transactions that no snapshot has shown yet, in the order of recording. */
  private final Deque<Touches> recent = new ArrayDeque<>();

  /** Rows that were touched since they were compared, with their last position. */
  private final Map<Row, Position> uncompared = new LinkedHashMap<>();

  private List<String> columns = List.of();
  private int recentKeys;

  /** The highest id of a transaction whose keys are not kept; 0 if there is none. */
  private long forgotten;

  /** The last position of a touched row that is not kept as uncompared; null if all are kept. */
  private Position dirtySince;

  private VoidedAt voided;

  /** A TRUNCATE, or DDL. */
  private record VoidedAt(Position position, String what) {}

  /**
   * What a transaction did to the table.
   *
   * @param keys empty if they are not kept
   */
  private record Touches(TransactionEnd end, Optional<Set<Row>> keys) {}

  /**
   * @param most keys kept for either question
   */
  TableTouches(int most) {
    this.most = most;
  }

  /** The number of keys that are kept. */
  int size() {
    return recentKeys + uncompared.size();
  }

  /** Keeps no key any more. */
  void forget(Position now) {
    while (!recent.isEmpty()) {
      forgetOldest();
    }
    dirty(now);
  }

  void add(TransactionEnd end, List<String> names, Set<Row> keys) {
    if (!names.equals(columns)) {
      // The key itself has changed: what was touched under the former one cannot be looked up.
      if (size() > 0) {
        forget(end.position());
      }
      columns = names;
    }
    if (keys.size() > most) {
      addUnknown(end);
      return;
    }
    recent.add(new Touches(end, Optional.of(keys)));
    recentKeys += keys.size();
    while (recentKeys > most) {
      forgetOldest();
    }
    keys.forEach(key -> uncompared.put(key, end.position()));
    if (uncompared.size() > most) {
      dirty(end.position());
    }
  }

  /** Adds a transaction of which no keys are known: too many, or the table has no key. */
  void addUnknown(TransactionEnd end) {
    recent.add(new Touches(end, Optional.empty()));
    dirty(end.position());
  }

  void voided(TransactionEnd end, String what) {
    voided = new VoidedAt(end.position(), what);
    addUnknown(end);
  }

  NotShown notShown(VisibleTransactions snapshot, Position upTo) {
    if (snapshot.oldest() <= forgotten) {
      return new NotShown.Unknown("older changes are still running on the source");
    }
    Set<Row> keys = new LinkedHashSet<>();
    for (Touches touches : recent) {
      if (!touches.end().position().isAfter(upTo)
          && !snapshot.shows(touches.end().transactionId())) {
        if (touches.keys().isEmpty()) {
          return new NotShown.Unknown("too many rows were changed at once");
        }
        keys.addAll(touches.keys().get());
      }
    }
    return new NotShown.Rows(TouchedRows.of(columns, keys));
  }

  void shownBy(VisibleTransactions snapshot) {
    for (Iterator<Touches> all = recent.iterator(); all.hasNext(); ) {
      Touches touches = all.next();
      if (snapshot.shows(touches.end().transactionId())) {
        recentKeys -= touches.keys().map(Set::size).orElse(0);
        all.remove();
      }
    }
  }

  Optional<String> voidedAfter(Position position) {
    return voided != null && voided.position().isAfter(position)
        ? Optional.of(voided.what())
        : Optional.empty();
  }

  Uncompared uncompared(int atMost, Position upTo) {
    List<Row> keys = new ArrayList<>();
    for (Map.Entry<Row, Position> touched : uncompared.entrySet()) {
      if (keys.size() == atMost) {
        break;
      }
      if (!touched.getValue().isAfter(upTo)) {
        keys.add(touched.getKey());
      }
    }
    return new Uncompared(
        TouchedRows.of(columns, keys), uncompared.size(), Optional.ofNullable(dirtySince));
  }

  void compared(Iterable<Row> keys, Position upTo) {
    for (Row key : keys) {
      Position last = uncompared.get(key);
      if (last != null && !last.isAfter(upTo)) {
        uncompared.remove(key);
      }
    }
  }

  void readAll(Position began) {
    if (dirtySince != null && !dirtySince.isAfter(began)) {
      dirtySince = null;
    }
  }

  private void forgetOldest() {
    Touches oldest = recent.remove();
    recentKeys -= oldest.keys().map(Set::size).orElse(0);
    forgotten = Math.max(forgotten, oldest.end().transactionId());
  }

  private void dirty(Position position) {
    dirtySince = position;
    uncompared.clear();
  }
}
