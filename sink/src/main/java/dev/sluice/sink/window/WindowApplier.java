package dev.sluice.sink.window;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.suspension.SuspendedTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Applies closed windows to the target. Owned by the apply thread, which also closes it. */
public interface WindowApplier extends AutoCloseable {

  /**
   * Opens the session on the target, so that the first window finds it open. Called once, before
   * the first window. A failure changes nothing: the first window meets it again.
   *
   * @throws SluiceException if the target cannot be reached now
   */
  default void prepare() {}

  /**
   * Applies a window and advances the checkpoint in one target transaction. After a failure the
   * call may be repeated: the window is applied at most once, even if the response to the commit
   * was lost.
   *
   * @throws SluiceException.Retryable if the same call may succeed later
   * @throws SluiceException if it cannot
   */
  AppliedWindow apply(ClosedWindow window);

  /**
   * Returns when everything applied so far survives a crash of the target.
   *
   * @throws SluiceException.Retryable if the same call may succeed later
   * @throws SluiceException if it cannot
   */
  void makeDurable();

  /**
   * Does periodic work. Called after each window, and from time to time while none comes.
   *
   * @param now the time of {@link System#nanoTime}
   * @throws SluiceException.Retryable if the session was terminated
   */
  default void rest(long now) {}

  /** The tables that are suspended now; also valid before the first window. */
  default List<SuspendedTable> suspended() {
    return List.of();
  }

  /** How long its stages have taken since the start; also valid before the first window. */
  default Map<ApplyStage, Duration> stages() {
    return Map.of();
  }

  /**
   * Terminates the session on the target for good: the window being applied fails, and no further
   * commit is sent. A commit that was already sent may still succeed; a reader that locks the
   * checkpoint row waits for it. Called from any thread, idempotent.
   */
  void breakOff();

  /** Closes the target connection. Idempotent. */
  @Override
  void close();
}
