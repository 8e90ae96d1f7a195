package dev.sluice.connector.api;

import dev.sluice.config.document.SluiceException;
import java.time.Instant;
import java.util.Optional;

/**
 * One run of the publisher: follows the source's log from the slot's position and writes it to the
 * journal under one term. Single use; a new run is a new object with a higher term. Its methods may
 * be called from any thread.
 */
public interface Capture extends AutoCloseable {

  /** What has been published up to now; never blocks. */
  CaptureProgress progress();

  /** Why it ended by itself; empty while it runs and after {@link #close}. */
  Optional<SluiceException> failure();

  /** Stops following, waits until nothing more is sent, and frees the slot. Idempotent. */
  @Override
  void close();

  /**
   * A picture of a running capture. Immutable.
   *
   * @param acknowledged the last transaction or message that Kafka has acknowledged
   * @param lastCommit when the source committed it; empty before the first
   * @param changes row changes acknowledged in this term
   * @param transactions transactions with changes acknowledged in this term
   * @param bytes journal bytes acknowledged in this term
   */
  record CaptureProgress(
      Position acknowledged,
      Optional<Instant> lastCommit,
      long changes,
      long transactions,
      long bytes) {}
}
