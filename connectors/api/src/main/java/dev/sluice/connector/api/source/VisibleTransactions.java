package dev.sluice.connector.api.source;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The transactions that a snapshot of the source shows, by their ids. Immutable.
 *
 * <p>A comparison of log positions could not tell: with a commit that waits for a standby, the log
 * has the transaction while no snapshot shows it yet.
 *
 * @param oldest every transaction with a lower id has ended, and is shown if it committed
 * @param next no transaction with this id or a higher one is shown
 * @param running ids between the two that are not shown, as they had not ended
 * @see <a href="https://www.postgresql.org/docs/current/functions-info.html">pg_snapshot
 *     components</a>
 */
public record VisibleTransactions(long oldest, long next, Set<Long> running) {

  public VisibleTransactions {
    running = Set.copyOf(running);
  }

  /**
   * Whether the snapshot shows the changes of a committed transaction. Of one without an id, which
   * is 0, this is not known, so it is false.
   */
  public boolean shows(long transactionId) {
    return transactionId != 0
        && (transactionId < oldest || transactionId < next && !running.contains(transactionId));
  }

  /** Whether this snapshot shows each transaction that another snapshot shows. */
  public boolean showsAllOf(VisibleTransactions other) {
    return next >= other.next && running.stream().noneMatch(other::shows);
  }

  /**
   * Reads the text form, which is PostgreSQL's: {@code oldest:next:running,running}.
   *
   * @throws IllegalArgumentException if it is no such text
   */
  public static VisibleTransactions parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a snapshot: " + text);
    }
    Set<Long> running =
        parts[2].isEmpty()
            ? Set.of()
            : Arrays.stream(parts[2].split(",", -1)).map(Long::valueOf).collect(Collectors.toSet());
    return new VisibleTransactions(Long.parseLong(parts[0]), Long.parseLong(parts[1]), running);
  }

  /** PostgreSQL's text form. */
  @Override
  public String toString() {
    return oldest
        + ":"
        + next
        + ":"
        + new TreeSet<>(running).stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
