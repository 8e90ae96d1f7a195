package dev.sluice.sink.window;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.suspension.SuspendedTable;
import java.util.List;

/**
 * Applies closed windows to the target. Owned and called by the apply thread only, which also
 * closes it.
 */
public interface WindowApplier extends AutoCloseable {

  /**
   * Applies a window and advances the checkpoint, in one target transaction. After a failure the
   * same window may be given again: it is then applied once at most, also where the answer to the
   * commit was lost.
   *
   * @throws SluiceException.Retryable where the same call may succeed later
   * @throws SluiceException where it cannot
   */
  AppliedWindow apply(ClosedWindow window);

  /**
   * Returns when everything applied so far outlives a crash of the target.
   *
   * @throws SluiceException.Retryable where the same call may succeed later
   * @throws SluiceException where it cannot
   */
  void makeDurable();

  /**
   * Between two windows, and now and then where none comes: what is to be done by time.
   *
   * @param now by a clock that never goes back, in nanoseconds
   * @throws SluiceException.Retryable where the session was broken off
   */
  default void rest(long now) {}

  /** The tables that are passed over at present; also before the first window. */
  default List<SuspendedTable> suspended() {
    return List.of();
  }

  /**
   * Ends the session on the target for good, whatever it does: what is being applied fails, and no
   * commit is sent any more. One that was sent may still succeed; whoever reads the checkpoint with
   * its lock waits for that. From any thread, idempotent.
   */
  void breakOff();

  /** Gives up the target connection. Idempotent. */
  @Override
  void close();
}
