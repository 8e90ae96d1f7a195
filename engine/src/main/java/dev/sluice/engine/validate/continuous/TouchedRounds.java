package dev.sluice.engine.validate.continuous;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * While it is open, the validation compares only rows that were changed, in rounds without a pause:
 * before a cutover that is all that is left to prove. Made by {@link Validations}. Threadsafe.
 */
public final class TouchedRounds implements AutoCloseable {
  private final Supplier<ValidationProgress> progress;
  private final Consumer<TouchedRounds> closed;
  private final AtomicLong ended = new AtomicLong();

  /**
   * @param progress of the validation
   * @param closed called when they are closed
   */
  TouchedRounds(Supplier<ValidationProgress> progress, Consumer<TouchedRounds> closed) {
    this.progress = progress;
    this.closed = closed;
  }

  /** The number of rounds that have ended without a failure. */
  public long ended() {
    return ended.get();
  }

  /** A number of {@link #ended} from which on a round has begun after this call, and has ended. */
  public long next() {
    // One round may be running.
    return ended.get() + 2;
  }

  /** What is known as of the last round. */
  public ValidationProgress progress() {
    return progress.get();
  }

  void roundEnded() {
    ended.incrementAndGet();
  }

  /** The validation goes on as before. Idempotent. */
  @Override
  public void close() {
    closed.accept(this);
  }
}
