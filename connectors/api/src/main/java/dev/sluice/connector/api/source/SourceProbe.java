package dev.sluice.connector.api.source;

import dev.sluice.config.document.SluiceException;

/** Tests whether the source answers, over a session of its own. Used by one thread. */
public interface SourceProbe extends AutoCloseable {

  /**
   * Returns when the source has answered.
   *
   * @throws SluiceException if it does not answer
   */
  void requireAnswer();

  @Override
  void close();
}
