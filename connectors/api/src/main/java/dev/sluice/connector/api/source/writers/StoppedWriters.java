package dev.sluice.connector.api.source.writers;

import dev.sluice.config.TableId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Writers of tables that wait until this is closed or decided. Closing it before a decision
 * releases them, and leaves no trace. Used by one thread.
 */
public interface StoppedWriters extends AutoCloseable {

  /** The tables that are locked, with their partitions and other children. */
  Set<TableId> tables();

  /** The number of attempts that it took. */
  int attempts();

  /** How long the attempt took that succeeded: for so long the first writers waited already. */
  Duration locking();

  /**
   * Prepares that the tables refuse writers. Nobody sees it before the decision.
   *
   * @param movedTo where the applications are to write, for the message that refused writers get
   * @throws dev.sluice.config.document.SluiceException if the source refuses it, or the time is
   *     over; the writers are to be released then
   */
  default void prepareMove(String movedTo) {
    prepareMove(movedTo, Optional.empty());
  }

  /**
   * The same with a role that may go on to write.
   *
   * @param reverseRole applies the changes of the way back; empty: nobody may write
   */
  void prepareMove(String movedTo, Optional<String> reverseRole);

  /**
   * Whether the tables will also refuse to be altered or dropped: where this user may arrange that.
   * Known once the move is prepared.
   */
  boolean refusesDdl();

  /**
   * Decides the cutover: from now on the tables refuse writers, durably, also those that wait.
   *
   * @throws dev.sluice.config.document.SluiceException if the source's answer was lost: {@link
   *     WriterStop#decision} tells what was decided
   */
  void decide();

  /**
   * Releases the writers at once, without waiting for an answer, while another thread may hang in a
   * call. Nothing can be decided after it. By any thread; fails never.
   */
  void cut();

  /** Releases the writers, unless it is decided. Fails never. */
  @Override
  void close();
}
