package dev.sluice.engine.validate;

import java.util.HashMap;
import java.util.Map;

/**
 * Distinguishes real differences from rows in flight, over several comparisons with a fence before
 * each. A row differs if three comparisons found the same versions on both sides with different
 * values: the fences prove that the target had all its changes. A row that was equal once was
 * replicated. A row that keeps changing proves neither. Owned by the thread that compares.
 */
public final class DifferenceTracker {
  private static final int COMPARISONS_THAT_PROVE = 3;

  private Map<String, Seen> open;
  private boolean complete;
  private long proven;

  /** The result for a table so far. */
  public enum State {
    EQUAL,
    DIFFERENT,
    OPEN
  }

  /** Starts with the first comparison. */
  public DifferenceTracker(DifferingRows.OfTable first) {
    this.open = new HashMap<>();
    this.complete = first.isComplete();
    first.versions().forEach((key, versions) -> open.put(key, new Seen(versions, 1)));
  }

  /** Adds one more comparison of the complete table. */
  public void compareAgain(DifferingRows.OfTable now) {
    Map<String, Seen> next = new HashMap<>();
    proven = 0;
    now.versions()
        .forEach(
            (key, versions) -> {
              Seen before = open.get(key);
              boolean same = before != null && before.versions().equals(versions);
              // A row of a table without a key cannot be identified in a later comparison.
              if (before != null || !now.isKeyed() || !complete) {
                Seen seen = new Seen(versions, same ? before.comparisons() + 1 : 1);
                next.put(key, seen);
                proven += seen.comparisons() >= COMPARISONS_THAT_PROVE ? 1 : 0;
              }
            });
    // A row that is equal now was replicated, even if the first comparison had too many to keep.
    complete |= now.isComplete();
    open = next;
  }

  public State state() {
    if (proven > 0) {
      return State.DIFFERENT;
    }
    return open.isEmpty() && complete ? State.EQUAL : State.OPEN;
  }

  /** Number of rows that are proven to differ. */
  public long proven() {
    return proven;
  }

  /** Number of rows that are neither proven to differ nor replicated. */
  public long open() {
    return open.size() - proven;
  }

  private record Seen(String versions, int comparisons) {}
}
