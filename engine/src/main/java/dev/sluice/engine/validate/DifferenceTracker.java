package dev.sluice.engine.validate;

import java.util.HashMap;
import java.util.Map;

/**
 * Tells a table that differs from one whose rows are on their way, over several comparisons with a
 * fence before each. A row that was looked at three times, with the same versions on both sides and
 * other values, differs: the fence between the comparisons proves that the target had all of it. A
 * row that was equal once was carried. What goes on changing proves neither. Owned by the thread
 * that compares.
 */
public final class DifferenceTracker {
  private static final int COMPARISONS_THAT_PROVE = 3;

  private Map<String, Seen> open;
  private boolean complete;
  private long proven;

  /** What a table's rows have come to. */
  public enum State {
    EQUAL,
    DIFFERENT,
    OPEN
  }

  /** With the first look. */
  public DifferenceTracker(DifferingRows.OfTable first) {
    this.open = new HashMap<>();
    this.complete = first.isComplete();
    first.versions().forEach((key, versions) -> open.put(key, new Seen(versions, 1)));
  }

  /** One more look at the complete table. */
  public void compareAgain(DifferingRows.OfTable now) {
    Map<String, Seen> next = new HashMap<>();
    proven = 0;
    now.versions()
        .forEach(
            (key, versions) -> {
              Seen before = open.get(key);
              boolean same = before != null && before.versions().equals(versions);
              // A row of a table without a key has no name by which it could be known again.
              if (before != null || !now.isKeyed() || !complete) {
                Seen seen = new Seen(versions, same ? before.comparisons() + 1 : 1);
                next.put(key, seen);
                proven += seen.comparisons() >= COMPARISONS_THAT_PROVE ? 1 : 0;
              }
            });
    // What is equal at this look was carried, whatever the first one had no room for.
    complete |= now.isComplete();
    open = next;
  }

  public State state() {
    if (proven > 0) {
      return State.DIFFERENT;
    }
    return open.isEmpty() && complete ? State.EQUAL : State.OPEN;
  }

  /** Rows that differ for certain. */
  public long proven() {
    return proven;
  }

  /** Rows of which nothing is certain. */
  public long open() {
    return open.size() - proven;
  }

  private record Seen(String versions, int comparisons) {}
}
