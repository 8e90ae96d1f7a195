package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * What makes the source keep its log for the task: in PostgreSQL a replication slot. It stores how
 * far the log was read, and advances only to positions that the journal has acknowledged, until the
 * task is cut over. Used by one thread at a time.
 */
public interface LogRetention {

  /** The name on the source. */
  String name();

  /** What the source calls it, for messages: {@code replication slot}. */
  String kind();

  /** Its kind and name, for messages: {@code replication slot sluice_shop}. */
  default String shown() {
    return kind() + " " + name();
  }

  /** The source's setting that limits {@link RetentionState#room}, for messages. */
  String limitedBy();

  /** What a user can do if the task falls behind and the log grows, or is soon removed. */
  default String fixOfGrowth() {
    return "The "
        + shown()
        + " holds it back and is never dropped automatically: find out why the task is behind, make"
        + " room on the source, or, if the task is no longer needed, remove it with sluice stop"
        + " --drop";
  }

  /**
   * The problem that the task file names another one than the task's own.
   *
   * @param own the name of the task's own
   */
  Problem namedOtherThan(String own);

  /** The current state; empty if it does not exist. */
  Optional<RetentionState> state();

  /** The object that exists under this name, with any owner; empty if there is none. */
  Optional<FoundRetention> found();

  /** The end of the source's log, this state and the reader's position, read together. */
  LogReading reading();

  /**
   * Begins to keep the log, and opens a snapshot at exactly that position.
   *
   * @param timeout the setting TransactionConsistencyTimeout: how long it may wait for open
   *     transactions
   * @throws SluiceException.Fatal if it takes longer, naming the transactions that it waits for;
   *     nothing remains on the source then
   */
  SourceSnapshot create(Duration timeout);

  /**
   * Takes over an existing log retention, for a task that begins.
   *
   * @return whether there is one; its {@link #state} then has the position
   */
  default boolean take() {
    return state().isPresent();
  }

  /**
   * Stores facts of the source about the place at which a task begins. Called when the place is
   * known, and before the target has its position. Repeated after a kill.
   *
   * @param tables of the task
   * @param client Kafka's connection properties
   * @throws SluiceException.Fatal if the tables' changes from there on cannot be read
   */
  default void keepStart(
      Collection<TableId> tables, Map<String, Object> client, JournalTopics topics) {}

  /**
   * Whether the log can be read from this position, even if it is before the one from which the log
   * is kept for the task.
   */
  default boolean hasFrom(Position position) {
    return false;
  }

  /**
   * The start position that a text of the task file names, as a position of the current log.
   *
   * @param text a text without a problem
   * @throws SluiceException.Fatal if the log has no such position
   */
  Position named(String text);

  /**
   * The place in the kept log before the first transaction, in the order of the log, that was
   * committed at a time or later. Reads the log up to there, and consumes nothing.
   *
   * @param commitTime not after the time of the source's clock
   * @param fence a fence in the log, written after that time; {@link Position#MAX} if there are no
   *     fences
   * @throws SluiceException.Fatal if transactions that were committed after the time may be gone
   */
  Position before(Instant commitTime, Position fence) throws InterruptedException;

  /** Whether {@link #create} failed because somebody else has created one of that name. */
  boolean isAnothers(SluiceException failure);

  /**
   * Stops keeping the log; terminates a session of this task that still reads it. The caller has
   * verified that it is the task's own.
   *
   * @return whether it existed
   * @throws SluiceException.Fatal if it certainly belongs to another task or program
   */
  boolean drop();

  /**
   * The same for a daemon that may have been replaced without noticing. If a later daemon could
   * create another retention with this name, the fence is checked while it cannot.
   *
   * @param fence called before anything is dropped; throws if the caller's epoch is not the newest
   */
  default boolean drop(Runnable fence) {
    fence.run();
    return drop();
  }

  /**
   * Terminates the session with which an earlier daemon of this task reads the log, and waits until
   * it has ended. The caller holds the task's next epoch.
   *
   * @throws SluiceException.Fatal if it certainly belongs to another task or program; its reader is
   *     not terminated
   */
  void release();
}
