package dev.sluice.connector.journal;

import dev.sluice.config.document.SluiceException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * The first failure of a capture, which ends it: what fails afterwards is its consequence.
 * Threadsafe.
 */
public final class CaptureFailure {
  private final Logger log;
  private final AtomicReference<SluiceException> first = new AtomicReference<>();

  /**
   * @param log of the capture
   */
  public CaptureFailure(Logger log) {
    this.log = log;
  }

  /** The failure; empty while the capture works. */
  public Optional<SluiceException> get() {
    return Optional.ofNullable(first.get());
  }

  /** Keeps a failure and logs it, unless there was one before. */
  public void set(SluiceException error) {
    if (first.compareAndSet(null, error)) {
      // An unreachable source is expected; the retry logs it.
      log.atLevel(error instanceof SluiceException.Retryable ? Level.WARN : Level.ERROR)
          .log("the capture ends: {}", error.getMessage());
    }
  }
}
