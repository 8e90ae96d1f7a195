package dev.sluice.engine.validate.repair;

import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.TablePart;
import dev.sluice.engine.validate.session.TargetRows;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/*
 * Why short snapshots suffice, one for each part of the table: A row that nobody writes meanwhile
 * stays where it is, and the snapshot of its part shows it. A row that is written meanwhile stays
 * in its page, or its new version has new entries in all indexes. So has a row that is inserted or
 * whose table is rewritten. The index finds these, here or when the lane is held.
 */
/**
 * Searches a target table for existing rows that a damaged index of their key does not find: such
 * an index would accept a second row with the same key. The table is searched once, in parts, for
 * all keys that are requested or expected to be. Used by one thread.
 */
final class HiddenRows {
  /** How long one part should take. */
  private static final Duration PART = Duration.ofSeconds(1);

  /** How long sessions are used. Then new ones are opened, well before their time is over. */
  private static final Duration SESSIONS = Duration.ofSeconds(20);

  /** The time limit of the complete search; a larger table is not searched to its end. */
  private static final Duration LONGEST = Duration.ofMinutes(30);

  /** How long sessions may be used. */
  static final Duration LIFE = Duration.ofMinutes(1);

  private final Supplier<Reads> opened;
  private final Set<RowKey> expected;
  private final long firstPages;
  private final Set<RowKey> searched = new HashSet<>();
  private final Set<RowKey> there = new HashSet<>();

  /** Reads the current rows of the table. */
  interface Reads extends AutoCloseable {
    long pages();

    Set<RowKey> in(TablePart part, List<RowKey> keys);

    Set<RowKey> byIndex(List<RowKey> keys);

    @Override
    void close();
  }

  /**
   * @param opened opens sessions for it
   * @param expected the keys that will be requested, as far as they are known
   * @param firstPages pages of the first part; the size of later parts depends on the time they
   *     take
   */
  HiddenRows(Supplier<Reads> opened, Collection<RowKey> expected, long firstPages) {
    this.opened = opened;
    this.expected = Set.copyOf(expected);
    this.firstPages = firstPages;
  }

  /**
   * Those of the keys whose rows the index does not find. A row that it does find was inserted
   * meanwhile.
   *
   * @throws NotReadable if the table cannot be searched now
   */
  Set<RowKey> among(Collection<RowKey> missing) throws InterruptedException {
    Set<RowKey> wanted = new HashSet<>(missing);
    wanted.removeAll(searched);
    if (!wanted.isEmpty()) {
      wanted.addAll(expected);
      wanted.removeAll(searched);
      there.addAll(search(List.copyOf(wanted)));
      searched.addAll(wanted);
    }
    Set<RowKey> hidden = new HashSet<>(missing);
    hidden.retainAll(there);
    if (!hidden.isEmpty()) {
      try (Reads reads = opened.get()) {
        hidden.removeAll(reads.byIndex(List.copyOf(hidden)));
      }
    }
    return hidden;
  }

  private Set<RowKey> search(List<RowKey> keys) throws InterruptedException {
    Set<RowKey> found = new HashSet<>();
    long began = System.nanoTime();
    OptionalLong pages = OptionalLong.empty();
    long size = firstPages;
    long page = 0;
    boolean done = false;
    while (!done) {
      try (Reads reads = opened.get()) {
        long end = pages.isPresent() ? pages.getAsLong() : reads.pages();
        pages = OptionalLong.of(end);
        size = Math.min(size, Math.max(1, end - page));
        for (long used = System.nanoTime(); !done && since(used).compareTo(SESSIONS) < 0; ) {
          requireTime(began);
          boolean last = page + size >= end;
          TablePart part =
              new TablePart(page, last ? OptionalLong.empty() : OptionalLong.of(page + size));
          long start = System.nanoTime();
          try {
            found.addAll(reads.in(part, keys));
          } catch (NotReadable e) {
            if (e.reason() != Reason.OUT_OF_TIME || size == 1) {
              throw e;
            }
            size = Math.max(1, size / 8);
            break;
          }
          page += size;
          done = last;
          size = next(size, since(start));
        }
      }
    }
    return found;
  }

  private static void requireTime(long began) throws InterruptedException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedException("the search was interrupted");
    }
    if (since(began).compareTo(LONGEST) > 0) {
      throw new NotReadable(
          Reason.OUT_OF_TIME,
          "the target's table was not searched for missing rows within %d minutes"
              .formatted(LONGEST.toMinutes()),
          null);
    }
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static long next(long size, Duration took) {
    if (took.multipliedBy(2).compareTo(PART) < 0) {
      return size * 2;
    }
    return took.compareTo(PART.multipliedBy(2)) > 0 ? Math.max(1, size / 2) : size;
  }

  /** Reads by the sessions of a view. */
  record OfTarget(TargetRows rows) implements Reads {
    @Override
    public long pages() {
      return rows.pages();
    }

    @Override
    public Set<RowKey> in(TablePart part, List<RowKey> keys) {
      return rows.keysIn(part, keys);
    }

    @Override
    public Set<RowKey> byIndex(List<RowKey> keys) {
      return rows.read(keys, Lookup.BY_INDEX).keySet();
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
