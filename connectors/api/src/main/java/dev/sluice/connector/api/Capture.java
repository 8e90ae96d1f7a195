package dev.sluice.connector.api;

import dev.sluice.config.document.SluiceException;
import java.time.Instant;
import java.util.Optional;

/**
 * One run of a capture: reads the source's log from the slot's position and writes it to the
 * journal under one term. Used once; a new run is a new object with a higher term. Its methods may
 * be called from any thread.
 */
public interface Capture extends AutoCloseable {

  /** What Kafka has acknowledged up to now; never blocks. */
  CaptureProgress progress();

  /** Why the capture failed; empty while it runs and after {@link #close}. */
  Optional<SluiceException> failure();

  /** Stops the capture, waits until nothing more is sent, and releases the slot. Idempotent. */
  @Override
  void close();

  /**
   * The progress of a capture. Immutable.
   *
   * @param acknowledged position of the last transaction or message that Kafka has acknowledged
   * @param lastCommit its commit time on the source; empty before the first
   * @param changes changes of rows and tables acknowledged in this term, without messages
   * @param transactions transactions with changes or messages acknowledged in this term
   * @param bytes journal bytes acknowledged in this term
   */
  record CaptureProgress(
      Position acknowledged,
      Optional<Instant> lastCommit,
      long changes,
      long transactions,
      long bytes) {}
}
