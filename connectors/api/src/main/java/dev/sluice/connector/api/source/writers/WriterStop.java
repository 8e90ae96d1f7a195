package dev.sluice.connector.api.source.writers;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Stops the applications that write to tables of the source, decides a cutover there, and keeps
 * writers out after it. Readers are never in its way. Threadsafe.
 */
public interface WriterStop {

  /**
   * Why the writers of these tables cannot be stopped and moved by this user, with the statements
   * that would help; empty if they can. Reads catalogs only.
   *
   * @param tables the selected tables, by their roots
   */
  List<Problem> lacking(Collection<TableId> tables);

  /**
   * Stops the writers. While it tries, a writer waits for at most a fraction of a second at once.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if that took too long; it names
   *     who was in the way, and everything is released
   */
  StoppedWriters stop(Request request) throws InterruptedException;

  /**
   * What was decided about a cutover. Waits for a session that could still decide it.
   *
   * @param timeout for that wait
   * @throws dev.sluice.config.document.SluiceException.Retryable if the source does not answer, or
   *     that session has not ended by then: nothing is known
   */
  Decision decision(UUID cutover, Duration timeout);

  /**
   * Tables that are not closed as decided cutovers left them, each with what is wrong with it;
   * empty if all are.
   *
   * @param decided a cutover that was decided here, for all that the caller knows; empty if it
   *     knows of none. A source that has no trace of it is a problem
   * @param tables those that it closed; each must still be the same under its name
   */
  List<Problem> opened(Optional<UUID> decided, Collection<TableId> tables);

  /**
   * The cutovers that were decided here, and whose tables were not opened again since. Those that
   * another role has decided, and this one may not read, are left out.
   *
   * @param whose which
   */
  List<Moved> moved(Whose whose);

  /**
   * Opens tables for writers again, and forgets that they were closed. Nothing happens where
   * nothing was closed.
   *
   * @param whose which cutovers; what others have closed stays closed
   */
  Reopened reopen(Whose whose);

  /**
   * Opens tables that the role of a way back has made and closed, and that only it may open. What
   * else a cutover has closed stays closed, and known. Called with that role, before {@link
   * #reopen}.
   *
   * @return the tables that take writes again
   */
  List<TableId> reopenMade(Whose whose);

  /**
   * Removes what cutovers have left that were given up some time ago. Opens no table.
   *
   * @return whether there was anything
   */
  boolean tidy();

  /**
   * The cutovers of one task. Immutable.
   *
   * @param movedTo where it moved the applications, as for {@link StoppedWriters#prepareMove};
   *     empty: wherever it was
   * @param selects its tables; a cutover that has closed one of them is its own
   * @param cutover the only one; empty: all of which the others hold
   */
  record Whose(Optional<String> movedTo, Predicate<TableId> selects, Optional<UUID> cutover) {
    /** Those that moved the applications to one place. */
    public Whose(String movedTo, Predicate<TableId> selects) {
      this(Optional.of(movedTo), selects, Optional.empty());
    }

    /** A single one, whatever it has closed. */
    public static Whose only(UUID cutover) {
      return new Whose(Optional.empty(), any -> true, Optional.of(cutover));
    }
  }

  /**
   * What was opened. Immutable.
   *
   * @param opened the tables that take writes again
   * @param left tables that other cutovers have closed
   */
  record Reopened(List<TableId> opened, List<TableId> left) {
    public Reopened {
      opened = List.copyOf(opened);
      left = List.copyOf(left);
    }
  }

  /**
   * A decided cutover. Immutable.
   *
   * @param at when it was decided, in words
   * @param tables that it has closed, as far as they are selected
   */
  record Moved(UUID cutover, String at, List<TableId> tables) {
    public Moved {
      tables = List.copyOf(tables);
    }
  }

  /** What the source knows about a cutover. */
  enum Decision {
    /** It is closed for writers for good. */
    MOVED,
    /** It never was and will not be closed by this cutover. */
    NOT_MOVED
  }

  /**
   * A request to stop writers. Immutable.
   *
   * @param cutover tells this cutover from all others
   * @param tables the selected tables, by their roots; their partitions come with them
   * @param attempts how long to try
   * @param held how long writers may be stopped; the source releases them by itself after it, also
   *     if this process is frozen or gone
   * @param latest after which nobody is stopped any more, from the request on, however late that
   *     was got
   */
  record Request(
      UUID cutover, List<TableId> tables, Duration attempts, Duration held, Duration latest) {
    public Request {
      tables = List.copyOf(tables);
    }

    /** One that counts from the moment when the writers are stopped. */
    public Request(UUID cutover, List<TableId> tables, Duration attempts, Duration held) {
      this(cutover, tables, attempts, held, attempts.plus(held));
    }
  }
}
